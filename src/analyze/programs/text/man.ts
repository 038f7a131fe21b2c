// man: with the HTML devices, images of tables and equations are written to the working folder.

import { literal, type ProgramAnalyser } from '../program.ts';

/** They print their output. */
const PRINTS = new Set(['ascii', 'latin1', 'utf8', 'cp1047', 'ps', 'pdf', 'dvi', 'lbp', 'lj4']);

export const man: ProgramAnalyser = ({ options }, sink) => {
  for (const { name, value } of options) {
    if (name === '-T' || name === '--troff-device')
      if (value !== null && !PRINTS.has(literal(value) ?? '')) sink.changes('write files next to the page');
  }
};
