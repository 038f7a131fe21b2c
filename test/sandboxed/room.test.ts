// The commands of a session that have the same rights share their processes, and only those do.

import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../contract/marks.ts';
import { hasProgram, makePlace, type Place, type PlaceOptions, whyNoKeeper, writeTree } from './place.ts';

const TIME_MS = 60_000;
const ROOM = 'readlink /proc/self/ns/pid';
const WORLD = process.env.HARDSHELL_RUNTIME_DIR;

describe.skipIf(process.platform !== 'linux' || whyNoKeeper !== null)('the commands of a room', () => {
  const places: Place[] = [];
  let runtime = '';

  function place(options: PlaceOptions = {}): Place {
    const made = makePlace(options);
    places.push(made);
    if (runtime === '') {
      runtime = join(made.base, 'runtime');
      mkdirSync(runtime, { mode: 0o700 });
      process.env.HARDSHELL_RUNTIME_DIR = runtime;
    }
    return made;
  }

  beforeEach(() => {
    runtime = '';
  });
  afterEach(async () => {
    for (const made of places.splice(0)) await made.close();
    if (WORLD === undefined) delete process.env.HARDSHELL_RUNTIME_DIR;
    else process.env.HARDSHELL_RUNTIME_DIR = WORLD;
  });

  test(
    'a process of a task is seen, found by its name and ended by the next command',
    async () => {
      const made = place();
      const task = await made.start('exec sleep 1001');
      const seen = await made.run('ps -eo args | grep "sleep 100[1]"');
      expect(seen).toMatchObject({ exitCode: 0, output: 'sleep 1001\n' });
      expect(await made.run('pkill -f "sleep 100[1]"')).toMatchObject({ exitCode: 0 });
      const ended = await (await made.shell.task(task.task))?.wait();
      expect(ended).toMatchObject({ exitCode: null, signal: 'SIGTERM' });
    },
    TIME_MS,
  );
});
