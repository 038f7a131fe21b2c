// Data flow inside one command line: pipes, substitutions, variables, files that are written and then used.
// The caller defines sources and users; one pass over the commands answers everything.

import { posix } from 'node:path';
import type { CommandFact, Facts } from '../../../../core/facts.ts';

type FlowKind = 'pipe' | 'substitution' | 'file' | 'variable';

export interface Flow {
  readonly source: CommandFact;
  readonly user: CommandFact;
  readonly kind: FlowKind;
}

type Test = (command: CommandFact) => boolean;

/** Every command that uses data from a source. A program that a source has written is a user too. */
export function flowsBetween(facts: Facts, isSource: Test, isUser: Test): readonly Flow[] {
  const sources = facts.commands.filter(isSource);
  if (sources.length === 0) return [];
  const routes = new Routes(facts.commands, sources);
  const flows: Flow[] = [];
  for (const user of facts.commands) {
    const flow = isUser(user) ? routes.into(user) : routes.byRunning(user);
    if (flow !== null) flows.push(flow);
  }
  return flows;
}

class Routes {
  readonly #commands: readonly CommandFact[];
  /** Code in a word has the span of the word, so only the order of the facts can be used. */
  readonly #order: ReadonlyMap<CommandFact, number>;
  readonly #byPipeline = new Map<number, CommandFact>();
  readonly #byParent = new Map<CommandFact, CommandFact>();
  readonly #byPath = new Map<string, CommandFact>();
  readonly #byReadingPipeline = new Map<number, CommandFact>();
  readonly #assigned: CommandFact | undefined;
  readonly #sources: ReadonlySet<CommandFact>;

  constructor(commands: readonly CommandFact[], sources: readonly CommandFact[]) {
    this.#commands = commands;
    this.#sources = new Set(sources);
    this.#order = new Map(commands.map((command, i) => [command, i]));
    for (const source of sources) {
      if (source.pipeline !== null && !this.#byPipeline.has(source.pipeline))
        this.#byPipeline.set(source.pipeline, source);
      this.#addAncestors(source);
      this.#addPaths(source, source);
    }
    this.#assigned = sources.find(({ parent, via }) => parent === null && via.some(isSubstitution));
    for (const command of commands) {
      // `curl … | tee x` and `curl … > x` write data from the source.
      const source = command.pipeline === null ? undefined : this.#byPipeline.get(command.pipeline);
      if (source !== undefined) this.#addPaths(command, source);
    }
    for (const command of commands) {
      // `cp x y` and `cat x > y` pass it on under another name.
      const read = this.#readBy(command);
      if (read !== undefined) this.#addPaths(command, read);
    }
    for (const { pipeline, effects } of commands) {
      if (pipeline === null) continue;
      const source = effects.reads.map(({ path }) => this.#byPath.get(path ?? '')).find((found) => found !== undefined);
      if (source !== undefined) this.#byReadingPipeline.set(pipeline, source);
    }
  }

  into(user: CommandFact): Flow | null {
    const piped = user.pipeline === null ? undefined : this.#byPipeline.get(user.pipeline);
    if (piped !== undefined && this.#isBefore(piped, user) && !this.#isAbove(piped, user)) {
      return { source: piped, user, kind: 'pipe' };
    }
    const fed = user.via.includes('>( )') ? this.#feederOf(user) : undefined;
    if (fed !== undefined) return { source: fed, user, kind: 'pipe' };
    for (let at: CommandFact | undefined = user; at !== undefined; at = this.#parentOf(at)) {
      const source = this.#byParent.get(at);
      if (source !== undefined && source !== user) return { source, user, kind: 'substitution' };
    }
    const paths = user.effects.reads.map(({ path }) => this.#byPath.get(path ?? ''));
    const inPipeline = user.pipeline === null ? undefined : this.#byReadingPipeline.get(user.pipeline);
    const source = [...paths, inPipeline].find((found) => found !== undefined && found !== user);
    if (source !== undefined) return { source, user, kind: 'file' };
    const run = this.byRunning(user);
    if (run !== null) return run;
    const assigned = this.#assigned;
    if (assigned === undefined || assigned === user || !this.#isBefore(assigned, user)) return null;
    return { source: assigned, user, kind: 'variable' };
  }

  byRunning(user: CommandFact): Flow | null {
    if (this.#byPath.size === 0) return null;
    for (const { kind, text } of user.effects.executes) {
      if (text === null || (kind !== 'file' && kind !== 'program')) continue;
      for (const folder of user.cwd ?? ['/']) {
        const source = this.#byPath.get(posix.resolve(folder, text));
        if (source !== undefined && source !== user) return { source, user, kind: 'file' };
      }
    }
    return null;
  }

  /** The command whose words contain the substitution, and those around it. */
  #addAncestors(source: CommandFact): void {
    if (!source.via.some(isSubstitution)) return;
    const parent = this.#parentOf(source);
    if (parent !== undefined && !this.#byParent.has(parent)) this.#byParent.set(parent, source);
  }

  #addPaths(writer: CommandFact, source: CommandFact): void {
    for (const { path, glob } of writer.effects.writes) {
      if (path !== null && glob === undefined && !path.startsWith('/dev/')) this.#byPath.set(path, source);
    }
  }

  #readBy({ effects }: CommandFact): CommandFact | undefined {
    for (const { path } of effects.reads) {
      const source = path === null ? undefined : this.#byPath.get(path);
      if (source !== undefined) return source;
    }
    return undefined;
  }

  #parentOf({ parent }: CommandFact): CommandFact | undefined {
    return parent === null ? undefined : this.#commands[parent];
  }

  #isBefore(first: CommandFact, second: CommandFact): boolean {
    return (this.#order.get(first) ?? 0) < (this.#order.get(second) ?? 0);
  }

  /** `source > >(user)` and `source | tee >(user)`. */
  #feederOf(user: CommandFact): CommandFact | undefined {
    for (let at = this.#parentOf(user); at !== undefined; at = this.#parentOf(at)) {
      if (this.#sources.has(at)) return at;
      const piped = at.pipeline === null ? undefined : this.#byPipeline.get(at.pipeline);
      if (piped !== undefined && this.#isBefore(piped, at)) return piped;
    }
    return undefined;
  }

  #isAbove(above: CommandFact, command: CommandFact): boolean {
    for (let at = this.#parentOf(command); at !== undefined; at = this.#parentOf(at)) if (at === above) return true;
    return false;
  }
}

function isSubstitution(via: string): boolean {
  return via === '$( )' || via === '<( )';
}
