// rsync: sources, destination, what it deletes and which remote shell it runs (rsync(1)).
// With -n nothing changes, unless an option of the table writes a file.

import type { WordValue } from '../../../core/facts.ts';
import { type EffectSink, literal, literalWord, type ProgramAnalyser } from '../program.ts';
import { splitString } from '../words/split-string.ts';
import { headOf, unknownWord } from '../words/wrapper-words.ts';
import { judgeSshWords } from './ssh.ts';

const DELETES =
  '--delete --del --delete-before --delete-during --delete-delay --delete-after --delete-excluded ' +
  '--delete-missing-args';

/** `host:path` and `rsync://`: reports the host and is true. */
function isRemote(word: WordValue, sink: EffectSink): boolean {
  const text = headOf(word);
  if (/^rsync:\/\//i.test(text)) {
    sink.url(word);
    return true;
  }
  const host = /^([^/:]*|\[[^\]]*\]|[^/:@]*@\[[^\]]*\]):/.exec(text)?.[1];
  if (host !== undefined) {
    if (host !== '') sink.host(literalWord(host, word));
    else sink.network();
    return true;
  }
  // `$X` may contain `host:path`; `./$X` cannot.
  if (word.kind !== 'literal' && !text.includes('/')) sink.network();
  return false;
}

function judgeRemoteShell(word: WordValue, sink: EffectSink): void {
  const words = splitString(word);
  const [program, ...options] = words ?? [];
  if (words === null || program === undefined) {
    sink.executes('program', null);
    sink.unknown('the remote shell of rsync is unknown');
  } else if (/^(?:.*\/)?ssh$/.test(literal(program) ?? '')) {
    sink.executes('program', program);
    judgeSshWords(options, sink);
  } else sink.run([...words, unknownWord(word.span, '', 'many')], 'rsync -e');
}

export const rsync: ProgramAnalyser = (args, sink) => {
  const remoteShell = args.value('-e');
  if (remoteShell !== undefined) judgeRemoteShell(remoteShell, sink);
  // It may be -e, with a program to run.
  if (args.uncertain) {
    sink.executes('program', null);
    sink.unknown('an option of rsync is unknown');
  }
  const { operands } = args;
  const target = operands.length > 1 ? operands.at(-1) : undefined;
  const isDry = args.has('-n --dry-run --list-only') || target === undefined;
  const batch = args.has('--only-write-batch');
  for (const source of target === undefined ? operands : operands.slice(0, -1)) {
    if (isRemote(source, sink)) {
      if (!isDry && args.has('--remove-source-files')) sink.changes('change files on another host');
    } else {
      sink.path('read', source, { recursive: true });
      if (!isDry && args.has('--remove-source-files')) sink.path('delete', source, { recursive: true });
    }
  }
  if (target === undefined) return;
  if (isRemote(target, sink)) {
    if (!isDry) sink.changes('change files on another host');
  } else if (isDry || batch) sink.path('read', target, { recursive: true });
  else {
    sink.path('write', target, { recursive: true });
    if (args.has(DELETES)) sink.path('delete', target, { recursive: true });
  }
};
