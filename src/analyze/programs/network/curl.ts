// curl, wget: addresses, the files that they name, and values that start with `@` (curl(1), wget(1)).
// A request for headers only is a fetch if the whole address is literal.

import type { WordValue } from '../../../core/facts.ts';
import { type EffectSink, literal, literalWord, type ParsedArguments, type ProgramAnalyser } from '../program.ts';
import { afterHead, headOf, unknownWord } from '../words/wrapper-words.ts';

/** The last part of the path of an address, as -O and wget use it. */
function fileNameOf(url: WordValue, fallback: string): WordValue {
  const text = literal(url);
  if (text === null) return unknownWord(url.span, '', 'one');
  const path = text.replace(/[?#].*$/s, '').replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
  const name = path.includes('/') ? path.slice(path.lastIndexOf('/') + 1) : '';
  return literalWord(name === '' ? fallback : name, url);
}

function inFolder(name: WordValue, folder: WordValue | undefined): WordValue {
  if (folder === undefined) return name;
  const [parent, child] = [literal(folder), literal(name)];
  if (parent === null || child === null) return unknownWord(name.span, '', 'one');
  return literalWord(`${parent}/${child}`, name);
}

function judgeUrl(url: WordValue, sink: EffectSink): void {
  const text = headOf(url);
  if (/^file:/i.test(text)) {
    const path = literal(url)?.replace(/^file:(?:\/\/[^/]*)?/i, '');
    sink.path('read', path === undefined ? unknownWord(url.span, '', 'one') : literalWord(path, url));
    return;
  }
  sink.url(url);
  // Data can leak through an address, and other protocols do more than read.
  if (url.kind !== 'literal' || (/^[a-z][a-z0-9+.-]*:/i.test(text) && !/^(?:https?:|[a-z0-9.-]+:\d)/i.test(text))) {
    sink.unknown('the content of this URL is unknown');
  }
}

/** `@file` or `name@file`; `-F` also accepts `name=@file` and `name=<file`. */
function judgeData(name: string, value: WordValue, sink: EffectSink): void {
  if (name !== '-H') sink.changes('change data on the server');
  const text = headOf(value);
  const marker = name === '-F' ? /^[^=]*=[@<]/ : name === '--data-urlencode' ? /^[^=@]*@/ : /^@/;
  const at = marker.exec(text)?.[0].length;
  if (at === undefined) {
    if (value.kind !== 'literal' && text === '') sink.path('read', unknownWord(value.span, '', 'one'));
    return;
  }
  const file = afterHead(value, at);
  if (literal(file) === '-') return;
  // `-F name=@file;type=…`
  const isForm = name === '-F' && file.kind === 'literal';
  sink.path('read', isForm ? literalWord(file.value.replace(/[;,].*$/s, ''), file) : file);
}

// `-` prints in all of these.
const WRITES = new Set(['-o', '-D', '-c', '--trace', '--trace-ascii', '--stderr', '--libcurl']);
const DATA = new Set(['-d', '-F', '-H', '--data-urlencode', '--json', '--url-query', '--proxy-header']);

function judgeCurlOption(name: string, value: WordValue, sink: EffectSink): void {
  const text = literal(value);
  // Data can leak through any part of a request.
  if (text === null && !WRITES.has(name)) sink.unknown(`what ${name} sends`);
  if (DATA.has(name)) judgeData(name === '--proxy-header' ? '-H' : name, value, sink);
  else if (name === '-X') {
    if (!/^(?:GET|HEAD|OPTIONS)$/.test(text ?? '')) sink.changes('change data on the server');
  } else if (name === '-b') {
    if (text === null || !text.includes('=')) sink.path('read', value);
  } else if (name === '-w') {
    // `%output{file}` writes a file (curl 8.3 and later).
    if (text === null || text.includes('%output')) sink.unknown('the format of -w may write a file');
    else if (text.startsWith('@')) {
      sink.path('read', afterHead(value, 1));
      sink.unknown('the format of -w is in a file');
    }
  } else if (WRITES.has(name) && text !== '-')
    sink.path('write', text?.includes('#') ? unknownWord(value.span, '', 'one') : value);
  else if (name === '-T') sink.changes('change data on the server');
  else if (name === '--url') judgeUrl(value, sink);
}

function judgeCurlOutput(args: ParsedArguments, urls: readonly WordValue[], sink: EffectSink): void {
  if (args.has('-J --remote-header-name')) sink.path('write', unknownWord(urls[0]?.span ?? [0, 0], '', 'one'));
  else
    for (const url of urls) sink.path('write', inFolder(fileNameOf(url, 'curl_response'), args.value('--output-dir')));
}

export const curl: ProgramAnalyser = (args, sink) => {
  for (const { name, value } of args.options) if (value !== null) judgeCurlOption(name, value, sink);
  for (const url of args.operands) judgeUrl(url, sink);
  if (args.has('-O --remote-name --remote-name-all')) {
    const urls = [
      ...args.operands,
      ...args.options.filter((option) => option.name === '--url').flatMap((option) => option.value ?? []),
    ];
    judgeCurlOutput(args, urls, sink);
  }
};

export const wget: ProgramAnalyser = (args, sink) => {
  for (const { name, value } of args.options) {
    if (value === null) continue;
    if ((name === '-O' || name === '-o') && literal(value) !== '-') sink.path('write', value);
    else if (literal(value) === null) sink.unknown(`what ${name} sends`);
  }
  for (const url of args.operands) {
    sink.url(url);
    if (url.kind !== 'literal') sink.unknown('the content of this URL is unknown');
    if (args.has('--spider') || args.has('-O')) continue;
    const name = args.has('-r --recursive -m --mirror -p --page-requisites')
      ? literalWord('.', url)
      : fileNameOf(url, 'index.html');
    sink.path('write', inFolder(name, args.value('-P')), { recursive: headOf(name) === '.' });
  }
};
