// Projects as attackers: program → files of the project that make it run code → commands. Each command that may run that
// code is asked about; those that are allowed run for real in a temporary folder, where the code would only leave a marker.

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { analyze } from '../../src/analyze/analyze.ts';
import { DEFAULT_CONTEXT, DEFAULT_POLICY } from '../../src/core/default-policy.ts';
import { decide } from '../../src/decide/decide.ts';
import { createDiskProbe } from '../../src/local/disk.ts';
import { drawProjects, type HostileProject } from './hostile-projects-document.ts';

const PROJECTS: readonly HostileProject[] = JSON.parse(
  readFileSync(new URL('./hostile-projects.json', import.meta.url), 'utf8'),
);

let base = '';
let project = '';
let marker = '';

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'hostile-project-')));
  project = join(base, 'project');
  marker = join(base, 'marker');
  mkdirSync(project);
  const evil = join(base, 'evil');
  writeFileSync(evil, `#!/bin/sh\necho ran > '${marker}'\n`);
  chmodSync(evil, 0o755);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function writeProject({ files, executable = [] }: HostileProject): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text.replaceAll('EVIL', join(base, 'evil')));
  }
  for (const name of executable) chmodSync(join(project, name), 0o755);
}

function verdictOf(command: string): string {
  const context = { ...DEFAULT_CONTEXT, cwd: project, home: base, probe: createDiskProbe(), canSetEnvironment: false };
  return decide(analyze(command, { cwd: project, variables: { HOME: base } }), DEFAULT_POLICY, context).decision;
}

function run(command: string): void {
  spawnSync('/bin/bash', ['--norc', '--noprofile', '-p', '-c', command], {
    cwd: project,
    timeout: 30_000,
    killSignal: 'SIGKILL',
    stdio: 'ignore',
    env: { PATH: process.env.PATH, HOME: base },
  });
}

describe.each(PROJECTS)('$program', (row) => {
  test('commands that may run code of the project are asked about', () => {
    writeProject(row);
    expect(row.asked.filter((command) => verdictOf(command) === 'allow')).toEqual([]);
  });

  test('commands that are allowed run none of it', () => {
    writeProject(row);
    expect(row.allowed.filter((command) => verdictOf(command) !== 'allow')).toEqual([]);
    for (const command of row.allowed) {
      run(command);
      expect(existsSync(marker), command).toBe(false);
    }
  });
});

test('docs/understanding.md has the table', () => {
  const path = new URL('../../docs/understanding.md', import.meta.url);
  const document = readFileSync(path, 'utf8');
  const written = drawProjects(document, PROJECTS);
  if (process.env.UPDATE_DOCS) writeFileSync(path, written);
  else expect(document).toBe(written);
});
