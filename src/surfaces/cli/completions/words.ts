// The program's own verbs and options → what can be completed where. Nothing is listed by hand, so nothing goes stale.

import type { Command, Option } from 'commander';

/** What follows an option or a verb: some words, a folder, a file, or anything. */
export type Value = readonly string[] | 'folder' | 'file' | 'any';

export interface Flag {
  readonly name: string;
  readonly summary: string;
  /** `null`: takes no value. */
  readonly value: Value | null;
}

export interface Node {
  /** `''` for the program, `config add` for a verb of a verb. */
  readonly path: string;
  readonly summary: string;
  readonly verbs: readonly { readonly name: string; readonly summary: string }[];
  readonly flags: readonly Flag[];
  /** Words that its arguments may be. */
  readonly words: readonly string[];
}

export function listNodes(program: Command): readonly Node[] {
  return visit(program, '');
}

function visit(command: Command, path: string): Node[] {
  const help = command.createHelp();
  const verbs = help.visibleCommands(command).filter((verb) => verb.name() !== 'help');
  const node: Node = {
    path,
    summary: command.description(),
    verbs: verbs.map((verb) => ({ name: verb.name(), summary: firstSentence(verb.description()) })),
    flags: help.visibleOptions(command).flatMap(flagsOf),
    words: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  };
  return [node, ...verbs.flatMap((verb) => visit(verb, path === '' ? verb.name() : `${path} ${verb.name()}`))];
}

function flagsOf(option: Option): Flag[] {
  const summary = firstSentence(option.description);
  const value = option.required || option.optional ? wantedOf(option) : null;
  return [option.long, option.short].flatMap((name) =>
    name === undefined || name === null ? [] : [{ name, summary, value }],
  );
}

function wantedOf({ argChoices, flags }: Option): Value {
  if (argChoices !== undefined) return argChoices;
  if (/<dir>|\[dir\]|<folder>/.test(flags)) return 'folder';
  return /<(?:file|path)>/.test(flags) ? 'file' : 'any';
}

function firstSentence(text: string): string {
  return (text.split(/[.;:](?: |$)/)[0] ?? '').replace(/\s+/g, ' ').trim();
}
