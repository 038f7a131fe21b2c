// busybox, toybox: the applet is a command like any other.

import { literal, literalWord, type ProgramAnalyser } from '../program.ts';
import { headOf, isOneWord } from '../words/wrapper-words.ts';

export const busybox: ProgramAnalyser = (args, sink) => {
  const [first, ...rest] = args.words;
  if (first === undefined) return;
  if (!isOneWord(first)) {
    sink.cannotTell('wrapper-arguments', 'the applet is unknown', first.span);
    return;
  }
  const text = headOf(first);
  if (first.kind !== 'literal' || !text.startsWith('-')) {
    sink.run(args.words, 'busybox');
    return;
  }
  if (/^--(?:list|list-full|help|long|version)$/.test(text)) return;
  if (text === '--install') {
    const folder = rest.find((word) => literal(word) !== '-s');
    sink.path('write', folder ?? literalWord('/', first), { recursive: true });
    return;
  }
  sink.unknown(`option ${text} of busybox`);
};
