// gcc, clang and similar: words → sources read and files written (gcc manual, "Option Summary").
// Only options listed here are harmless: plugins, specs, wrappers, dumps and @files are not.

import type { WordValue } from '../../../core/facts.ts';
import { type EffectSink, literal, literalWord, type ProgramAnalyser } from '../program.ts';
import { afterHead } from '../words/wrapper-words.ts';

// These print and stop, for any sources.
const INFORMS =
  /^(?:--version|--help(?:=[\w^,]+)?|-dump(?:version|fullversion|machine)|-print-(?:search-dirs|libgcc-file-name|multiarch|multi-lib|sysroot|resource-dir|targets|target-triple|(?:file|prog)-name=[\w.+-]+)|--print-[\w-]+)$/;
const TO_STDOUT = /^(?:-E|-M|-MM|-fsyntax-only)$/;
const HARMLESS = new RegExp(
  [
    '-O[0-3sgz]?|-Ofast|-g[0-3]?|-ggdb[0-3]?|-gdwarf(?:-[2-5])?|-w|-v|-###|-s|-pipe|-pedantic(?:-errors)?|-ansi|-traditional',
    // -Wl, -Wa, -Wp pass options on to programs.
    '-W(?![lap],)[\\w+=-]*|-std=[\\w+]+|-stdlib=[\\w+]+|-x[\\w+-]+|-pthread|-static(?:-pie)?|-shared|-pie|-no-pie|-rdynamic|-nostd(?:inc|lib)(?:\\+\\+)?',
    '-m(?:32|64|arch=[\\w.+-]+|tune=[\\w.+-]+|cpu=[\\w.+-]+|fpu=[\\w.+-]+|avx\\w*|sse[\\w.]*|fma|native)|-D\\w+(?:=.*)?|-U\\w+|-I.+|-L.+|-l[\\w.+:-]+',
    '-f(?:no-[\\w-]+(?:=[\\w,-]+)?|syntax-only|PIC|pic|PIE|pie|openmp|exceptions|rtti|wrapv|strict-aliasing|omit-frame-pointer|common|permissive|ms-extensions|stack-protector(?:-\\w+)?|sanitize=[\\w,-]+|visibility=\\w+|diagnostics-color(?:=\\w+)?|color-diagnostics|max-errors=\\d+|error-limit=\\d+|lto|unroll-loops|coroutines|concepts)',
    '-C|-CC|-P|-H|-MG|-MP|-dM|-dD|-dI|-dN|-c|-S',
  ].join('|'),
);
const HARMLESS_WHOLE = new RegExp(`^(?:${HARMLESS.source})$`, 's');
const TAKES_PATH = new Map<string, 'read' | 'write'>([
  ['-include', 'read'],
  ['-imacros', 'read'],
  ['-isystem', 'read'],
  ['-iquote', 'read'],
  ['-idirafter', 'read'],
  ['-I', 'read'],
  ['-L', 'read'],
  ['-isysroot', 'read'],
  ['-T', 'read'],
  ['-MF', 'write'],
  ['-aux-info', 'write'],
  ['-dumpdir', 'write'],
]);
const TAKES_VALUE = new Set(['-x', '-D', '-U', '-MT', '-MQ', '-arch', '-target', '-l']);

interface Found {
  readonly sources: WordValue[];
  output: WordValue | null;
  mode: 'link' | 'object' | 'assembly' | 'stdout' | 'informs';
  dependencies: boolean;
}

function readWords(words: readonly WordValue[], sink: EffectSink): Found {
  const found: Found = { sources: [], output: null, mode: 'link', dependencies: false };
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as WordValue;
    const text = literal(word);
    const next = words[index + 1];
    if (text === null) {
      if (word.kind === 'literal' || word.head === '' || /^[-@]/.test(word.head))
        sink.unknown('an unknown word may be an option');
      found.sources.push(word);
    } else if (text.startsWith('@')) sink.unknown('options from a file');
    else if (!text.startsWith('-') || text === '-') {
      found.sources.push(word);
    } else if (text === '-o' || TAKES_PATH.has(text)) {
      index++;
      if (next === undefined) continue;
      if (text === '-o') found.output = next;
      else sink.path(TAKES_PATH.get(text) ?? 'write', next);
    } else if (/^-o./.test(text)) found.output = afterHead(word, 2);
    else if (TAKES_VALUE.has(text)) index++;
    else if (INFORMS.test(text)) found.mode = 'informs';
    else if (text === '-MD' || text === '-MMD') found.dependencies = true;
    else if (TO_STDOUT.test(text)) found.mode = found.mode === 'informs' ? 'informs' : 'stdout';
    else if (!HARMLESS_WHOLE.test(text)) sink.unknown(`option ${text}`);
    else if (text === '-c' && found.mode !== 'informs' && found.mode !== 'stdout') found.mode = 'object';
    else if (text === '-S' && found.mode === 'link') found.mode = 'assembly';
  }
  return found;
}

export const compiler: ProgramAnalyser = (args, sink) => {
  const { sources, output, mode, dependencies } = readWords(args.words, sink);
  if (mode === 'informs') {
    // `gcc --version -o f` writes nothing, but is not used in practice.
    if (sources.length > 0 || output !== null) sink.unknown('sources together with an option that only prints');
    return;
  }
  for (const source of sources) if (literal(source) !== '-') sink.path('read', source);
  if (dependencies) sink.changes('write dependency files');
  if (output !== null) {
    if (literal(output) !== '-') sink.path('write', output);
    return;
  }
  if (mode === 'stdout' || sources.length === 0) return;
  const last = args.words.at(-1) as WordValue;
  if (mode === 'link') return sink.path('write', literalWord('a.out', last));
  for (const source of sources) {
    const base = literal(source)
      ?.replace(/^.*\//s, '')
      .replace(/\.[^.]*$/, '');
    if (base === undefined) sink.changes('write object files');
    else sink.path('write', literalWord(`${base}.${mode === 'object' ? 'o' : 's'}`, source));
  }
};
