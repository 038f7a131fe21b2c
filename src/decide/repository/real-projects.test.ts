// Hostile projects and the real programs: commands that are asked about do run code or delete files, ordinary ones pass.
// The hostile program only leaves a marker file.

import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, type TestContext, test } from 'vitest';
import { analyze } from '../../analyze/analyze.ts';
import { DEFAULT_CONTEXT, DEFAULT_POLICY } from '../../core/default-policy.ts';
import { createDiskProbe } from '../../local/disk.ts';
import { decide } from '../decide.ts';

let base = '';
let project = '';
let marker = '';

function run(command: string, environment: Readonly<Record<string, string>> = {}) {
  return spawnSync('/bin/bash', ['--norc', '--noprofile', '-p', '-c', command], {
    cwd: project,
    encoding: 'utf8',
    timeout: 30_000,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: base, ...environment },
  });
}

function verdictOf(command: string): string {
  const context = { ...DEFAULT_CONTEXT, cwd: project, home: base, probe: createDiskProbe(), canSetEnvironment: false };
  return decide(analyze(command, { cwd: project, variables: { HOME: base } }), DEFAULT_POLICY, context).decision;
}

function write(name: string, text: string): void {
  mkdirSync(dirname(join(project, name)), { recursive: true });
  writeFileSync(join(project, name), text);
}

function needs(program: string, context: TestContext): void {
  if (run(`command -v ${program}`).status !== 0) context.skip(`${program} is not installed`);
}

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'real-projects-')));
  project = join(base, 'project');
  marker = join(base, 'marker');
  mkdirSync(join(project, 'src'), { recursive: true });
  writeFileSync(join(base, 'evil'), `#!/bin/sh\ntouch '${marker}'\n`);
  chmodSync(join(base, 'evil'), 0o755);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe('hg', () => {
  const HOSTILE = {
    extension: () => `[extensions]\ne = ${base}/e.py\n`,
    hooks: () => `[hooks]\npre-status = ${base}/evil\npre-log = ${base}/evil\npre-root = ${base}/evil\n`,
    included: () => `%include ${base}/more\n`,
  };
  test.each([
    ['extension', 'hg status'],
    ['extension', 'hg --version'],
    ['extension', 'cd src && hg root'],
    ['extension', 'hg -R . log'],
    ['extension', 'cd / && hg cat "$OLDPWD/a"'],
    ['hooks', 'hg status'],
    ['included', 'hg log'],
  ] as const)('%s: %s runs it and is asked about', (setting, command) => {
    const isInstalled = run('command -v hg').status === 0;
    writeFileSync(join(base, 'e.py'), `open(${JSON.stringify(marker)}, 'w')\n`);
    writeFileSync(join(base, 'more'), HOSTILE.hooks());
    if (isInstalled) run('hg init && echo 1 > a && hg add a && hg commit -u a -m 1');
    write('.hg/hgrc', HOSTILE[setting]());
    if (isInstalled) {
      run(command);
      expect(existsSync(marker)).toBe(true);
    }
    expect(verdictOf(command)).toBe('ask');
  });

  test.each([
    'hg incoming',
    'hg outgoing',
    'hg id default',
    "hg log -r 'outgoing()'",
    `hg log -r "remote(tip,'../other')"`,
  ])('%s opens another repository, whose extensions run, and is asked about', (command) => {
    const isInstalled = run('command -v hg').status === 0;
    const other = join(base, 'other');
    mkdirSync(other);
    if (isInstalled) run('hg init && cd ../other && hg init && echo 1 > a && hg add a && hg commit -u a -m 1');
    write('.hg/hgrc', '[paths]\ndefault = ../other\n');
    writeFileSync(join(base, 'e.py'), `open(${JSON.stringify(marker)}, 'w')\n`);
    mkdirSync(join(other, '.hg'), { recursive: true });
    writeFileSync(join(other, '.hg/hgrc'), `[extensions]\ne = ${base}/e.py\n`);
    if (isInstalled) {
      run(command);
      expect(existsSync(marker)).toBe(true);
    }
    expect(verdictOf(command)).toBe('ask');
  });

  test('an ordinary repository is quiet', (context) => {
    needs('hg', context);
    run('hg init && echo 1 > a && hg add a && hg commit -u a -m 1');
    write('.hg/hgrc', '[paths]\ndefault = https://hg.example/x\n\n[ui]\nusername = a\n');
    expect(verdictOf('hg status && hg log -p && hg diff && cd src && hg id')).toBe('allow');
  });
});

describe('rustup', () => {
  test.each(['rustc --version', 'cargo --version', 'cargo --list', 'rustup --version'])(
    '%s runs the toolchain that the project names, and is asked about',
    (command) => {
      const tools = ['rustc', 'cargo'].map((name) => join(project, 'tc/bin', name));
      mkdirSync(join(project, 'tc/bin'), { recursive: true });
      mkdirSync(join(project, 'tc/lib'), { recursive: true });
      for (const tool of tools) cpSync(join(base, 'evil'), tool);
      write('rust-toolchain.toml', `[toolchain]\npath = "${project}/tc"\n`);
      expect(verdictOf(command)).toBe('ask');
      if (run('command -v rustup').status === 0) {
        run(command, { RUSTUP_HOME: process.env.RUSTUP_HOME ?? join(homedir(), '.rustup') });
        expect(existsSync(marker)).toBe(true);
      }
      write('rust-toolchain.toml', '[toolchain]\nchannel = "stable"\n');
      expect(verdictOf(command)).toBe('allow');
    },
  );
});

test('npm deletes logs that the project chooses, and is asked about', (context) => {
  needs('npm', context);
  write('package.json', '{"name": "x", "version": "1.0.0"}');
  write('d/2020-01-01T00_00_00_000Z-debug-0.log', 'x');
  write('.npmrc', '"\\u006cogs-dir"=d\nlogs-max=0\n');
  run('npm ls');
  expect(existsSync(join(project, 'd/2020-01-01T00_00_00_000Z-debug-0.log'))).toBe(false);
  expect(verdictOf('npm ls')).toBe('ask');
  write('.npmrc', 'save-exact=true\nregistry=https://registry.example/\n');
  expect(verdictOf('npm ls')).toBe('allow');
});

test('go asks git about the folder, and what git would run is asked about', (context) => {
  needs('go', context);
  needs('git', context);
  write('go.mod', 'module m\n');
  write('m.go', 'package main\n\nfunc main() {}\n');
  const identity = '-c user.name=a -c user.email=a@a.example';
  run(`git init -q && git add . && git ${identity} commit -qm 1`);
  expect(verdictOf('go list')).toBe('allow');
  run(`git config core.fsmonitor ${base}/evil`);
  run('go list', { GOFLAGS: '-buildvcs=true', GOCACHE: join(base, 'cache'), GOPATH: join(base, 'go') });
  expect(existsSync(marker)).toBe(true);
  expect(verdictOf('go list')).toBe('ask');
});

test('terraform starts a provider of the project, and is asked about', (context) => {
  const file = 'terraform-provider-evil_v1.0.0';
  const folder = '.terraform/providers/registry.terraform.io/hashicorp/evil/1.0.0/linux_amd64';
  write(
    'main.tf',
    'terraform {\n  required_providers {\n    evil = { source = "hashicorp/evil" }\n  }\n}\nresource "evil_x" "y" {}\n',
  );
  expect(verdictOf('terraform validate')).toBe('allow');
  mkdirSync(join(project, folder), { recursive: true });
  cpSync(join(base, 'evil'), join(project, folder, file));
  expect(verdictOf('terraform validate')).toBe('ask');
  expect(verdictOf('terraform fmt -check && terraform output')).toBe('allow');
  needs('terraform', context);
  const hash = run(
    `cd ${folder} && sha256sum ${file} | sha256sum | cut -d' ' -f1 | node -e 'process.stdout.write(Buffer.from(require("fs").readFileSync(0, "utf8").trim(), "hex").toString("base64"))'`,
  ).stdout;
  write(
    '.terraform.lock.hcl',
    `provider "registry.terraform.io/hashicorp/evil" {\n  version = "1.0.0"\n  hashes = ["h1:${hash}"]\n}\n`,
  );
  run('terraform validate', { CHECKPOINT_DISABLE: '1' });
  expect(existsSync(marker)).toBe(true);
});

test.each(['output', 'state list', 'show', 'graph', 'providers', 'workspace list'])(
  'terraform %s runs what the backend of the project names, and is asked about',
  (verb) => {
    const config = {
      ...{ bucket: 'b', key: 'k', region: 'us-east-1', profile: 'p', shared_config_files: [`${project}/aws`] },
      ...{ skip_credentials_validation: true, skip_requesting_account_id: true, skip_metadata_api_check: 'true' },
    };
    const settings = Object.entries(config).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
    write('main.tf', `terraform {\n  backend "s3" {\n${settings.join('\n')}\n  }\n}\n`);
    write('aws', `[profile p]\ncredential_process = ${base}/evil\n`);
    expect(verdictOf(`terraform ${verb}`)).toBe('allow');
    write('.terraform/terraform.tfstate', JSON.stringify({ version: 3, serial: 1, backend: { type: 's3', config } }));
    expect(verdictOf(`terraform ${verb}`)).toBe('ask');
    if (run('command -v terraform').status !== 0) return;
    run(`terraform ${verb}`, { CHECKPOINT_DISABLE: '1' });
    expect(existsSync(marker)).toBe(true);
  },
);

test('sqlite3 creates files next to a database with a log, and is asked about', (context) => {
  needs('sqlite3', context);
  run("sqlite3 plain.db 'create table t(a)'; sqlite3 log.db 'pragma journal_mode=wal; create table t(a)'");
  expect(existsSync(join(project, 'log.db-wal'))).toBe(false);
  run("sqlite3 -readonly log.db 'select * from t'; sqlite3 -readonly plain.db 'select * from t'");
  expect(['log.db-wal', 'plain.db-wal'].map((name) => existsSync(join(project, name)))).toEqual([true, false]);
  expect(verdictOf("sqlite3 -readonly log.db 'select * from t'")).toBe('ask');
  expect(verdictOf("sqlite3 -readonly plain.db 'select * from t'")).toBe('allow');
});

test('gpg creates a keyring if there is none, and is asked about', (context) => {
  needs('gpg', context);
  expect(verdictOf('gpg -k')).toBe('ask');
  run('gpg -k');
  expect(existsSync(join(base, '.gnupg/pubring.kbx'))).toBe(true);
  expect(verdictOf('gpg -k')).toBe('allow');
});
