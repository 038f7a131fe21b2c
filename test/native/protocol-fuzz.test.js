// The keeper against wrong frames, built with sanitizers: what is malformed ends the connection and nothing else.
// Fixed seeds and counts; HARDSHELL_FUZZ=N takes N times as many.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildNative, nativeFolder } from '../../scripts/build-native.js';
import { encodeFrame, FieldWriter, FrameReader } from '../../src/run/keeper/frames.ts';
import { IN, OUT } from '../../src/run/keeper/messages.ts';

const TIMES = Number(process.env.HARDSHELL_FUZZ ?? 1);
const PARSES = 150_000 * TIMES;
const CONNECTIONS = 100 * TIMES;
const TIMEOUT_MS = 60_000 + 30_000 * TIMES;
const hasCompiler = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;

let folder = '';
let keeper = '';
beforeAll(() => {
  if (!hasCompiler) return;
  folder = mkdtempSync(join(tmpdir(), 'hardshell-protocol-'));
  const built = buildNative(folder, { sanitize: true });
  if (!built.ok) throw new Error(built.reason);
  keeper = built.path;
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** @param {number} seed */
function makeRandom(seed) {
  let state = seed >>> 0;
  return (/** @type {number} */ limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

/** Bytes that spell no path and no name: whatever the keeper does with them, it runs and creates nothing.
 * @param {(limit: number) => number} random */
function randomBytes(random) {
  return Buffer.from(Array.from({ length: random(40) }, () => (random(4) ? 128 + random(128) : random(8))));
}

/** @param {(limit: number) => number} random @param {number} id */
function randomStart(random, id) {
  const fields = new FieldWriter();
  fields.text(7, random(12) ? '/bin/sleep' : '/bin/true');
  fields.text(6, random(12) ? '/' : 'relative');
  fields.text(4, 'sleep');
  fields.text(4, '0.01');
  if (random(2)) fields.u32(1, random(70));
  if (random(3) === 0) fields.text(8, join(folder, `spool-${id}-${random(1e9)}`));
  if (random(4) === 0) fields.u32(11, random(1 << 20));
  if (random(4) === 0) fields.u64(2, random(3000));
  if (random(4) === 0) fields.u32(20, random(200));
  if (random(4) === 0) fields.limit(12, random(10), random(1 << 30) + (1 << 20));
  if (random(4) === 0) fields.bytes(random(30), randomBytes(random));
  return fields.finish(IN.start, id);
}

/** @param {(limit: number) => number} random @param {number} id */
function randomFrame(random, id) {
  const kind = random(16);
  if (kind < 4) return randomStart(random, id);
  if (kind < 6)
    return encodeFrame(
      IN.kill,
      1 + random(id),
      Buffer.from([random(50) ? random(2) : random(256), 1 + random(64), 0, 0, 0]),
    );
  if (kind < 8) return encodeFrame(IN.stdin, 1 + random(id), Buffer.alloc(1 + random(5000), 'x'));
  if (kind === 8) return encodeFrame(IN.stdinEnd, 1 + random(id));
  if (kind === 9) return encodeFrame(IN.credit, 1 + random(id), Buffer.from([0, 0, random(256), 0]));
  if (kind === 10) return encodeFrame(IN.ping, 0, Buffer.alloc(random(66)));
  if (kind === 11) return encodeFrame(IN.detach, 1 + random(id));
  if (kind === 15) return encodeFrame(IN.proxy, 1 + random(id), Buffer.alloc(random(9) ? 12 : random(20), random(256)));
  if (kind === 14) return encodeFrame(IN.listening, 1 + random(id), Buffer.from(random(9) ? [random(3)] : [0, 0]));
  if (kind === 12) return random(9) ? Buffer.alloc(0) : encodeFrame(random(256), random(5), randomBytes(random));
  return random(9) ? Buffer.alloc(0) : randomBytes(random);
}

/** One keeper, one connection, frames until it hangs up or we do.
 * @param {Buffer[]} frames */
async function converse(frames) {
  const child = spawn(keeper, [], { env: {}, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
  const socket = /** @type {import('node:net').Socket} */ (child.stdio[3]);
  let stderr = '';
  let isAnswered = false;
  child.stderr?.on('data', (bytes) => {
    stderr += bytes;
  });
  socket.on('error', () => {});
  const reader = new FrameReader({
    onFrame: (frame) => {
      if (frame.type !== OUT.pong || frame.payload.toString() !== 'the end') return;
      isAnswered = true;
      socket.end();
    },
    onOutput: () => {},
  });
  socket.on('data', (/** @type {Buffer} */ bytes) => reader.push(bytes));
  const exited = once(child, 'exit');
  // In odd pieces: a frame must not need to come in one read.
  const bytes = Buffer.concat([...frames, encodeFrame(IN.ping, 0, Buffer.from('the end'))]);
  for (let at = 0; at < bytes.length; at += 1777) socket.write(bytes.subarray(at, at + 1777));
  const [code, signal] = await exited;
  return { code, signal, stderr, isAnswered };
}

describe.skipIf(!hasCompiler)('wrong frames', () => {
  test(
    'the parsers take no request that breaks their promises, and read nothing outside it',
    () => {
      const program = join(folder, 'parse-fuzz');
      const sources = ['frame.c', 'request.c', 'confine-request.c'].map((name) => join(nativeFolder, name));
      const source = fileURLToPath(new URL('./parse-fuzz.c', import.meta.url));
      const flags = ['-g', '-O1', '-fsanitize=address,undefined', '-fno-sanitize-recover=all'];
      execFileSync('cc', [...flags, '-o', program, source, ...sources]);
      const said = execFileSync(program, ['20240229', String(PARSES)], { encoding: 'utf8' });
      const [sound = 0, refused = 0, confined = 0] = said.match(/\d+/g)?.map(Number) ?? [];
      expect(sound).toBeGreaterThan(PARSES / 100);
      expect(refused).toBeGreaterThan(PARSES / 100);
      expect(confined).toBeGreaterThan(PARSES / 300);
    },
    TIMEOUT_MS,
  );

  test(
    'random frames end at most the connection, without a complaint of the sanitizers',
    async () => {
      const random = makeRandom(7);
      let answered = 0;
      for (let i = 0; i < CONNECTIONS; i += 1) {
        const frames = Array.from({ length: 1 + random(40) }, (_, id) => randomFrame(random, id + 1));
        const { isAnswered, ...end } = await converse(frames);
        expect({ connection: i, ...end }).toEqual({ connection: i, code: 0, signal: null, stderr: '' });
        answered += isAnswered ? 1 : 0;
      }
      // Otherwise every connection would have ended at its first frame, and little would have been tried.
      expect(answered).toBeGreaterThan(0);
      expect(answered).toBeLessThan(CONNECTIONS);
    },
    TIMEOUT_MS,
  );

  const ping = encodeFrame(IN.ping, 0);
  const wrong = {
    'a size of zero': Buffer.from([0, 0, 0, 0, 1, 0, 0, 0, 0]),
    'a size beyond the largest frame': Buffer.from([255, 255, 255, 255, 1, 1, 0, 0, 0]),
    'a large frame that is no START': Buffer.from([0, 0, 16, 0, 3, 1, 0, 0, 0]),
    'an unknown type': encodeFrame(99, 1),
    'a type that only the keeper sends': encodeFrame(OUT.exit, 1),
    'a task without a number': encodeFrame(IN.start, 0),
    'a kill with a wrong signal': encodeFrame(IN.kill, 1, Buffer.from([1, 65, 0, 0, 0])),
    'a kill that is too short': encodeFrame(IN.kill, 1, Buffer.from([0])),
    'credit beyond all bounds': encodeFrame(IN.credit, 1, Buffer.from([255, 255, 255, 255])),
  };
  for (const [name, frame] of Object.entries(wrong))
    test(`${name} ends the connection`, async () => {
      expect(await converse([ping, frame])).toEqual({ code: 0, signal: null, stderr: '', isAnswered: false });
    });

  test('a valid frame with an invalid request is refused, and the connection continues', async () => {
    const fields = new FieldWriter();
    fields.text(7, 'true');
    expect(await converse([fields.finish(IN.start, 1)])).toMatchObject({ code: 0, stderr: '', isAnswered: true });
  });
});
