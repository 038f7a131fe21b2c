#!/usr/bin/env node
// Starts the program in dist/program, which scripts/bundle.js makes, and keeps it compiled between starts.
// CommonJS on purpose: Node starts it a little quicker, and every millisecond counts once per command of an agent.
// Why it is done this way: docs/decisions/0010-cold-start.md.

const { existsSync, fstatSync, mkdirSync, readFileSync } = require('node:fs');

// Not `join`: Node would have to compile it first.
const ROOT = `${__dirname}/..`;
const PROGRAM = `${ROOT}/dist/program`;
const COMPILED = `${ROOT}/.cache/program`;
/** Exit codes of runs that failed early: they compiled little of what the next one needs. */
const FAILED = new Set([2, 70, 74, 125]);
/** The number of /dev/null: major 1, minor 3. */
const LINUX_NULL = 0x103;

const argv = process.argv.slice(2);
const form = formOf(argv);
/** The files of dist/program that were read, each with its script and its compiled form. */
const files = [];
const chunks = { __proto__: null };
const loaded = { __proto__: null };

// Node ends with 0 when nothing is left to wait for, even while we wait for an answer: that must never look like success.
process.once('beforeExit', failUnfinished);
process.exitCode = failureCode();
start()
  .catch((error) => fail(70, `Internal error: ${error.message}`))
  .then((ending) => {
    process.off('beforeExit', failUnfinished);
    // Agents read 2 as a refusal, and ignore any other failure of a hook.
    if (argv[0] === 'hook' && process.exitCode) process.exitCode = 2;
    if (ending?.isTypical) keepCompiled(ending);
    // Otherwise Node would collect garbage, wait for its threads and take everything down piece by piece.
    if (ending?.isFlushed) process.exit();
  });

async function start() {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`${JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')).version}\n`);
    process.exitCode = 0;
    return null;
  }
  if (!existsSync(`${PROGRAM}/main.cjs`))
    return fail(1, 'not built yet. Run `npm start -- --help` in the hardshell folder once.');
  // The forms that agents use for every command have separate entries.
  const plain = plainEntry(argv);
  const ending = plain === null ? null : await load(plain).runPlain(argv);
  return ending ?? load('./main/main').main(argv);
}

/** `check COMMAND`, `hook AGENT [--confine]`, `run [--yes | --ticket ID] COMMAND`; at a terminal, `run` has more to do. */
function plainEntry([verb, ...words]) {
  if (verb === 'run' && words.length === 3 && words[0] === '--ticket')
    return words[2].startsWith('-') ? null : './plain-run/plain-run';
  if (verb === 'run' && words.length === 2 && words[0] === '--yes') words.shift();
  if (verb === 'hook' && words.length === 2 && words[1] === '--confine') words.pop();
  if (words.length !== 1 || words[0].startsWith('-')) return null;
  if (verb === 'check' || verb === 'hook') return './plain/plain';
  return verb === 'run' && !mayBeTerminal() ? './plain-run/plain-run' : null;
}

/** Whether standard input is a device other than /dev/null. Asking Node for `isTTY` would load its streams. */
function mayBeTerminal() {
  const input = fstatSync(0);
  return input.isCharacterDevice() && !(process.platform === 'linux' && input.rdev === LINUX_NULL);
}

/** The cache has what the first run of its kind used: of a verb, or of its help. */
function formOf(words) {
  const isHelp = words.length === 0 || words.includes('--help') || words.includes('-h');
  return `${/^[a-z]+$/.test(words[0] ?? '') ? words[0] : 'program'}${isHelp ? '-help' : ''}`;
}

/** `require` of a chunk, which is a function in one of the files, or of a package. */
function load(id) {
  if (!id.startsWith('./')) return require(id);
  const name = id.slice(2);
  if (loaded[name] === undefined) {
    if (chunks[name] === undefined) open(name.slice(0, name.indexOf('/')));
    loaded[name] = { exports: {} };
    chunks[name](loaded[name].exports, load, loaded[name]);
  }
  return loaded[name].exports;
}

/** Reads a file of dist/program, and adds its chunks to the table. */
function open(name) {
  const path = `${PROGRAM}/${name}.cjs`;
  const text = readFileSync(path).latin1Slice();
  const digest = text.slice(2, 34);
  const compiled = `${COMPILED}/${digest}-${process.version}-${process.arch}/${form}-${name}`;
  let cachedData;
  try {
    cachedData = readFileSync(compiled);
  } catch {}
  const { Script } = require('node:vm');
  const script = new Script(text, { filename: path, cachedData });
  const isNew = cachedData === undefined || script.cachedDataRejected;
  if (isNew) setMachineCode('--no-sparkplug');
  files.push({ script, compiled, isNew });
  Object.assign(chunks, script.runInThisContext()(PROGRAM, moduleUrl, monotonicMs));
}

/** The address that a module of src/ has in dist/. */
function moduleUrl(place) {
  return require('node:url').pathToFileURL(`${ROOT}/dist/${place}`).href;
}

/** In place of `performance.now()`, from another starting point. */
function monotonicMs() {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

// V8 saves with a function that it became hot, and then compiles it to machine code on the first call: too early for a run of
// a few milliseconds. It rejects compiled code that was made under other options, so they are reset before it is saved.
function setMachineCode(option) {
  const hasOptions = process.execArgv.length > 0 || process.env.NODE_OPTIONS !== undefined;
  if (!hasOptions) require('node:v8').setFlagsFromString(option);
}

// The compiled form is next to the code: a user who can write there can change the code itself anyway, which is not true of
// a shared temp folder. If the folder cannot be written, the code is compiled on every start.
function keepCompiled({ rehearse }) {
  const fresh = files.filter(({ isNew }) => isNew);
  if (fresh.length === 0 || FAILED.has(process.exitCode)) return;
  const { readdirSync, renameSync, rmSync, writeFileSync } = require('node:fs');
  const { basename, dirname } = require('node:path');
  try {
    rehearse?.();
    setMachineCode('--sparkplug');
    const folder = dirname(fresh[0].compiled);
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    for (const { script, compiled } of fresh) {
      const draft = `${compiled}.${process.pid}`;
      try {
        writeFileSync(draft, script.createCachedData(), { flag: 'wx', mode: 0o644, flush: true });
        renameSync(draft, compiled);
      } finally {
        rmSync(draft, { force: true });
      }
    }
    for (const name of readdirSync(COMPILED))
      if (name !== basename(folder)) rmSync(`${COMPILED}/${name}`, { recursive: true, force: true });
  } catch {}
}

/** `run`: 125, so that it is not taken for the command's code. `hook`: 2, which agents read as a refusal; they ignore others. */
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
