// What the tests of approvals share: real processes that ask, and the command line that answers.

import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BIN, hostProgram } from '../programs.ts';

export { BIN };
export const HOST = hostProgram('approving');

/** A request as our own clients send it: with the key that is next to the socket. */
export function withKey(request: string, socketPath: string): string {
  const key = readFileSync(socketPath.replace(/sock$/, 'key'), 'utf8');
  return request.replaceAll(/^\{"v"/gm, `{"key":"${key}","v"`);
}

export interface Place {
  readonly folder: string;
  readonly env: Record<string, string>;
  remove(): void;
}

export function createPlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'hs-'));
  chmodSync(folder, 0o700);
  return {
    folder,
    env: { PATH: process.env.PATH ?? '', HOME: '/home/u', LANG: 'C.UTF-8', HARDSHELL_RUNTIME_DIR: join(folder, 'run') },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Output of a process as it comes, and the wait for a part of it. */
export interface Talk {
  readonly child: ChildProcess;
  read(): string;
  /** Standard output alone. */
  readOutput(): string;
  /** Rejects when the process ends without having said it. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<number | null>;
}

export function talk(program: string, args: readonly string[], env: Record<string, string>): Talk {
  const child = spawn(program, args, { env });
  let text = '';
  let output = '';
  const listeners = new Set<() => void>();
  const hear = (chunk: Buffer): void => {
    text += chunk;
    for (const listener of listeners) listener();
  };
  child.stdout.on('data', (chunk) => {
    output += chunk;
    hear(chunk);
  });
  child.stderr.on('data', hear);
  let isOver = false;
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', (status) => {
      isOver = true;
      for (const listener of listeners) listener();
      resolve(status);
    });
  });
  return {
    child,
    ended,
    read: () => text,
    readOutput: () => output,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(text);
          if (match === null && !isOver) return;
          listeners.delete(look);
          if (match === null) reject(new Error(`ended without ${pattern}: ${text}`));
          else resolve(match);
        };
        listeners.add(look);
        look();
      }),
  };
}

export interface HostTalk extends Talk {
  readonly ready: Promise<{ socket: string; codes: string[] }>;
  /** The events of a kind, once the process has ended. */
  all(kind: string): Promise<unknown[]>;
}

export function startHost(args: readonly string[], env: Record<string, string>): HostTalk {
  const host = talk(process.execPath, [HOST, ...args], env);
  return {
    ...host,
    ready: host.until(/\{"ready":(.*)\}$/m).then((match) => JSON.parse(match[1] as string)),
    async all(kind) {
      await host.ended;
      return host
        .readOutput()
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .flatMap((event) => (kind in event ? [event[kind]] : []));
    },
  };
}

export interface CliResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function runCli(args: readonly string[], env: Record<string, string>): Promise<CliResult> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [BIN, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.on('close', (status) => resolve({ status, stdout, stderr }));
  });
}
