// Runs a launch to its end with Node's spawn, for probes: its stderr, and how it ended.

import { execFile } from 'node:child_process';
import type { TryLaunch } from './backend.ts';

const PATIENCE_MS = 60_000;

export const tryLaunch: TryLaunch = ({ program, argv, cwd, env }) =>
  new Promise((resolve) => {
    const [, ...words] = argv;
    const settings = { cwd, env, timeout: PATIENCE_MS, killSignal: 'SIGKILL' } as const;
    const child = execFile(program, words, settings, (error, _, stderr) => {
      const text = stderr === '' ? (error?.message ?? '') : stderr;
      resolve({ exitCode: error === null ? 0 : (child.exitCode ?? null), text });
    });
  });
