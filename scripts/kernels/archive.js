// Kernels and busybox of Debian's archive, from where this machine's apt takes its packages; nothing is installed.
// Package lists, downloads and unpacked kernels are kept in the cache folder.

import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { findKernels } from './package-list.js';
import { Unavailable } from './unavailable.js';

const FOLDER = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'hardshell-test-kernels');
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const SUITES = [
  'bullseye-security',
  'bookworm',
  'bookworm-security',
  'trixie',
  'trixie-security',
  'trixie-backports',
  'forky',
  'sid',
  'experimental',
];
const LISTS_LAST_MS = 24 * 60 * 60 * 1000;

/** Program → its package. */
const PROGRAMS = {
  'qemu-system-x86_64': 'qemu-system-x86',
  'apt-get': 'apt',
  'dpkg-deb': 'dpkg',
  setpriv: 'util-linux',
  xz: 'xz-utils',
};

export function requirePrograms() {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Unavailable(
      `The guests are x86-64 and use the files of this machine, which is ${process.platform}-${process.arch}.`,
    );
  const folders = `${process.env.PATH}:/usr/sbin:/sbin`.split(':');
  const missing = Object.keys(PROGRAMS).filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
  if (missing.length > 0)
    throw new Unavailable(
      `Not found: ${missing.join(', ')}.\nInstall with: apt-get install ${missing.map((name) => PROGRAMS[name]).join(' ')}`,
    );
}

/** With sources, lists and a cache of its own. */
function apt(program, argv, options = {}) {
  const settings = {
    'Dir::Etc::sourcelist': join(FOLDER, 'sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    'Dir::State': FOLDER,
    'Dir::State::lists': join(FOLDER, 'lists'),
    'Dir::State::status': join(FOLDER, 'status'),
    'Dir::Cache': join(FOLDER, 'cache'),
    'APT::Architecture': 'amd64',
    'APT::Architectures': 'amd64',
    'APT::Sandbox::User': userInfo().username,
    'Acquire::Languages': 'none',
    'Acquire::GzipIndexes': 'false',
  };
  const given = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  return execFileSync(program, [...given, ...argv], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });
}

/** Where apt finds Debian's archive. */
function findArchive() {
  const uris = execFileSync('apt-get', ['indextargets', '--format', '$(REPO_URI)'], { encoding: 'utf8' }).split('\n');
  const uri = uris.find((each) => /\/debian\/?$/.test(each));
  if (uri === undefined || !existsSync(KEYRING))
    throw new Unavailable(
      "Debian's archive is not among the sources of apt: the kernels come from there. Use a Debian system.",
    );
  return uri.replace(/\/debian\/?$/, '');
}

function updateLists(say) {
  const stamp = join(FOLDER, 'updated');
  if (existsSync(stamp) && Date.now() - statSync(stamp).mtimeMs < LISTS_LAST_MS) return;
  const archive = findArchive();
  for (const name of ['lists/partial', 'cache/archives/partial', 'kernels'])
    mkdirSync(join(FOLDER, name), { recursive: true });
  writeFileSync(join(FOLDER, 'status'), '');
  const lines = SUITES.map((suite) => {
    const part = suite.endsWith('-security') ? 'debian-security' : 'debian';
    return `deb [signed-by=${KEYRING}] ${archive}/${part} ${suite} main\n`;
  });
  writeFileSync(join(FOLDER, 'sources.list'), lines.join(''));
  say("reading Debian's package lists");
  try {
    apt('apt-get', ['update']);
  } catch (error) {
    // A suite that is gone; the others were read.
    say(`not all package lists could be read: ${String(error.stderr).trim().split('\n')[0]}`);
  }
  writeFileSync(stamp, '');
}

/** The newest kernel of each series. */
export function listKernels(say) {
  updateLists(say);
  const folder = join(FOLDER, 'lists');
  const files = readdirSync(folder).filter((name) => name.endsWith('_Packages'));
  const lists = files.map((name) => [
    /_dists_([^_]+)_/.exec(name)?.[1] ?? name,
    readFileSync(join(folder, name), 'utf8'),
  ]);
  const kernels = findKernels(Object.fromEntries(lists));
  if (kernels.length === 0) throw new Unavailable(`There are no kernels in the package lists in ${folder}.`);
  return kernels;
}

function unpack(packages, target) {
  if (existsSync(target)) return target;
  const draft = mkdtempSync(join(FOLDER, 'draft-'));
  try {
    mkdirSync(join(draft, 'root'));
    apt('apt-get', ['download', ...packages], { cwd: draft });
    for (const name of readdirSync(draft).filter((each) => each.endsWith('.deb')))
      execFileSync('dpkg-deb', ['-x', join(draft, name), join(draft, 'root')]);
    renameSync(join(draft, 'root'), target);
  } catch (error) {
    throw new Unavailable(
      `${packages.join(', ')} could not be downloaded: ${String(error.stderr ?? error.message).trim()}`,
    );
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return target;
}

/** The folder of an unpacked kernel. */
export function getKernel({ release, version, packages }, say) {
  const target = join(FOLDER, 'kernels', `${release}_${version}`);
  if (!existsSync(target)) say(`downloading ${release}`);
  return unpack(
    packages.map((name) => `${name}=${version}`),
    target,
  );
}

/** A static shell with the usual programs, for the first process of the guest. */
export function getBusybox() {
  const folder = unpack(['busybox-static'], join(FOLDER, 'busybox'));
  const found = ['bin/busybox', 'usr/bin/busybox'].map((name) => join(folder, name)).find((path) => existsSync(path));
  if (found === undefined) throw new Unavailable(`There is no busybox in ${folder}: delete that folder and try again.`);
  return found;
}
