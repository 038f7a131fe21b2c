// cloc: archives among the operands are unpacked by a shell command built from their names.
// Only plain files and folders are read directly.

import { literal, type ProgramAnalyser } from '../program.ts';

const ARCHIVE = /\.(?:tar|tgz|tbz2?|txz|gz|bz2|xz|zst|zip|z|rpm|deb|whl|ear|war|jar|7z|dmg)$/i;

/** All matches of a glob have a suffix that is certainly not an archive: `src/*.ts`. */
function endsHarmless(glob: string): boolean {
  return /\.\w+$/.test(glob) && !ARCHIVE.test(glob);
}

export const cloc: ProgramAnalyser = (args, sink) => {
  for (const operand of args.operands) {
    const text = literal(operand);
    const isPlain = text !== null ? !ARCHIVE.test(text) : operand.kind === 'pattern' && endsHarmless(operand.glob);
    if (!isPlain) sink.unknown('an archive is unpacked to be counted');
  }
};
