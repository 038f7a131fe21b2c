// The cost of the filtering proxy: requests and bulk data of a client inside, through the real handover, compared with the same
// client outside that connects directly. The origin is a separate process.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { proxyEnvironment, variablesWithoutHosts } from '../../dist/confine/network/environment.js';
import { createProxy } from '../../dist/confine/network/proxy.js';
import { ratioRow } from './measure.js';
import { ENV, speedRow, startBash, takeTurns } from './turns.js';

const ORIGIN = fileURLToPath(new URL('./origin.js', import.meta.url));
const INSIDE_PORT = 3128;
const REQUESTS = 200;
const MAX_RATIO = 3;
const MIN_SPEED = 0.7;
/** npm, left to itself, gives up after a hundred times this. */
const MAX_REFUSAL_RATIO = 8;

// One client for all: a new connection per request, or one long answer. It reports its own duration in microseconds,
// so that its start, which is measured separately, does not count.
const CLIENT = `
const { request } = require('node:http');
const { connect } = require('node:net');
const [how, port, proxy, auth, path, count] = process.argv.slice(1);
const headers = { connection: 'close', ...(auth ? { 'proxy-authorization': auth } : {}) };
const origin = 'allowed.test:' + port;
const swallow = (stream, done) => stream.on('data', () => {}).on('end', done).on('error', fail);
const fail = (error) => { console.error(String(error)); process.exit(1); };
const plain = (done) => request({ host: '127.0.0.1', port, path, headers, agent: false }, (r) => swallow(r, done)).on('error', fail).end();
const forwarded = (done) => request({ host: '127.0.0.1', port: proxy, path: 'http://' + origin + path, headers: { ...headers, host: origin }, agent: false }, (r) => r.statusCode === 200 ? swallow(r, done) : fail(r.statusCode)).on('error', fail).end();
const tunnel = (done) => request({ host: '127.0.0.1', port: proxy, method: 'CONNECT', path: origin, headers, agent: false }).on('connect', (r, socket) => {
  if (r.statusCode !== 200) fail(r.statusCode);
  request({ createConnection: () => socket, path, headers: { host: origin, connection: 'close' } }, (a) => swallow(a, done)).on('error', fail).end();
}).on('error', fail).end();
const one = { plain, forwarded, tunnel }[how];
let left = Number(count);
let start;
const next = () => { if (left-- > 0) one(next); else console.log(Number(process.hrtime.bigint() - start) / 1e3); };
// The first one is not counted: it loads code that the others find loaded.
one(() => { start = process.hrtime.bigint(); next(); });
`;

function makeProxy(listen, port, credentials) {
  return createProxy({
    listen,
    domains: { allow: [`allowed.test:${port}`], deny: [] },
    allowAddresses: [`127.0.0.1:${port}`],
    resolve: async () => ['127.0.0.1'],
    ...(credentials && { credentials }),
  });
}

/** What a client needs to get out in each tier, and a function to undo it. */
async function openTier(tier, spec, port) {
  const withSpec = (more) => ({ ...spec, confinement: { ...spec.confinement, ...more } });
  if (tier !== 'landlock')
    return { proxyPort: INSIDE_PORT, auth: '', spec: withSpec({ proxyPort: INSIDE_PORT }), close: async () => {} };
  const credentials = { user: 'bench', password: 'bench' };
  const proxy = await makeProxy({ port: 0 }, port, credentials);
  const auth = `Basic ${Buffer.from('bench:bench').toString('base64')}`;
  const { port: proxyPort } = proxy;
  return { proxyPort, auth, spec: withSpec({ network: 'listed', proxyPort }), close: () => proxy.close() };
}

/** Runs the client; returns its microseconds. */
async function runClient(runner, argv, port, spec) {
  let proxy = null;
  const handle = startBash(runner, `exec node -e "$CLIENT" ${argv.map((each) => `'${each}'`).join(' ')}`, {
    env: { ...ENV, PATH: process.env.PATH, CLIENT },
    ...spec,
    onListener: async (server) => {
      proxy = await makeProxy({ server }, port);
    },
  });
  const { exitCode, output } = await handle.done;
  await proxy?.close();
  const text = (await output.read(0, 1000)).toString();
  if (exitCode !== 0) throw new Error(`the client ended with ${exitCode}: ${text}`);
  return Number(text);
}

/** The client's own time instead of the time until its end. */
async function takeClientTurns(contenders, rounds) {
  const samples = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  const timed = Object.entries(contenders).map(([name, work]) => [name, async () => samples[name].push(await work())]);
  await takeTurns(Object.fromEntries(timed), rounds, { warmUpRounds: 0 });
  return samples;
}

/** How soon npm gives up if no host is allowed; its own start is the measure. */
export async function measureRefusal(runner, specs, { rounds, cwd }) {
  const env = { ...ENV, PATH: process.env.PATH, HOME: cwd, npm_config_cache: `${cwd}/npm` };
  const run = async (command, isFailure, more = {}) => {
    const { exitCode, output } = await startBash(runner, command, { cwd, ...more, env: { ...env, ...more.env } }).done;
    if ((exitCode !== 0) === isFailure) return;
    throw new Error(`${command} ended with ${exitCode}: ${await output.read(0, 1000)}`);
  };
  const contenders = { start: () => run('npm --version', false) };
  const closings = [];
  for (const [tier, spec] of Object.entries(specs)) {
    const place = await openTier(tier, spec, 1);
    closings.push(place.close);
    const credentials = place.auth === '' ? {} : { credentials: { user: 'bench', password: 'bench' } };
    const more = {
      ...place.spec,
      env: { ...proxyEnvironment({ port: place.proxyPort, ...credentials }), ...variablesWithoutHosts({}) },
    };
    contenders[tier] = async () => {
      let proxy = null;
      const onListener = async (server) => {
        proxy = await makeProxy({ server }, 1);
      };
      await run('npm view hardshell --registry https://refused.test/', true, { ...more, onListener });
      await proxy?.close();
    };
  }
  const samples = await takeTurns(contenders, rounds).finally(async () => {
    for (const close of closings) await close();
  });
  return Object.keys(specs).map((tier) =>
    ratioRow(`npm, a refused host: ${tier} / npm --version`, samples[tier], samples.start, MAX_REFUSAL_RATIO),
  );
}

export async function measureNetwork(runner, specs, { rounds, bulkBytes }) {
  const origin = spawn(process.execPath, [ORIGIN], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await once(origin.stdout, 'data');
  const port = Number(line.toString());
  const rows = [];
  try {
    const small = ['/small', REQUESTS];
    const bulk = [`/bulk/${bulkBytes}`, 1];
    const requests = { direct: () => runClient(runner, ['plain', port, 0, '', ...small], port) };
    const bulks = { direct: () => runClient(runner, ['plain', port, 0, '', ...bulk], port) };
    const tiers = [];
    for (const [tier, spec] of Object.entries(specs)) {
      const place = await openTier(tier, spec, port);
      tiers.push(place);
      const through = (how, what) => () =>
        runClient(runner, [how, port, place.proxyPort, place.auth, ...what], port, place.spec);
      requests[tier] = through('forwarded', small);
      bulks[`${tier}, http`] = through('forwarded', bulk);
      bulks[`${tier}, tunnel`] = through('tunnel', bulk);
    }
    const times = await takeClientTurns(requests, rounds);
    const loads = await takeClientTurns(bulks, rounds);
    for (const tier of Object.keys(specs))
      rows.push(ratioRow(`a proxied request: ${tier} / direct`, times[tier], times.direct, MAX_RATIO));
    for (const name of Object.keys(bulks).slice(1))
      rows.push(speedRow(`bulk data: ${name} / direct`, loads[name], loads.direct, MIN_SPEED));
    for (const place of tiers) await place.close();
  } finally {
    origin.stdin.end();
  }
  return rows;
}
