// `npm run check [-- step …]`: lint, types, dead code and the package, each with its time; prints output only on failure.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ready, root } from './ready.js';

const REQUIRED = [
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'package.json',
  'bin/hardshell.js',
  'bin/package.json',
  'dist/index.js',
  'dist/program/main.cjs',
  'dist/index.d.ts',
  'dist/surfaces/dashboard/assets/page.html',
  'schema/settings.schema.json',
];
const ALLOWED =
  /^(?:LICENSE|README\.md|CHANGELOG\.md|package\.json|bin\/(?:[\w-]+\.js|package\.json)|docs\/.*\.md|schema\/[\w.-]+\.json|dist\/.*\.(?:js|d\.ts)|dist\/program\/(?:[\w-]+\.cjs|rows-\w+\.txt)|dist\/surfaces\/dashboard\/assets\/(?:page\.(?:html|css|js)|icon\.svg)|docs\/images\/[\w-]+\.png|dist\/native\/[\w-]+\/keeper(?:\.json)?)$/;

const steps = {
  lint: () => tool('@biomejs/biome/bin/biome', 'ci', '--colors=off'),
  types: () => tool('typescript/bin/tsc', '-p', 'tsconfig.check.json'),
  'dead-code': () => tool('knip/bin/knip.js'),
  publint: () => tool('publint/src/cli.js', '--strict'),
  'package-types': () => tool('@arethetypeswrong/cli/dist/index.js', '--pack', '.', '--profile', 'esm-only'),
  'package-contents': checkContents,
  'lock-file': checkLockFile,
};

function tool(script, ...argv) {
  return run(process.execPath, [join(root, 'node_modules', script), ...argv]);
}

function run(program, argv) {
  const { status, stdout, stderr, error } = spawnSync(program, argv, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  return { ok: status === 0, output: `${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}` };
}

function checkContents() {
  const packed = run('npm', ['pack', '--dry-run', '--json', '--loglevel=error']);
  if (!packed.ok) return packed;
  const [{ files }] = JSON.parse(packed.output.slice(packed.output.indexOf('[')));
  const paths = files.map((file) => file.path);
  const missing = REQUIRED.filter((path) => !paths.includes(path)).map((path) => `missing from the package: ${path}`);
  const foreign = paths.filter((path) => !ALLOWED.test(path) || path.includes('.test.'));
  const problems = [...missing, ...foreign.map((path) => `does not belong in the package: ${path}`)];
  return { ok: problems.length === 0, output: problems.join('\n') };
}

// The lock file must work with the registry of the reader's npm, and no dependency may need an install script.
async function checkLockFile() {
  const { default: lock } = await import('../package-lock.json', { with: { type: 'json' } });
  const problems = [];
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (entry.resolved) problems.push(`${path} names where it was fetched from`);
    // Packages for platforms that could not be fetched when the lock file was made are pinned by version only.
    if (path !== '' && !entry.integrity && !entry.optional) problems.push(`${path} has no integrity hash`);
    if (entry.hasInstallScript && !entry.dev) problems.push(`${path} has an install script`);
  }
  for (const [name, version] of Object.entries({
    ...lock.packages[''].dependencies,
    ...lock.packages[''].devDependencies,
  })) {
    if (!/^\d+\.\d+\.\d+$/.test(version)) problems.push(`${name} is not pinned: ${version}`);
  }
  return { ok: problems.length === 0, output: problems.join('\n') };
}

ready();
const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(steps);
let failed = 0;
for (const name of chosen) {
  if (!steps[name]) {
    process.stderr.write(`hardshell: unknown check: ${name}. Checks: ${Object.keys(steps).join(', ')}\n`);
    process.exit(2);
  }
  const started = Date.now();
  const { ok, output } = await steps[name]();
  process.stdout.write(
    `${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(18)} ${((Date.now() - started) / 1000).toFixed(1)} s\n`,
  );
  if (!ok) process.stdout.write(`${output.trimEnd()}\n`);
  failed += ok ? 0 : 1;
}
process.exitCode = failed > 0 ? 1 : 0;
