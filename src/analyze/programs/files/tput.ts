// tput: `init` and `reset` run the terminal's initialisation program (terminfo(5), iprog).

import { literal, type ProgramAnalyser } from '../program.ts';

export const tput: ProgramAnalyser = (args, sink) => {
  const [capability] = args.operands;
  if (capability === undefined) return;
  const name = literal(capability);
  if (name === null || name === 'init' || name === 'reset') sink.executes('hook', null);
};
