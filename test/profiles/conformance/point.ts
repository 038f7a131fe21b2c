// What a document asks for, sentence by sentence, and the tests that show it. The test beside this file checks that every
// sentence has a test that exists, and writes the tables of docs/profiles.md.

import type { ProfileName } from '../../../src/core/profile-names.ts';

/** A test by its file and its name; a name of a table (`test.each`) as it is written, with the rows that are meant. */
export interface Shown {
  readonly file: string;
  readonly name: string;
  readonly rows: readonly string[];
  /** The folder of the rows, if they are not in the file of the test. */
  readonly rowsIn?: string;
}

export interface Point {
  /** The heading of the document. */
  readonly section: string;
  /** The sentence, or the part of it that asks for something, to the letter. */
  readonly asks: string;
  /** In English, if the document says it in another language. */
  readonly means?: string;
  readonly shownBy: readonly Shown[];
  /** What hardshell does instead, and why. */
  readonly differs?: string;
  /** Only for a sentence that is not met: what is missing, and why. Then no test can show it. */
  readonly missing?: string;
}

export interface Conformance {
  readonly profile: ProfileName;
  readonly document: string;
  readonly points: readonly Point[];
}

interface More {
  readonly means?: string;
  readonly differs?: string;
  readonly missing?: string;
}

/** Points of one section, with tests that are named by the file in which they are. */
export function section(
  name: string,
  rows: readonly (readonly [asks: string, shownBy: readonly Shown[], more?: More])[],
): readonly Point[] {
  return rows.map(([asks, shownBy, more = {}]) => ({ section: name, asks, shownBy, ...more }));
}

/** Tests of a file: a name, or the name of a table with its rows: `['rejects %s', 'git add -A']`. */
export function inFile(
  file: string,
  rowsIn?: string,
): (...tests: readonly (string | readonly [name: string, ...rows: string[]])[]) => readonly Shown[] {
  const where = rowsIn === undefined ? {} : { rowsIn };
  return (...tests) =>
    tests.map((each) => {
      const [name, ...rows] = typeof each === 'string' ? [each] : each;
      return { file, name, rows, ...where };
    });
}
