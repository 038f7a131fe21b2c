// Places of a test with a runtime folder of their own, so that their worlds and rooms are not those of other tests.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { makePlace, type Place, type PlaceOptions } from './place.ts';

const USUAL = process.env.HARDSHELL_RUNTIME_DIR;

/** In a `describe`: `runtime` is the folder of the running test, made with its first place. */
export function useOwnRuntime() {
  const places: Place[] = [];
  const own = {
    runtime: '',
    place(options: PlaceOptions = {}): Place {
      const made = makePlace(options);
      places.push(made);
      if (own.runtime === '') {
        own.runtime = join(made.base, 'runtime');
        mkdirSync(own.runtime, { mode: 0o700 });
        process.env.HARDSHELL_RUNTIME_DIR = own.runtime;
      }
      return made;
    },
  };
  beforeEach(() => {
    own.runtime = '';
  });
  afterEach(async () => {
    for (const made of places.splice(0)) await made.close();
    if (USUAL === undefined) delete process.env.HARDSHELL_RUNTIME_DIR;
    else process.env.HARDSHELL_RUNTIME_DIR = USUAL;
  });
  return own;
}
