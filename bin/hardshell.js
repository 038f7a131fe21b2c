#!/usr/bin/env node
// Starts the quick file for the verbs that are in it, the file of the server for `mcp`, and the whole program for the rest.
// CommonJS on purpose: Node starts it a little quicker, and every millisecond counts once per command of an agent.

const { existsSync, mkdirSync, readFileSync } = require('node:fs');

// Not `join`: Node would have to compile it first.
const ROOT = `${__dirname}/..`;
/** The verbs of src/surfaces/cli/verbs/quick.ts. */
const QUICK = new Set(['check', 'explain', 'analyze', 'hook']);
/** Those of them that have a form without options, which is in a file of its own. */
const PLAIN = new Set(['check', 'hook']);

const argv = process.argv.slice(2);
// Node ends with 0 when nothing is left to wait for, even while we wait for an answer: that must never look like success.
process.once('beforeExit', failUnfinished);
process.exitCode = failureCode();
start()
  .then((isDone) => {
    process.off('beforeExit', failUnfinished);
    return isDone;
  })
  .catch((error) => fail(70, `Internal error: ${error.message}`))
  .then((isDone) => {
    // Agents read 2 as a refusal, and any other failure of a hook as no opinion.
    if (argv[0] === 'hook' && process.exitCode) process.exitCode = 2;
    // Otherwise Node would collect garbage, wait for its threads and take everything down piece by piece.
    if (isDone === true) process.exit();
  });

/** Gives `true` when everything is written, and nothing is left to wait for. */
async function start() {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`${JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')).version}\n`);
    process.exitCode = 0;
    return false;
  }
  // Asking people needs the whole program.
  if (QUICK.has(argv[0]) && !argv.includes('--ask')) {
    const isPlain = argv.length === 2 && PLAIN.has(argv[0]) && !argv[1].startsWith('-');
    const form = isPlain ? load('plain', argv[0])?.plainForm(argv) : null;
    if (form) return form();
    const quick = load('quick', `${argv[0]}-options`);
    if (quick !== null) return quick.main(argv);
  }
  if (argv[0] === 'mcp') {
    const server = load('server', 'mcp');
    if (server !== null) return server.main(argv);
  }
  const cli = `${ROOT}/dist/surfaces/cli/main.js`;
  if (existsSync(cli)) {
    require('node:module').enableCompileCache?.(`${ROOT}/.cache/compile`);
    const { main } = await import(require('node:url').pathToFileURL(cli).href);
    return main(argv);
  }
  return fail(1, 'not built yet. Run `npm start -- --help` in the hardshell folder once.');
}

/** `run` has 125 for failures that are not the command's. To agents 2 of a hook is a refusal; anything else is no opinion. */
function failureCode() {
  return argv[0] === 'run' ? 125 : argv[0] === 'hook' ? 2 : 70;
}

function failUnfinished() {
  const message = 'Internal error: hardshell stopped before it was done; what it was doing may be unfinished.';
  if (['--json', '--stream', '--batch'].some((option) => argv.includes(option))) {
    const error = { code: 'internal', message, hint: null };
    process.stdout.write(`${JSON.stringify({ schemaVersion: 1, error })}\n`);
  }
  fail(failureCode(), message);
}

function fail(code, message) {
  process.stderr.write(`hardshell: ${message}\n`);
  process.exitCode = code;
}

/** The exports of a file of dist/quick, compiled before if it ever ran here; `null` when it was not built. */
function load(name, form) {
  const path = `${ROOT}/dist/quick/${name}.cjs`;
  let text;
  try {
    text = readFileSync(path).latin1Slice();
  } catch {
    return null;
  }
  // One for each verb, and another where options must be read: what is kept is what the first such run needed.
  const cache = `${ROOT}/.cache/quick/${text.slice(2, 34)}-${process.version}-${process.arch}-${form}`;
  let cachedData;
  try {
    cachedData = readFileSync(cache);
  } catch {}
  const { Script } = require('node:vm');
  // The file is one function already: putting it into another text would copy it.
  const script = new Script(text, { filename: path, cachedData });
  const module = { exports: {} };
  const isNew = cachedData === undefined || script.cachedDataRejected;
  const isShort = name !== 'server';
  if (isNew && isShort) setMachineCode('--no-sparkplug');
  script.runInThisContext()(module.exports, require, module, path, `${ROOT}/dist/quick`);
  if (isNew) {
    // A run that failed, or only showed help, compiled little: what it would keep is of no use to the next.
    process.once('exit', (code) => {
      if (code === 2 || code === 70 || !module.exports.isTypical()) return;
      module.exports.rehearse?.();
      if (isShort) setMachineCode('--sparkplug');
      keepCompiled(script, cache);
    });
  }
  return module.exports;
}

// V8 keeps with a function that it became hot, and then makes machine code of it when it is first called: too early for a
// run of a few milliseconds. It takes no compiled form that was made under other options, so they are given back in time.
function setMachineCode(option) {
  const hasOptions = process.execArgv.length > 0 || process.env.NODE_OPTIONS !== undefined;
  if (!hasOptions) require('node:v8').setFlagsFromString(option);
}

// The compiled form lies beside the code: whoever can write there can change the code itself. A shared temp folder would
// trust more. Where the folder cannot be written, it is compiled every time.
function keepCompiled(script, cache) {
  const { basename, dirname, join } = require('node:path');
  const { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } = require('node:fs');
  const fresh = `${cache}.${process.pid}`;
  try {
    mkdirSync(dirname(cache), { recursive: true, mode: 0o755 });
    const file = openSync(fresh, 'wx', 0o644);
    try {
      writeFileSync(file, script.createCachedData());
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(fresh, cache);
    const digest = basename(cache).slice(0, 32);
    for (const name of readdirSync(dirname(cache))) {
      if (!name.startsWith(digest)) rmSync(join(dirname(cache), name), { force: true });
    }
  } catch {
    try {
      rmSync(fresh, { force: true });
    } catch {}
  }
}
