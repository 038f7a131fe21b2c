import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { performVerb } from './verbs.ts';

test('a keeper that was killed: the message says so, and how to complete what it did', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stage-verbs-'));
  const program = join(folder, 'keeper');
  writeFileSync(program, '#!/bin/sh\nkill -9 $$\n', { mode: 0o755 });
  try {
    await expect(performVerb(program, 'undo', { id: 'bash-aaaa', folder, roots: [] })).rejects.toMatchObject({
      message: 'Cannot undo bash-aaaa: the keeper was ended by SIGKILL.',
      hint: 'Nothing is lost. Complete it: hardshell undo bash-aaaa',
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
