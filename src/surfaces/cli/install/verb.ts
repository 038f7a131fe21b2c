// `hardshell install AGENT`: shows what it would change in the agent's settings, asks, keeps a copy, and writes.
// `--undo` takes out what it added, and nothing that anybody wrote since.

import { rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { HardshellError } from '../../../entries/deciding.ts';
import { noteChange } from '../config/record.ts';
import { EXIT } from '../failure.ts';
import { SCHEMA_VERSION, toLine } from '../json.ts';
import { createTerminal } from '../show/terminal.ts';
import { visible } from '../show/visible.ts';
import { AGENTS, type Agent } from './agents.ts';
import { listBackups, readText, replaceText } from './change.ts';
import { diffLines } from './diff.ts';
import { BadFile } from './edit/bad-file.ts';
import { HOW_TO_INSTALL, type Launch, launchFor, ownFolderWithin, refuseCache } from './launch.ts';
import { list } from './list.ts';
import type { AgentName, InstallOptions, Scope } from './options.ts';
import { isInstalled, planInstall, planRemoval } from './plan.ts';
import type { Surroundings, Target, Text } from './target.ts';

const REFUSED = 1;

interface Plan {
  readonly before: Text;
  readonly after: Text;
  /** A copy that the file becomes again; it is not needed any more then. */
  readonly restores: string | null;
}

export async function install(name: AgentName | undefined, options: InstallOptions): Promise<number> {
  const place = surroundings();
  if (options.list) return list(place, options);
  if (name === undefined) {
    throw new HardshellError('usage', 'No agent was named.', {
      hint: `Name one of ${Object.keys(AGENTS).join(', ')}, or see what is there: hardshell install --list`,
    });
  }
  refuseInside(options);
  const agent = AGENTS[name];
  const scope: Scope = options.project ? 'project' : 'user';
  const target = targetOf(name, scope, place, options);
  if (!options.undo) refuseCache();
  const launch = launchFor(scope);
  const argv = [...launch.argv, ...(options.hook ? ['hook', name] : ['mcp'])];
  const off = (text: Text): string | null =>
    options.hook && !options.undo ? (agent.whyHookIsOff?.(target, text, place) ?? null) : null;
  const plan = inFile(target.file, () => (options.undo ? planUndo(target, argv) : planDo(target, argv)));
  const isSame = plan.before === plan.after;
  const what = options.hook ? 'hook' : 'server';
  const action = isSame ? 'unchanged' : options.undo ? 'removed' : isThere(target, plan.before) ? 'updated' : 'added';
  const report = {
    agent: name,
    scope,
    what,
    file: target.file,
    action,
    argv,
    diff: diffLines(plan.before, plan.after),
    notInForce: off(plan.after),
  };
  if (!options.json) show(agent, report, launch, options);
  if (!options.undo) warnWithin(place.cwd);
  if (isSame || options.dryRun) {
    if (!options.json && report.notInForce !== null) process.stdout.write(`${report.notInForce}\n`);
    if (options.json) tell({ ...report, isWritten: false, backup: null });
    return EXIT.ok;
  }
  if (!(await isAgreed(options))) {
    process.stderr.write('Nothing was changed.\n');
    return REFUSED;
  }
  const backup = replaceText(target.file, plan.before, plan.after, plan.restores === null ? new Date() : null);
  if (plan.restores !== null) rmSync(plan.restores, { force: true });
  const said = `${options.undo ? 'took' : 'put'} hardshell's ${what} ${options.undo ? 'out of' : 'into'} ${agent.title}`;
  await noteChange(said, { layer: null, file: target.file, cwd: place.cwd });
  if (options.json) tell({ ...report, isWritten: true, backup });
  else sayDone(agent, backup, report.notInForce, options);
  return EXIT.ok;
}

function surroundings(): Surroundings {
  return { home: homedir(), cwd: process.cwd(), platform: process.platform, environment: process.env };
}

/** The attack: an agent takes its own hook out. Protected paths guard the files; this guards against the short way. */
function refuseInside(options: InstallOptions): void {
  if (!process.env.HARDSHELL || options.dryRun) return;
  throw new HardshellError('usage', "A command that hardshell runs cannot change an agent's settings.", {
    hint: 'Run it in a terminal of your own.',
  });
}

function targetOf(name: AgentName, scope: Scope, place: Surroundings, options: InstallOptions): Target {
  const agent = AGENTS[name];
  if (options.project && options.user) {
    throw new HardshellError('usage', 'Give --project or --user, not both.', {
      hint: '--user is what holds without either.',
    });
  }
  if (!options.hook) {
    const target = agent.server(scope, place);
    if (target !== null) return target;
    throw new HardshellError('usage', `${agent.title} has no settings of a project.`, { hint: 'Leave --project out.' });
  }
  if (agent.hook !== undefined) return agent.hook(scope, place);
  throw new HardshellError('usage', `${agent.title} has no hook that could ask hardshell.`, {
    hint: 'Leave --hook out: it can use hardshell as an MCP server.',
  });
}

function planDo(target: Target, argv: readonly string[]): Plan {
  const before = readText(target.file);
  return { before, after: planInstall(target, before, argv), restores: null };
}

function planUndo(target: Target, argv: readonly string[]): Plan {
  const before = readText(target.file);
  if (before === null || !isInstalled(target, before)) return { before, after: before, restores: null };
  const copy = listBackups(target.file).findLast((path) => !isThere(target, readText(path)));
  const earlier = copy === undefined ? null : readText(copy);
  // Nobody wrote since: it becomes what it was, to the byte.
  if (copy !== undefined && earlier !== null && planInstall(target, earlier, argv) === before) {
    return { before, after: earlier, restores: copy };
  }
  return { before, after: planRemoval(target, before, earlier), restores: null };
}

function isThere(target: Target, text: Text): boolean {
  try {
    return isInstalled(target, text);
  } catch {
    return false;
  }
}

/** A mistake in the file is told with its place. */
function inFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof BadFile)) throw cause;
    const { line, column } = cause.spot;
    throw new HardshellError('invalid-settings', `${file}:${line}:${column}: ${cause.message}`, {
      hint: 'Nothing was changed. Mend the file first, or change it by hand; docs/agents.md has what to write.',
      cause,
    });
  }
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
    const state = options.undo ? `has no entry of ${thing}` : `has ${thing} already`;
    process.stdout.write(`${agent.title} ${state}: ${visible(file)}\n`);
    return;
  }
  const title = options.undo ? `Take ${thing} out of` : `Put ${thing} into`;
  const lines = diff.map((line) => {
    const text = visible(line);
    if (line.startsWith('+')) return colors.green(text);
    return line.startsWith('-') ? colors.red(text) : colors.dim(text);
  });
  process.stdout.write(`${title} ${agent.title}: ${visible(file)}\n\n${lines.join('\n')}\n\n`);
  if (!options.undo) process.stdout.write(`${colors.dim(launch.why)}\n`);
}

/** The attack: the agent may write in its project, and what judges its commands lies there. */
function warnWithin(cwd: string): void {
  const root = ownFolderWithin(cwd);
  if (root === null) return;
  process.stderr.write(
    `hardshell: ${visible(root)} lies in this project: a command that may write here may change hardshell itself.\n` +
      `  Install it elsewhere for your agents: ${HOW_TO_INSTALL}\n`,
  );
}

async function isAgreed(options: InstallOptions): Promise<boolean> {
  if (options.yes) return true;
  if (options.json || process.stdin.isTTY !== true) {
    throw new HardshellError('usage', 'Nobody can be asked here, so nothing was changed.', {
      hint: 'Look at the change with --dry-run, then give --yes.',
    });
  }
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await reader.question('Write it? [y/N] ')).trim());
  } finally {
    reader.close();
  }
}

function sayDone(agent: Agent, backup: string | null, notInForce: string | null, options: InstallOptions): void {
  const kept = backup === null ? '' : ` The file as it was: ${visible(backup)}`;
  process.stdout.write(`Done.${kept}\n${notInForce ?? agent.next}\n`);
  if (!options.undo) process.stdout.write('Take it out again with the same command and --undo.\n');
}

function tell(report: object): void {
  process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, ...report }));
}
