// dd: `if=` is read, `of=` is written. A word of another form has unknown effects.

import type { ProgramAnalyser } from '../program.ts';
import { plainName } from '../words/file-words.ts';
import { afterHead, headOf } from '../words/wrapper-words.ts';

const HARMLESS = new Set([
  'bs',
  'cbs',
  'conv',
  'count',
  'ibs',
  'iflag',
  'files',
  'iseek',
  'obs',
  'oflag',
  'oseek',
  'seek',
  'skip',
  'speed',
  'status',
]);

export const dd: ProgramAnalyser = (args, sink) => {
  for (const word of args.words) {
    const head = headOf(word);
    if (word.kind === 'literal' && (head === '--help' || head === '--version')) continue;
    const equals = head.indexOf('=');
    const key = head.slice(0, Math.max(equals, 0));
    const value = afterHead(word, equals + 1);
    if (key === 'if') sink.path('read', plainName(value));
    else if (key === 'of') sink.path('write', plainName(value));
    else if (!HARMLESS.has(key)) sink.unknown('dd: an unknown word');
    // An unquoted value may expand to further words, including `of=`.
    if (word.kind === 'dynamic' && word.many) sink.unknown('dd: further words are possible');
  }
};
