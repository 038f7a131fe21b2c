// pnpm and yarn load code named by the project before they parse their arguments. A command that only prints, in a
// project without such code, is read-only. These are allowlists; anything else is not harmless.

import { posix } from 'node:path';
import type { CommandFact } from '../../core/facts.ts';
import type { Probe } from '../../core/probe.ts';
import { type WordSet, wordSet } from '../../core/values/once.ts';
import type { Subject } from '../check.ts';
import { isHarmlessDevice } from '../paths/tables/public-places.ts';
import { type Disk, hasPackageManager } from './installed-versions.ts';

const LIMIT_BYTES = 262_144;
const PACKAGE_NAME = /^(?:@[\w.-]+\/)?[\w][\w.-]*$/;
const SETTING_NAME = /^[\w][\w.-]*$/;
/** Anything else may be an address. */
const PLAIN_VERSION = /^(npm|pnpm|yarn)@(\d+\.\d+\.\d+(?:-[\w.]+)?)(?:\+sha\d+\.[0-9a-f]+)?$/;
/** It selects where corepack fetches the manager from, and whether that is verified. */
const COREPACK_SETTINGS = '.corepack.env';

interface Manager {
  /** Subcommand → the required form of its operands; `null`: it has none. */
  readonly subcommands: Readonly<Record<string, RegExp | null>>;
  readonly options: WordSet;
  /** Their presence alone means code. */
  readonly codeFiles: readonly string[];
  /** File → top-level names that run nothing. */
  readonly settingsFiles: Readonly<Record<string, WordSet>>;
  /** Files of the user, with the names that would run code. */
  readonly homeFiles: readonly string[];
}

const MANAGERS: Readonly<Record<string, Manager>> = {
  pnpm: {
    subcommands: {
      list: PACKAGE_NAME,
      ls: PACKAGE_NAME,
      ll: PACKAGE_NAME,
      la: PACKAGE_NAME,
      why: PACKAGE_NAME,
      root: null,
      bin: null,
    },
    options: wordSet(
      '--depth --json --long --parseable -P --prod -D --dev -r --recursive -g --global --version -v --no-color',
    ),
    codeFiles: [COREPACK_SETTINGS, '.pnpmfile.cjs', '.pnpmfile.mjs', 'pnpmfile.js', 'pnpmfile.cjs', '.pnpmfile.js'],
    settingsFiles: {
      '.npmrc': wordSet(
        `strict-peer-dependencies auto-install-peers shamefully-hoist node-linker public-hoist-pattern[] hoist hoist-pattern[]
        save-exact save-prefix engine-strict fund audit legacy-peer-deps package-lock link-workspace-packages
        prefer-workspace-packages shared-workspace-lockfile resolution-mode side-effects-cache loglevel progress
        update-notifier ignore-scripts dedupe-peer-dependents save-workspace-protocol prefer-frozen-lockfile`,
      ),
      'pnpm-workspace.yaml': wordSet(
        `packages catalog catalogs onlyBuiltDependencies ignoredBuiltDependencies neverBuiltDependencies overrides
        linkWorkspacePackages nodeLinker autoInstallPeers strictPeerDependencies saveExact savePrefix shamefullyHoist
        publicHoistPattern minimumReleaseAge allowBuilds peerDependencyRules`,
      ),
    },
    homeFiles: ['.npmrc', '.config/pnpm/rc', '.pnpmfile.cjs'],
  },
  yarn: {
    subcommands: { list: null, why: PACKAGE_NAME, bin: null, versions: null, config: SETTING_NAME },
    options: wordSet('--version -v --depth --json --no-color --silent -s --pattern'),
    codeFiles: [COREPACK_SETTINGS, '.pnp.cjs', '.pnp.js', '.pnp.loader.mjs'],
    settingsFiles: {
      '.yarnrc.yml': wordSet(
        `nodeLinker enableTelemetry enableGlobalCache compressionLevel enableImmutableInstalls enableProgressBars
        defaultSemverRangePrefix enableScripts nmHoistingLimits nmMode preferInteractive checksumBehavior
        enableMessageNames enableColors pnpMode telemetryInterval`,
      ),
      '.yarnrc': wordSet('lastUpdateCheck save-prefix network-timeout strict-ssl version-tag-prefix'),
    },
    homeFiles: ['.yarnrc.yml', '.yarnrc'],
  },
};

const RUNS_CODE_AT_HOME = /pnpmfile|yarn-?path|plugins|node-?options|script-?shell/i;
const TRANSPARENT = /^(?:\$\( \)|\( \)|timeout|nice|time|command)$/;
const CHANGES_SETTINGS = /npm_config|yarn_|node_options|corepack|pnpm_/i;

/** True only if the command is known to print, and the disk has nothing that runs first. */
export function isReadOnlyOnDisk(command: CommandFact, subject: Subject): boolean {
  const { probe, home } = subject.context;
  const manager = command.name !== null && Object.hasOwn(MANAGERS, command.name) ? MANAGERS[command.name] : undefined;
  if (manager === undefined || probe === null || command.cwd === null || command.cwd.length === 0) return false;
  if (!hasPlainEffects(command) || !hasPlainWords(command, manager)) return false;
  // Variables are settings too, wherever they are set in the line.
  if (CHANGES_SETTINGS.test(subject.facts.command) || command.assignments.length > 0) return false;
  if (home === null || manager.homeFiles.some((name) => !isQuietAtHome(posix.join(home, name), probe))) return false;
  const script = command.invocation?.path[1] ?? null;
  return command.cwd.every((cwd) => isQuietFrom(cwd, script, manager, { probe, home }));
}

function hasPlainEffects({ argv, effects, elsewhere, via }: CommandFact): boolean {
  const { writes, deletes, network, executes, privilege, changes, discloses, unknown } = effects;
  const others = [deletes, discloses, unknown, isVersionQuestion(argv) ? [] : network];
  if (elsewhere !== null || privilege || others.some((list) => list.length > 0)) return false;
  // In its table `yarn config` may change settings; the words are checked below.
  if (changes.length > 1 || !writes.every(({ path }) => path !== null && isHarmlessDevice(path))) return false;
  return (
    executes.every(({ kind, text }) => kind === 'hook' && text === null) && via.every((each) => TRANSPARENT.test(each))
  );
}

function hasPlainWords({ name, invocation, effects, argv }: CommandFact, manager: Manager): boolean {
  if (invocation === null || !invocation.isCertain || invocation.leading.length > 0) return false;
  if (!invocation.options.every(({ names }) => names.some((option) => manager.options.has(option)))) return false;
  const [, subcommand, ...deeper] = invocation.path;
  const operands = invocation.operands;
  if (subcommand === undefined) return isVersionQuestion(argv);
  if (deeper.length > 0 || !Object.hasOwn(manager.subcommands, subcommand)) return false;
  if (name === 'yarn' && subcommand === 'config') {
    const [verb, ...rest] = operands;
    if (verb === 'list') return rest.length === 0;
    return verb === 'get' && rest.length === 1 && SETTING_NAME.test(rest[0] ?? '');
  }
  if (effects.changes.length > 0) return false;
  const form = manager.subcommands[subcommand] ?? null;
  return form === null ? operands.length === 0 : operands.every((operand) => operand !== null && form.test(operand));
}

/** `yarn` alone means an installation. */
function isVersionQuestion(argv: readonly (string | null)[]): boolean {
  return argv.length === 2 && (argv[1] === '-v' || argv[1] === '--version');
}

function isQuietAtHome(file: string, probe: Probe): boolean {
  if (probe.kind(file) === 'absent') return true;
  if (file.endsWith('js')) return false;
  const text = probe.readText(file, LIMIT_BYTES);
  return text !== null && !RUNS_CODE_AT_HOME.test(text);
}

function isQuietFrom(cwd: string, script: string | null, manager: Manager, disk: Disk): boolean {
  const { probe } = disk;
  const real = probe.realPath(cwd);
  if (real === null) return false;
  for (let at = real; ; at = posix.dirname(at)) {
    if (manager.codeFiles.some((name) => probe.kind(posix.join(at, name)) !== 'absent')) return false;
    for (const [name, harmless] of Object.entries(manager.settingsFiles)) {
      const file = posix.join(at, name);
      if (probe.kind(file) !== 'absent' && !hasOnly(probe.readText(file, LIMIT_BYTES), /\.ya?ml$/.test(name), harmless))
        return false;
    }
    if (!isQuietManifest(posix.join(at, 'package.json'), script, disk)) return false;
    if (at === '/') return true;
  }
}

/** Every top-level name must be known; unknown syntax is not harmless. */
function hasOnly(text: string | null, isYaml: boolean, harmless: WordSet): boolean {
  if (text === null) return false;
  // In YAML a deeper line belongs to the name above it, if there is one; in the other files indentation means nothing.
  let isBelowName = false;
  return text.split(/\r\n|\r|\n/).every((line) => {
    if (/^\s*(?:[#;].*)?$/.test(line)) return true;
    if (isYaml && isBelowName && /^(?:\s|- )/.test(line)) return true;
    const name = /^["']?([\w[\]-]+)["']?\s*[:= ]/.exec(isYaml ? line : line.trimStart())?.[1];
    isBelowName = true;
    return name !== undefined && harmless.has(name);
  });
}

/** Newer yarn runs a script of the package for an unknown word, and both fetch the version named here. */
function isQuietManifest(file: string, script: string | null, disk: Disk): boolean {
  const { probe } = disk;
  if (probe.kind(file) === 'absent') return true;
  const text = probe.readText(file, LIMIT_BYTES);
  if (text === null || text.includes('configDependencies')) return false;
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    return false;
  }
  if (typeof manifest !== 'object' || manifest === null) return false;
  const { packageManager, scripts, devEngines } = manifest as Record<string, unknown>;
  if (devEngines !== undefined) return false;
  if (packageManager !== undefined && !isInstalledManager(packageManager, disk)) return false;
  return script === null || typeof scripts !== 'object' || scripts === null || !Object.hasOwn(scripts, script);
}

function isInstalledManager(value: unknown, disk: Disk): boolean {
  const [, name, version] = (typeof value === 'string' && PLAIN_VERSION.exec(value)) || [];
  return name !== undefined && version !== undefined && hasPackageManager(name, version, disk);
}
