// tree: its clustered letters take their values from the following words, so `-Lo 2 out` writes `out`.

import { literal, type ProgramAnalyser } from '../program.ts';

export const tree: ProgramAnalyser = (args, sink) => {
  for (const word of args.words) {
    const text = literal(word);
    if (text !== null && /^-[^-]*[LPIHTo][^-]/.test(text) && !/^-[a-zA-Z]*L[0-9]+$/.test(text)) {
      sink.unknown('tree: an option with a value inside a cluster');
    }
  }
};
