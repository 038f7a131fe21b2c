// What hardshell itself runs, loads and trusts, where it lies in a folder that commands may change: the home folder as the
// workspace, and a project that has hardshell among its packages.

import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ownCode } from '../../src/sandbox/own-code.ts';
import { BIN } from '../approving/process.ts';
import { keeperUnderTest } from '../contract/keeper-under-test.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HAS_NAMESPACES = keeperUnderTest.isAvailable && canUnshare();

let folder = '';
let home = '';
let env: Record<string, string>;
beforeEach(() => {
  // Not below /tmp: there commands have a private folder.
  folder = mkdtempSync('/var/tmp/hardshell-own-');
  chmodSync(folder, 0o700);
  home = join(folder, 'home');
  mkdirSync(home);
  env = { PATH: process.env.PATH ?? '', HOME: home, LANG: 'C.UTF-8' };
});
// The keeper of a command that has ended may still be tidying up in it.
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

function canUnshare(): boolean {
  try {
    execFileSync('unshare', ['-Ur', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function run(cwd: string, args: readonly string[], bin = BIN) {
  const argv = [bin, 'run', '--yes', '--cwd', cwd, ...args];
  const answer = promisify(execFile)(process.execPath, argv, { env, timeout: 60_000 });
  return await answer.then(
    ({ stdout, stderr }) => ({ status: 0, stdout: `${stdout}${stderr}` }),
    ({ code, stdout, stderr }) => ({ status: code as number, stdout: `${stdout}${stderr}` }),
  );
}

test.skipIf(!keeperUnderTest.isAvailable)(
  'a background command in the home folder cannot exchange what the next command is started with',
  async () => {
    const mark = join(folder, 'outside');
    writeFileSync(join(home, 'evil'), `#!/bin/sh\necho "$0" >> ${mark}\n`, { mode: 0o755 });
    const attack = `for i in $(seq 400); do
      for name in .cache/hardshell/keeper* .cache/hardshell/*/keeper* $(ls .cache/hardshell); do
        cp evil next && mv -fT next "$name" || cp -f evil "$name"
        cp evil next && mv -fT next ".cache/hardshell/$name"
      done 2>/dev/null
      sleep 0.01
    done`;
    writeFileSync(join(home, 'attack.sh'), attack);
    await run(home, ['true']);
    const { stdout: started } = await run(home, ['--background', 'bash attack.sh']);
    for (let round = 0; round < 5; round += 1) await run(home, ['echo still here']);
    expect(existsSync(mark)).toBe(false);
    expect(await run(home, ['echo still here'])).toMatchObject({ stdout: 'still here\n' });
    // It would otherwise still write while its folder is removed.
    const [id = ''] = /bash-[a-z0-9]+/.exec(started) ?? [];
    await promisify(execFile)(process.execPath, [BIN, 'tasks', 'stop', id], { env, cwd: home });
  },
  120_000,
);

test.skipIf(!HAS_NAMESPACES)('a command in the home folder changes nothing that hardshell keeps there', async () => {
  mkdirSync(join(home, '.config/hardshell'), { recursive: true });
  writeFileSync(join(home, '.config/hardshell/settings.json'), '{}');
  await run(home, ['true']);
  const names = ['.config/hardshell', '.local/state/hardshell', '.local/state/hardshell/tasks', '.cache/hardshell'];
  const more = ['.cache/hardshell/caches', '.cache/hardshell/quarantine'];
  for (const name of [...names, ...more]) {
    expect(existsSync(join(home, name)), name).toBe(true);
    writeFileSync(join(home, 'try.sh'), `echo x > ${name}/made; mv ${name} elsewhere; ls -d ${name}`);
    const { stdout } = await run(home, ['bash try.sh']);
    expect(stdout).toContain('Read-only file system');
    expect(existsSync(join(home, name, 'made')), name).toBe(false);
  }
  writeFileSync(join(home, 'try.sh'), 'for i in .cache .local .config; do mv $i elsewhere; rm -rf $i; done');
  await run(home, ['bash try.sh']);
  expect(names.map((name) => existsSync(join(home, name)))).toEqual(names.map(() => true));
  // Its own caches are for it to change.
  expect(await run(home, ['echo x > "$XDG_CACHE_HOME/mine" && cat "$XDG_CACHE_HOME/mine"'])).toMatchObject({
    status: 0,
    stdout: 'x\n',
  });
});

test.skipIf(!HAS_NAMESPACES)(
  'a project that has hardshell among its packages cannot change it, nor the packages that it loads',
  async () => {
    const project = join(folder, 'project');
    const packages = join(project, 'node_modules');
    for (const name of ['bin', 'dist', 'package.json'])
      cpSync(join(ROOT, name), join(packages, 'hardshell', name), { recursive: true });
    const loaded = ownCode().filter((path) => path.includes(`${sep}node_modules${sep}`));
    const inPackages = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    for (const path of loaded) cpSync(path, join(packages, inPackages(path)), { recursive: true });
    const bin = join(packages, 'hardshell/bin/hardshell.js');
    expect(await run(project, ['echo works'], bin)).toMatchObject({ status: 0, stdout: 'works\n' });
    const files = [...loaded.map(inPackages), 'hardshell'].map((name) => join('node_modules', name, 'package.json'));
    expect(files.length).toBeGreaterThan(5);
    const before = files.map((file) => readFileSync(join(project, file), 'utf8'));
    const tries = files.flatMap((file) => [`echo evil >> ${file}`, `mv ${dirname(file)} gone`, `rm -f ${file}`]);
    const moving = [
      'mv node_modules other',
      'mkdir -p node_modules/hardshell/dist/evil',
      'echo x > node_modules/own.js',
    ];
    writeFileSync(join(project, 'try.sh'), [...tries, ...moving].join('\n'));
    const tried = await run(project, ['bash try.sh'], bin);
    expect(tried.stdout).toContain('Read-only file system');
    expect(files.map((file) => readFileSync(join(project, file), 'utf8'))).toEqual(before);
    expect(existsSync(join(packages, 'hardshell/dist/evil'))).toBe(false);
    // Nor by its name, which is a yes to other protected files.
    expect((await run(project, [`echo evil >> ${files[0]}; rm -f ${files[1]}`], bin)).stdout).toContain('Read-only');
    expect(files.map((file) => readFileSync(join(project, file), 'utf8'))).toEqual(before);
    // Other packages are the project's own.
    expect(readdirSync(packages)).toContain('own.js');
  },
  120_000,
);

test.skipIf(!HAS_NAMESPACES)(
  'nor where the packages are links, as pnpm makes them',
  async () => {
    const project = join(folder, 'project');
    const store = join(project, 'node_modules/.pnpm');
    const own = join(store, 'hardshell@1/node_modules');
    for (const name of ['bin', 'dist', 'package.json'])
      cpSync(join(ROOT, name), join(own, 'hardshell', name), { recursive: true });
    const names = ownCode()
      .filter((path) => path.startsWith(join(ROOT, 'node_modules')))
      .map((path) => path.slice(ROOT.length + 13));
    const placeOf = (name: string) => join(store, name.replace('/', '+'), 'node_modules');
    for (const name of names) cpSync(join(ROOT, 'node_modules', name), join(placeOf(name), name), { recursive: true });
    // Each finds what it needs beside itself.
    const links: string[] = [];
    for (const [name, place] of [['hardshell', own], ...names.map((each) => [each, placeOf(each)])] as [
      string,
      string,
    ][]) {
      const { dependencies = {} } = JSON.parse(readFileSync(join(place, name, 'package.json'), 'utf8'));
      for (const needed of Object.keys(dependencies)) {
        mkdirSync(dirname(join(place, needed)), { recursive: true });
        symlinkSync(join(placeOf(needed), needed), join(place, needed));
        links.push(join(place, needed));
      }
    }
    expect(links.length).toBeGreaterThan(5);
    const bin = join(own, 'hardshell/bin/hardshell.js');
    const result = JSON.parse((await run(project, ['--json', 'echo works'], bin)).stdout);
    expect(result).toMatchObject({ status: 'exited', output: 'works\n' });
    expect(result.enforcement.held).toContain('protected-existing');
    const tries = links.flatMap((link) => [`rm -f ${link}`, `ln -sfn /tmp ${link}`, `echo x >> ${link}/package.json`]);
    writeFileSync(join(project, 'try.sh'), tries.join('\n'));
    const before = links.map((link) => [readlinkSync(link), readFileSync(join(link, 'package.json'), 'utf8')]);
    expect((await run(project, ['bash try.sh'], bin)).stdout).toContain('Read-only file system');
    expect(links.map((link) => [readlinkSync(link), readFileSync(join(link, 'package.json'), 'utf8')])).toEqual(before);
  },
  120_000,
);
