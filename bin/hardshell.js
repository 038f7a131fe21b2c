#!/usr/bin/env node
// Starts the quick file for the verbs that are in it, the file of the server for `mcp`, and the whole program for the rest.
// CommonJS on purpose: Node starts it a little quicker, and every millisecond counts once per command of an agent.

const { existsSync, mkdirSync, readFileSync } = require('node:fs');
const { basename, dirname, join } = require('node:path');

const ROOT = join(__dirname, '..');
/** The verbs of src/surfaces/cli/verbs/quick.ts. */
const QUICK = new Set(['check', 'explain', 'analyze', 'hook']);

const argv = process.argv.slice(2);
start()
  .catch((error) => fail(70, `Internal error: ${error.message}`))
  .then(() => {
    // Agents read 2 as a refusal, and any other failure of a hook as no opinion.
    if (argv[0] === 'hook' && process.exitCode) process.exitCode = 2;
  });

async function start() {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`${JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version}\n`);
    return undefined;
  }
  // Asking people needs the whole program.
  const file = argv[0] === 'mcp' ? 'server' : QUICK.has(argv[0]) && !argv.includes('--ask') ? 'quick' : null;
  const quick = file === null ? null : loadQuick(file);
  if (quick !== null) return quick.main(argv);
  const cli = join(ROOT, 'dist/surfaces/cli/main.js');
  if (existsSync(cli)) {
    require('node:module').enableCompileCache?.(join(ROOT, '.cache/compile'));
    const { main } = await import(require('node:url').pathToFileURL(cli).href);
    return main(argv);
  }
  return fail(1, 'not built yet. Run `npm start -- --help` in the hardshell folder once.');
}

function fail(code, message) {
  process.stderr.write(`hardshell: ${message}\n`);
  process.exitCode = code;
}

/** The exports of one of the quick files, compiled before if it ever ran here; `null` when it was not built. */
function loadQuick(file) {
  const path = join(ROOT, `dist/quick/${file}.cjs`);
  let text;
  try {
    text = readFileSync(path, 'latin1');
  } catch {
    return null;
  }
  // One for each verb, and another where options must be read: what is kept is what the first such run needed.
  const isPlain = file === 'server' || (argv.length === 2 && !argv[1].startsWith('-'));
  const verb = isPlain ? argv[0] : `${argv[0]}-options`;
  const cache = join(ROOT, '.cache', file, `${text.slice(2, 34)}-${process.version}-${process.arch}-${verb}`);
  let cachedData;
  try {
    cachedData = readFileSync(cache);
  } catch {}
  const { Script } = require('node:vm');
  // The file is one function already: putting it into another text would copy it.
  const script = new Script(text, { filename: path, cachedData });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, require, module, path, join(ROOT, 'dist/quick'));
  if (cachedData === undefined || script.cachedDataRejected) {
    // A run that failed, or only showed help, compiled little: what it would keep is of no use to the next.
    process.once('exit', (code) => {
      if (code !== 2 && code !== 70 && module.exports.isTypical()) keepCompiled(script, cache);
    });
  }
  return module.exports;
}

// The compiled form lies beside the code: whoever can write there can change the code itself. A shared temp folder would
// trust more. Where the folder cannot be written, it is compiled every time.
function keepCompiled(script, cache) {
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
