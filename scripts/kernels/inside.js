// Runs in a guest, as the user of the row: the doctor, first commands, and attacks. Prints each part as a line of JSON.
// What the parts mean for the row is decided outside, by outcome.js.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMMANDS, LIMIT_COMMANDS } from './commands.js';
import { prepareProject } from './project.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BIN = join(ROOT, 'bin/hardshell.js');

const { attacks, pattern, hasLimits } = JSON.parse(process.argv[2]);

function print(part, fields) {
  process.stdout.write(`${JSON.stringify({ part, ...fields })}\n`);
}

function read(path) {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}

/** landlock_create_ruleset(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION); 0 if there is no Landlock. */
function readLandlockAbi() {
  const { stdout } = spawnSync('perl', ['-e', 'print syscall(444, 0, 0, 1)'], { encoding: 'utf8' });
  return Math.max(0, Number(stdout));
}

function describeKernel() {
  return {
    release: read('/proc/sys/kernel/osrelease'),
    landlockAbi: readLandlockAbi(),
    securityModules: read('/sys/kernel/security/lsm'),
    ptraceScope: read('/proc/sys/kernel/yama/ptrace_scope'),
  };
}

function diagnose(cwd) {
  const started = Date.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, 'doctor', '--json'], { cwd, encoding: 'utf8' });
  try {
    return { exitCode: status, diagnosis: JSON.parse(stdout), ms: Date.now() - started };
  } catch {
    return { exitCode: status, diagnosis: null, said: `${stdout}${stderr}`.slice(0, 2000) };
  }
}

function attack() {
  const file = join(mkdtempSync(join(tmpdir(), 'report-')), 'tests.json');
  const options = [
    '--reporter=json',
    `--outputFile=${file}`,
    '--maxWorkers=2',
    '--testTimeout=180000',
    '--hookTimeout=180000',
  ];
  const argv = [
    join(ROOT, 'node_modules/vitest/vitest.mjs'),
    'run',
    ...attacks,
    ...options,
    ...(pattern ? ['-t', pattern] : []),
  ];
  const started = Date.now();
  const { stdout, stderr } = spawnSync(process.execPath, argv, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 26 });
  const text = read(file);
  if (text === null) return { tests: null, said: `${stdout}${stderr}`.slice(-3000) };
  const tests = JSON.parse(text).testResults.flatMap(({ name, status, message, assertionResults }) => {
    const shown = name.slice(ROOT.length);
    const whole = status === 'failed' && !assertionResults.some((each) => each.status === 'failed');
    return [
      ...(whole ? [{ file: shown, group: '', name: 'the whole file', status, why: message }] : []),
      ...assertionResults.map(({ ancestorTitles, title, status: state, failureMessages }) => ({
        file: shown,
        group: ancestorTitles.join(' '),
        name: title,
        status: state,
        ...(state === 'failed' && { why: failureMessages.join('\n').slice(0, 1500) }),
      })),
    ];
  });
  return { tests, ms: Date.now() - started };
}

print('kernel', describeKernel());
const project = prepareProject();
print('doctor', diagnose(project));
for (const { name, perform } of [...COMMANDS, ...(hasLimits ? LIMIT_COMMANDS : [])]) {
  const started = Date.now();
  const problem = await perform({ project, node: process.execPath, bin: BIN }).catch((error) => error.stack);
  print('command', { name, problem, ms: Date.now() - started });
}
if (attacks.length > 0) print('attacks', attack());
