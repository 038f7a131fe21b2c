// The keeper that the tests run: the built one, or the one that HARDSHELL_TEST_KEEPER names (a sanitizer build, a wrapper).

import { type KeeperBinary, locateKeeper } from '../../src/run/keeper/binary.ts';

const given = process.env.HARDSHELL_TEST_KEEPER;

export const keeperUnderTest: KeeperBinary =
  given === undefined ? locateKeeper() : { isAvailable: true, program: given, path: given, sha256: '' };
/** A sanitizer speaks on stderr. */
export const keeperStderr = given === undefined ? 'ignore' : 'inherit';
