// Files and settings that change while a room exists: the next command sees what it would see in a room that is made now.

import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Settings } from '../../src/config/settings.ts';
import { makePlace, outside, type Place, whyNoKeeper, writeTree } from './place.ts';

const TIME_MS = 60_000;
const WORLD = process.env.HARDSHELL_RUNTIME_DIR;

/** Every mount with its options, and what can be read, listed and written of some paths. */
const VIEW = `
cut -d' ' -f4-6 /proc/self/mountinfo | sort
for path in late.secret old.secret private private/key plain.txt migrations/1.sql sub sub/.git/config sub/.git/hooks \
  sub/.git/hooks/post-checkout .vscode .vscode/tasks.json link link/key ~/.aws ~/.aws/credentials ~/.config \
  ~/.config/gh ~/.config/gh/hosts.yml ~/.docker/config.json ~/.netrc ~/notes ~/notes/a; do
  echo "== $path"; cat "$path" 2>&1; ls -A "$path" 2>&1
  [ ! -f "$path" ] || { : >> "$path"; } 2>&1
  [ ! -d "$path" ] || { : > "$path/.written" && rm "$path/.written"; } 2>&1
done
true`;

interface Row {
  readonly name: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly settings?: Settings['sandbox'];
  readonly change: (place: Place) => void;
  /** In the view afterwards, and not before; or the other way round. */
  readonly shown?: string;
  readonly gone?: string;
  /** While a task runs, protected names that appear are removed, whoever creates them. */
  readonly isIdle?: true;
  /** What is hidden by its name outside of the project is absent at first, and looks empty in a new room. */
  readonly isAbsent?: true;
}

const deny = { filesystem: { denyRead: ['./late.secret', './old.secret', './private'] } };

function rewrite({ settingsFile }: Place, sandbox: Settings['sandbox']): void {
  writeFileSync(settingsFile, JSON.stringify({ mode: 'bypass', sandbox: { backend: 'keeper', ...sandbox } }));
}

const ROWS: readonly Row[] = [
  {
    name: 'a hidden file that is created',
    settings: deny,
    change: ({ project }) => writeFileSync(join(project, 'late.secret'), 'KEY\n'),
  },
  {
    name: 'a hidden file that is replaced',
    settings: deny,
    files: { 'old.secret': 'KEY=1\n' },
    change: ({ project }) => {
      writeFileSync(join(project, 'next'), 'KEY=2\n');
      renameSync(join(project, 'next'), join(project, 'old.secret'));
    },
  },
  {
    name: 'a hidden folder that is created',
    settings: deny,
    change: ({ project }) => writeTree(project, { 'private/key': 'KEY\n' }),
  },
  {
    name: 'a hidden folder that is removed and created again',
    settings: deny,
    files: { 'private/key': 'KEY=1\n' },
    change: ({ project }) => {
      rmSync(join(project, 'private'), { recursive: true });
      writeTree(project, { 'private/key': 'KEY=2\n' });
    },
  },
  {
    name: 'a link that leads to a hidden folder',
    settings: deny,
    files: { 'private/key': 'KEY\n', 'other/key': 'other\n' },
    change: ({ project }) => symlinkSync('private', join(project, 'link')),
  },
  {
    name: 'a credential in the home folder that is created',
    change: ({ home }) => writeTree(home, { '.aws/credentials': 'KEY\n' }),
    isAbsent: true,
  },
  {
    name: 'credentials in new folders of the home folder',
    change: ({ home }) =>
      writeTree(home, { '.config/gh/hosts.yml': 'KEY\n', '.docker/config.json': 'KEY\n', '.netrc': 'KEY\n' }),
    isAbsent: true,
  },
  {
    name: 'a setting that hides a file',
    files: { 'plain.txt': 'PLAIN\n' },
    change: (place) => rewrite(place, { filesystem: { denyRead: ['./plain.txt'] } }),
    gone: 'PLAIN',
  },
  {
    name: 'a setting that no longer hides a file',
    files: { 'old.secret': 'PLAIN\n' },
    settings: deny,
    change: (place) => rewrite(place, {}),
    shown: 'PLAIN',
  },
  {
    name: 'a setting that protects a folder',
    files: { 'migrations/1.sql': 'select 1;\n' },
    change: (place) => rewrite(place, { filesystem: { denyWrite: ['./migrations'] } }),
    shown: 'migrations/1.sql: Read-only file system',
  },
  {
    name: 'a setting that opens a folder',
    change: (place) => {
      mkdirSync(join(place.home, 'notes'));
      rewrite(place, { filesystem: { allowWrite: ['~/notes'] } });
    },
    shown: '/home/notes rw',
  },
  {
    name: 'a repository that is created',
    change: ({ project }) => {
      mkdirSync(join(project, 'sub'));
      outside('git', ['init', '-q'], join(project, 'sub'));
    },
    isIdle: true,
    shown: '.git/config: Read-only file system',
  },
  {
    name: 'settings of an editor that are created',
    change: ({ project }) => writeTree(project, { '.vscode/tasks.json': '{}\n' }),
    isIdle: true,
    shown: '.vscode/tasks.json: Read-only file system',
  },
];

describe.skipIf(process.platform !== 'linux' || whyNoKeeper !== null)('the view of a room', () => {
  let made: Place | null = null;

  beforeEach(() => {
    made = null;
  });
  afterEach(async () => {
    await made?.close();
    if (WORLD === undefined) delete process.env.HARDSHELL_RUNTIME_DIR;
    else process.env.HARDSHELL_RUNTIME_DIR = WORLD;
  });

  for (const { name, files = {}, settings = {}, change, shown, gone, isIdle = false, isAbsent = false } of ROWS)
    test(
      `after ${name}`,
      async () => {
        const place = makePlace({ settings: { sandbox: settings } });
        made = place;
        process.env.HARDSHELL_RUNTIME_DIR = join(place.base, 'runtime');
        mkdirSync(process.env.HARDSHELL_RUNTIME_DIR, { mode: 0o700 });
        writeTree(place.project, files);
        const view = async (session: string) => {
          const { enforcement, output } = await place.run(VIEW, { session });
          expect(enforcement.apart).toBeUndefined();
          return output.replace(/<sandbox_violations>.*/s, '');
        };
        // A process that stays, and a shell that waits.
        if (!isIdle) await place.start('exec sleep 60', { session: 'one' });
        await view('one');
        const before = await view('one');
        change(place);
        const after = await view('one');
        const fresh = await view('new');
        if (!isAbsent) expect(after).toBe(fresh);
        for (const each of [after, fresh]) expect(each).not.toMatch(/KEY/);
        if (shown !== undefined) expect([before.includes(shown), after.includes(shown)]).toEqual([false, true]);
        if (gone !== undefined) expect([before.includes(gone), after.includes(gone)]).toEqual([true, false]);
        // And again, from a shell that waited.
        expect(await view('one')).toBe(after);
      },
      TIME_MS,
    );
});
