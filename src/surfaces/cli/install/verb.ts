// `hardshell install AGENT`: shows the change to the agent's settings, asks, keeps a backup, and writes.
// `--undo` removes what it added and the backups, but no later changes by others.

import { rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { HardshellError } from '../../../host/deciding.ts';
import { noteChange } from '../config/record.ts';
import { confirm } from '../confirm.ts';
import { BadFile } from '../edit/bad-file.ts';
import { EXIT } from '../failure.ts';
import { isConfinedAgent } from '../hook/agents.ts';
import { readFolder } from '../input.ts';
import { SCHEMA_VERSION, toLine } from '../json.ts';
import { process } from '../process.ts';
import { createTerminal } from '../show/terminal.ts';
import { visible } from '../show/visible.ts';
import { AGENTS, type Agent } from './agents.ts';
import { listBackups, readText, replaceText } from './change.ts';
import { diffLines } from './diff.ts';
import { HOW_TO_INSTALL, type Launch, launchFor, ownFolderWithin, refuseCache } from './launch.ts';
import { installedButOff, list, whyOff } from './list.ts';
import type { AgentName, InstallOptions, Scope, Way } from './options.ts';
import { hasSameRest, isInstalled, planInstall, planRemoval } from './plan.ts';
import type { Surroundings, Target, Text } from './target.ts';

const REFUSED = 1;

interface Plan {
  readonly before: Text;
  readonly after: Text;
}

export async function install(name: AgentName | undefined, options: InstallOptions): Promise<number> {
  const place = surroundings();
  if (options.list) return list(place, options);
  if (name === undefined) {
    throw new HardshellError('usage', 'No agent given.', {
      hint: `Name one of ${Object.keys(AGENTS).join(', ')}. \`hardshell install --list\` shows which are on this machine.`,
    });
  }
  refuseInside(options);
  const agent = AGENTS[name];
  const scope: Scope = options.project ? 'project' : 'user';
  const way = wayOf(name, options);
  const isHook = way !== 'mcp';
  const target = targetOf(name, scope, place, way, options);
  if (!options.undo) refuseCache();
  const launch = launchFor(scope);
  const argv = [...launch.argv, ...(isHook ? ['hook', name, ...(way === 'confine' ? ['--confine'] : [])] : ['mcp'])];
  const off = (text: Text): string | null => (isHook && !options.undo ? whyOff(agent, target, text, place) : null);
  const plan = inFile(target.file, () => (options.undo ? planUndo(target, argv) : planDo(target, argv)));
  const isSame = plan.before === plan.after;
  const what = isHook ? 'hook' : 'server';
  const action = isSame ? 'unchanged' : options.undo ? 'removed' : isThere(target, plan.before) ? 'updated' : 'added';
  const report = {
    agent: name,
    scope,
    what,
    way,
    file: target.file,
    action,
    argv,
    diff: diffLines(plan.before, plan.after),
    notInForce: off(plan.after),
  };
  if (!options.json) {
    show(agent, report, launch, options);
    if (options.undo && isSame) process.stdout.write(sayOther(name, isHook ? 'mcp' : 'verdict-only', scope, place));
  }
  if (!options.undo) warnWithin(place.cwd);
  if (isSame || options.dryRun) {
    if (!options.json && report.notInForce !== null) process.stdout.write(`${sayOff(report.notInForce)}\n`);
    if (options.json) tell({ ...report, isWritten: false, backup: null });
    return EXIT.ok;
  }
  if (!(await isAgreed(options))) {
    process.stderr.write('Nothing was changed.\n');
    return REFUSED;
  }
  const backup = replaceText(target.file, plan.before, plan.after, options.undo ? null : new Date());
  const kept = options.undo ? removeBackups(agent, target, plan.after, place) : [];
  const said = `${options.undo ? 'removed' : 'added'} hardshell's ${what} ${options.undo ? 'from' : 'to'} ${agent.title}`;
  await noteChange(said, { layer: null, file: target.file, cwd: place.cwd });
  if (options.json) tell({ ...report, isWritten: true, backup, keptBackups: kept });
  else sayDone(agent, { backup, kept, notInForce: report.notInForce }, options);
  return EXIT.ok;
}

function surroundings(): Surroundings {
  return { home: homedir(), cwd: readFolder(undefined), platform: process.platform, environment: process.env };
}

/** The attack: an agent removes its own hook. Protected paths guard the files; this guards against the obvious way. */
function refuseInside(options: InstallOptions): void {
  if (!process.env.HARDSHELL || options.dryRun) return;
  throw new HardshellError('usage', "A command that hardshell runs cannot change an agent's settings.", {
    hint: 'Ask the user to run it in a terminal.',
  });
}

function wayOf(name: AgentName, { mcp, verdictOnly }: InstallOptions): Way {
  if (mcp && verdictOnly)
    throw new HardshellError('usage', '--mcp and --verdict-only cannot be combined.', {
      hint: 'Run install once for each of them.',
    });
  if (mcp) return 'mcp';
  if (verdictOnly) return 'verdict-only';
  return isConfinedAgent(name) ? 'confine' : 'mcp';
}

function targetOf(name: AgentName, scope: Scope, place: Surroundings, way: Way, options: InstallOptions): Target {
  const agent = AGENTS[name];
  if (options.project && options.user) {
    throw new HardshellError('usage', '--project and --user cannot be combined.', {
      hint: '--user is the default.',
    });
  }
  const target = findTarget(agent, scope, place, way);
  if (target !== null) return target;
  if (way === 'mcp')
    throw new HardshellError('usage', `${agent.title} has no project settings.`, { hint: 'Omit --project.' });
  throw new HardshellError('usage', `${agent.title} has no hook that hardshell can use.`, {
    hint: 'Omit --verdict-only to install hardshell as an MCP server.',
  });
}

function findTarget(agent: Agent, scope: Scope, place: Surroundings, way: Way): Target | null {
  return way === 'mcp' ? agent.server(scope, place) : (agent.hook?.(scope, place) ?? null);
}

function planDo(target: Target, argv: readonly string[]): Plan {
  const before = readText(target.file);
  return { before, after: planInstall(target, before, argv) };
}

function planUndo(target: Target, argv: readonly string[]): Plan {
  const before = readText(target.file);
  if (before === null || !isInstalled(target, before)) return { before, after: before };
  const copy = listBackups(target.file).findLast((path) => !isThere(target, readText(path)));
  const earlier = copy === undefined ? null : readText(copy);
  // Unchanged since: it is restored byte for byte.
  if (earlier !== null && planInstall(target, earlier, argv) === before) return { before, after: earlier };
  return { before, after: planRemoval(target, before, earlier) };
}

/**
 * Deletes backups that are no longer needed. Returns those that stay: the file was changed by others since.
 * As long as the file has another entry of ours, all stay: removing that one needs them.
 */
function removeBackups(agent: Agent, { file }: Target, after: Text, place: Surroundings): readonly string[] {
  const scopes = ['user', 'project'] as const;
  const ours = scopes
    .flatMap((scope) => [agent.server(scope, place), agent.hook?.(scope, place)])
    .filter((target): target is Target => target?.file === file);
  if (ours.some((target) => isThere(target, after))) return [];
  return listBackups(file).filter((backup) => {
    const isOld = after !== null && !hasSameRest(ours, readText(backup), after);
    if (!isOld) rmSync(backup, { force: true });
    return isOld;
  });
}

function isThere(target: Target, text: Text): boolean {
  try {
    return isInstalled(target, text);
  } catch {
    return false;
  }
}

/** A syntax error in the file is reported with its place. */
function inFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof BadFile)) throw cause;
    const { line, column } = cause.spot;
    throw new HardshellError('invalid-settings', `${file}:${line}:${column}: ${cause.message}`, {
      hint: 'Nothing was changed. Fix the file first, or edit it by hand: docs/agents.md shows what to write.',
      cause,
    });
  }
}

/** A user who removes one may have meant the other. */
function sayOther(name: AgentName, other: 'mcp' | 'verdict-only', scope: Scope, place: Surroundings): string {
  const target = findTarget(AGENTS[name], scope, place, other);
  if (target === null || !isThere(target, readText(target.file))) return '';
  const flag = other === 'mcp' ? ' --mcp' : isConfinedAgent(name) ? '' : ' --verdict-only';
  const project = scope === 'project' ? ' --project' : '';
  return `The ${other === 'mcp' ? 'MCP server' : 'hook'} is still installed. To remove it: hardshell install ${name}${flag}${project} --undo\n`;
}

interface Report {
  readonly what: string;
  readonly file: string;
  readonly action: string;
  readonly diff: readonly string[];
}

function show(agent: Agent, { what, file, action, diff }: Report, launch: Launch, options: InstallOptions): void {
  const { colors } = createTerminal(options);
  const thing = what === 'hook' ? "hardshell's hook" : "hardshell's MCP server";
  if (action === 'unchanged') {
    const state = options.undo ? `does not have ${thing}` : `already has ${thing}`;
    process.stdout.write(`${agent.title} ${state}: ${visible(file)}\n`);
    return;
  }
  const title = options.undo ? `Remove ${thing} from` : `Add ${thing} to`;
  const lines = diff.map((line) => {
    const text = visible(line);
    if (line.startsWith('+')) return colors.green(text);
    return line.startsWith('-') ? colors.red(text) : colors.dim(text);
  });
  process.stdout.write(`${title} ${agent.title}: ${visible(file)}\n\n${lines.join('\n')}\n\n`);
  if (!options.undo) process.stdout.write(`${colors.dim(launch.why)}\n`);
}

/** The attack: the agent may write in its project, and the program that checks its commands is there. */
function warnWithin(cwd: string): void {
  const root = ownFolderWithin(cwd);
  if (root === null) return;
  process.stderr.write(
    `hardshell: ${visible(root)} is inside this project, so a command that may write here can change hardshell itself.\n` +
      `  Install it outside of your projects: ${HOW_TO_INSTALL}\n`,
  );
}

async function isAgreed(options: InstallOptions): Promise<boolean> {
  if (options.yes) return true;
  if (options.json || process.stdin.isTTY !== true) {
    throw new HardshellError('usage', 'No terminal to ask in, so nothing was changed.', {
      hint: 'Review the change with --dry-run, then add --yes.',
    });
  }
  return confirm('Write it?');
}

interface Done {
  readonly backup: string | null;
  readonly kept: readonly string[];
  readonly notInForce: string | null;
}

function sayDone(agent: Agent, { backup, kept, notInForce }: Done, options: InstallOptions): void {
  const lines = [
    `Done.${backup === null ? '' : ` Backup of the file: ${visible(backup)}`}`,
    ...(kept.length === 0 ? [] : ['The file was changed by others since hardshell was added, so its backups stay:']),
    ...kept.map((path) => `  ${visible(path)}`),
    notInForce === null ? agent.next : createTerminal(options).colors.red(sayOff(notInForce)),
    ...(options.undo ? [] : ['To remove it, run the same command with --undo.']),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

function sayOff(why: string): string {
  const text = visible(installedButOff(why));
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function tell(report: object): void {
  process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, ...report }));
}
