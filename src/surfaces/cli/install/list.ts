// `hardshell install --list`: which agents are on this machine, and whether hardshell is in their settings.

import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { BadFile } from '../edit/bad-file.ts';
import { EXIT } from '../failure.ts';
import { SCHEMA_VERSION, toLine } from '../json.ts';
import { process } from '../process.ts';
import { createTerminal } from '../show/terminal.ts';
import { visible } from '../show/visible.ts';
import { AGENTS, type Agent } from './agents.ts';
import { readText } from './change.ts';
import type { AgentName, InstallOptions, Scope } from './options.ts';
import { isConfining, isInstalled } from './plan.ts';
import type { Surroundings, Target, Text } from './target.ts';

type State = 'installed' | 'absent' | 'broken';

interface Row {
  readonly agent: AgentName;
  readonly isFound: boolean;
  readonly places: readonly {
    readonly scope: Scope;
    readonly what: 'server' | 'hook';
    /** Whether the hook hands commands to hardshell, or only decides; `null` for a server. */
    readonly way: 'confine' | 'verdict-only' | null;
    readonly file: string;
    readonly state: State;
    readonly problem: string | null;
    /** Why the installed entry has no effect, and what to do about it. */
    readonly notInForce: string | null;
  }[];
}

export function list(place: Surroundings, options: InstallOptions): number {
  const rows = (Object.keys(AGENTS) as AgentName[]).map((name) => rowOf(name, place));
  if (options.json) {
    process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, agents: rows }));
    return EXIT.ok;
  }
  const { colors } = createTerminal(options);
  const lines = rows.flatMap((row) => {
    const title = `${AGENTS[row.agent].title.padEnd(15)} ${row.isFound ? 'found' : colors.dim('not found')}`;
    const shown = row.places.filter(({ state }) => state !== 'absent');
    return [
      title,
      ...shown.flatMap(({ what, way, scope, file, state, problem, notInForce }) => {
        const name = what === 'hook' ? 'hook' : 'MCP server';
        const kind = way === 'verdict-only' ? `${scope}, verdicts only` : scope;
        const line = (text: string): string => `  ${name.padEnd(13)} ${text} ${visible(file)} (${kind})`;
        if (state === 'broken') return [line(colors.red(`cannot be read: ${visible(problem ?? '')}`))];
        if (notInForce === null) return [line(colors.green('in'))];
        return [line(colors.red('in')), `  ${' '.repeat(13)} ${colors.red(visible(installedButOff(notInForce)))}`];
      }),
    ];
  });
  const hint =
    "hardshell install AGENT adds it: a hook that runs the agent's commands in hardshell's sandbox, or its MCP server; --undo removes it.";
  process.stdout.write(`${lines.join('\n')}\n\n${colors.dim(hint)}\n`);
  return EXIT.ok;
}

function rowOf(name: AgentName, place: Surroundings): Row {
  const agent = AGENTS[name];
  const places = (['user', 'project'] as const).flatMap((scope) => {
    const server = agent.server(scope, place);
    const hook = agent.hook?.(scope, place);
    return [
      ...(server === null
        ? []
        : [{ scope, what: 'server' as const, way: null, file: server.file, ...stateOf(server), notInForce: null }]),
      ...(hook === undefined ? [] : [{ scope, what: 'hook' as const, ...hookOf(agent, hook, place) }]),
    ];
  });
  const isOnPath = agent.programs.some((program) => isProgram(program, place));
  return {
    agent: name,
    isFound: isOnPath || places.some(({ scope, file }) => scope === 'user' && isUsed(file, place)),
    places,
  };
}

/** Its file exists, or the folder that only this agent creates. */
function isUsed(file: string, { home }: Surroundings): boolean {
  const folder = dirname(file);
  return existsSync(file) || (folder !== home && existsSync(folder));
}

function isProgram(name: string, { environment }: Surroundings): boolean {
  return (environment.PATH ?? '').split(delimiter).some((folder) => {
    if (folder === '') return false;
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function hookOf(agent: Agent, hook: Target, place: Surroundings) {
  const { file } = hook;
  const { state, problem } = stateOf(hook);
  if (state !== 'installed') return { way: null, file, state, problem, notInForce: null };
  const text = readText(file);
  const way = isConfining(hook, text) ? ('confine' as const) : ('verdict-only' as const);
  return { way, file, state, problem, notInForce: whyOff(agent, hook, text, place) };
}

/** Unreadable settings may disable hooks: that counts as off. */
export function whyOff(agent: Agent, hook: Target, text: Text, place: Surroundings): string | null {
  try {
    return agent.whyHookIsOff?.(hook, text, place) ?? null;
  } catch (error) {
    return `hardshell cannot tell, because settings of the agent cannot be read: ${(error as Error).message}`;
  }
}

export function installedButOff(why: string): string {
  return `installed, but not in force: ${why}`;
}

function stateOf(target: Target): { state: State; problem: string | null } {
  try {
    return { state: isInstalled(target, readText(target.file)) ? 'installed' : 'absent', problem: null };
  } catch (error) {
    const spot = error instanceof BadFile ? `line ${error.spot.line}, column ${error.spot.column}: ` : '';
    return { state: 'broken', problem: `${spot}${(error as Error).message}` };
  }
}
