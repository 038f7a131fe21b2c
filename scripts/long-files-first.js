// Vitest sequencer: the files that take longest start first, so that no run ends with one of them alone on a processor.
// Vitest itself knows this only from an earlier run, and otherwise goes by size.

import { existsSync } from 'node:fs';
import { BaseSequencer } from 'vitest/node';

/** Longest first. */
const LONG = [
  'test/attacks/rows-as-user.test.ts',
  'test/attacks/rows-as-root.test.ts',
  'test/run/lost.test.ts',
  'test/attacks/room.test.ts',
  'test/run/measured.test.ts',
  'test/attacks/visit.test.ts',
  'test/sandboxed/left-behind.test.ts',
  'test/fuzz/fuzz.test.js',
  'test/attacks/network.test.ts',
  'test/mcp/approval.test.ts',
  'test/native/protocol-fuzz.test.js',
  'test/understanding/confirmed.test.js',
  'test/sandboxed/managed.test.ts',
  'test/dashboard/hostile.test.ts',
  'test/sandboxed/real-work.test.ts',
  'test/docs.test.ts',
  'test/recording/processes.test.ts',
  'src/decide/repository/real-projects.test.ts',
  'test/contract/confined-runner.test.ts',
  'test/contract/runner.test.ts',
  'test/mcp/running.test.ts',
  'test/recording/settings.test.ts',
  'test/install/packed.test.ts',
  'test/doctor/diagnose.test.ts',
  'test/run/undone.test.ts',
  'test/dashboard/commands.test.ts',
  'test/dashboard/page.test.ts',
];

const gone = LONG.filter((name) => !existsSync(new URL(`../${name}`, import.meta.url)));
if (gone.length > 0) throw new Error(`scripts/long-files-first.js names files that are gone: ${gone.join(', ')}`);

export default class LongFilesFirst extends BaseSequencer {
  async sort(files) {
    const usual = await super.sort(files);
    const rank = ({ moduleId }) => {
      const place = LONG.findIndex((name) => moduleId.endsWith(`/${name}`));
      return place === -1 ? LONG.length : place;
    };
    return usual.toSorted((a, b) => rank(a) - rank(b));
  }
}
