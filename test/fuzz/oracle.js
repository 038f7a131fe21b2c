// The oracle: real bash and sh in the confined runner. In: a program. Out: every argv that ran, and what changed.
// Refuses to start where namespaces or a compiler are missing: generated programs never run unconfined.

import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { REAL_PROGRAMS, stubNames } from './stubs.js';

/**
 * @typedef {{ id: string, parent: string, name: string, cwd: string, args: string[], isCut: boolean }} Execution
 * @typedef {{ kind: 'created' | 'modified' | 'deleted' | 'read', type: 'file' | 'folder' | 'link' | 'other', path: string }} Change
 * @typedef {{ outcome: 'exited' | 'killed' | 'timeout', status: number, rejected: boolean,
 *   executions: Execution[], changes: Change[] }} Observation
 * @typedef {{ space: string, uid: number, folder: string,
 *   run: (text: string, shell?: 'bash' | 'sh', limitMs?: number) => Promise<Observation>, close: () => Promise<void> }} Oracle
 */

export const WORK_FOLDER = '/w';
export const HOME_FOLDER = '/w/home';
/** The user that programs run as when the fuzzer itself is started by root; see confine.c. */
const ROOTLESS_UID = 60317;

const HERE = fileURLToPath(new URL('.', import.meta.url));
const OUTCOMES = /** @type {const} */ (['exited', 'killed', 'timeout']);
const KINDS = /** @type {const} */ ({ C: 'created', M: 'modified', D: 'deleted', R: 'read' });
const TYPES = /** @type {const} */ ({ f: 'file', d: 'folder', l: 'link', o: 'other' });

export class OracleUnavailable extends Error {}

/** @param {string} name */
function findProgram(name) {
  for (const folder of (process.env.PATH ?? '/usr/bin:/bin').split(delimiter)) {
    if (existsSync(join(folder, name))) return join(folder, name);
  }
  return null;
}

/** @param {string} folder */
function compile(folder) {
  const sources = ['runner.c', 'confine.c', 'folder.c'].map((name) => join(HERE, 'runner', name));
  const options = { stdio: /** @type {const} */ ('pipe') };
  try {
    execFileSync('cc', ['-O2', '-Wall', '-Wextra', '-o', join(folder, 'runner'), ...sources], options);
    execFileSync(
      'cc',
      ['-O2', '-Wall', '-Wextra', '-static', '-o', join(folder, 'stub'), join(HERE, 'runner', 'stub.c')],
      options,
    );
  } catch (error) {
    throw new OracleUnavailable(`the runner cannot be compiled: ${/** @type {Error} */ (error).message}`);
  }
}

/**
 * @param {readonly string[]} [more] further names that log and answer
 * @returns {Promise<Oracle>}
 */
export async function openOracle(more = []) {
  if (process.platform !== 'linux') throw new OracleUnavailable('the fuzzer needs Linux namespaces');
  const folder = mkdtempSync(join(tmpdir(), 'hardshell-fuzz-'));
  chmodSync(folder, 0o755);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const programs = REAL_PROGRAMS.flatMap((name) => {
    const path = findProgram(name);
    return path === null ? [] : [name, path];
  });
  if (!programs.includes('bash')) throw new OracleUnavailable('bash is not installed');
  try {
    compile(folder);
    mkdirSync(join(folder, 'root'), { mode: 0o755 });
    chmodSync(join(folder, 'root'), 0o777);
    writeFileSync(join(folder, 'names'), `${[...new Set([...stubNames(), ...more])].join('\n')}\n`);
    return await start(folder, programs);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/**
 * @param {string} folder
 * @param {string[]} programs
 * @returns {Promise<Oracle>}
 */
function start(folder, programs) {
  const paths = ['root', 'stub', 'names'].map((name) => join(folder, name));
  const child = spawn(join(folder, 'runner'), [...paths, ...programs], { stdio: ['pipe', 'pipe', 'pipe'], env: {} });
  /** @type {{ resolve: (observation: Observation) => void, reject: (error: Error) => void }[]} */
  const waiting = [];
  let space = '';
  let complaint = '';
  let pending = Buffer.alloc(0);
  child.stderr.on('data', (chunk) => {
    complaint += chunk;
  });
  child.stdin.on('error', () => {});
  const ended = new Promise((resolve) => child.once('close', resolve));

  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => {
      const error = new OracleUnavailable(complaint.trim() || 'the runner ended');
      reject(error);
      for (const waiter of waiting) waiter.reject(error);
    });
    const oracle = {
      get space() {
        return space;
      },
      uid: process.getuid?.() === 0 ? ROOTLESS_UID : (process.getuid?.() ?? -1),
      folder,
      /** @type {Oracle['run']} */
      run(text, shell = 'bash', limitMs = 400) {
        const body = Buffer.from(text);
        const head = Buffer.alloc(7);
        head.writeUInt32LE(body.length, 0);
        head.writeUInt8(shell === 'sh' ? 1 : 0, 4);
        head.writeUInt16LE(limitMs, 5);
        child.stdin.write(Buffer.concat([head, body]));
        return new Promise((answered, failed) => waiting.push({ resolve: answered, reject: failed }));
      },
      async close() {
        child.stdin.end();
        await ended;
        rmSync(folder, { recursive: true, force: true });
      },
    };
    child.stdout.on('data', (chunk) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      if (space === '') {
        if (pending.length < 8) return;
        space = pending.readBigUInt64LE(0).toString();
        pending = pending.subarray(8);
        resolve(oracle);
      }
      while (pending.length >= 4) {
        const size = pending.readUInt32LE(0);
        if (pending.length < 4 + size) break;
        waiting.shift()?.resolve(decode(pending.subarray(4, 4 + size)));
        pending = pending.subarray(4 + size);
      }
    });
  });
}

/**
 * @param {Buffer} reply
 * @returns {Observation}
 */
function decode(reply) {
  const logEnd = 7 + reply.readUInt32LE(3);
  /** @type {Execution[]} */
  const executions = [];
  for (let at = 7; at + 4 <= logEnd; ) {
    const size = reply.readUInt32LE(at);
    const [ids = '', path = '', cwd = '', ...args] = fields(reply.subarray(at + 4, Math.min(at + 4 + size, logEnd)));
    const [id = '', parent = ''] = ids.slice(1).split(' ');
    executions.push({ id, parent, name: path.slice(path.lastIndexOf('/') + 1), cwd, args, isCut: ids[0] === '+' });
    at += 4 + size;
  }
  const changes = fields(reply.subarray(logEnd)).map((field) => ({
    kind: KINDS[/** @type {'C'} */ (field[0])],
    type: TYPES[/** @type {'f'} */ (field[1])],
    path: `${WORK_FOLDER}/${field.slice(2)}`,
  }));
  return {
    outcome: OUTCOMES[reply.readUInt8(0)] ?? 'killed',
    status: reply.readUInt8(1),
    rejected: reply.readUInt8(2) === 1,
    executions,
    changes,
  };
}

/** @param {Buffer} bytes NUL-terminated texts */
function fields(bytes) {
  return bytes.toString('utf8').split('\0').slice(0, -1);
}
