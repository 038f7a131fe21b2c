// `hardshell analyze`: the facts about one command, as a table or as JSON, or about many with --batch.

import { analyze } from '../../host/deciding.ts';
import { runBatch } from './batch.ts';
import { EXIT, writeFailure } from './failure.ts';
import { findInputFailure, inheritedVariables, readCommand, readFolder } from './input.ts';
import { factsToJson, SCHEMA_VERSION, toLine } from './json.ts';
import type { AnalyzeOptions } from './options.ts';
import { process } from './process.ts';
import { factsTable } from './show/table.ts';
import { createTerminal } from './show/terminal.ts';

export async function analyzeOne(argument: string | undefined, options: AnalyzeOptions): Promise<number> {
  const cwd = readFolder(options.cwd);
  const command = await readCommand(argument);
  const facts = analyze(command, { cwd, shell: options.shell, variables: inheritedVariables() });
  const failure = findInputFailure(facts);
  if (options.json) {
    const error = failure === null ? {} : { error: failure };
    process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, ...error, ...factsToJson(facts) }));
  } else if (failure === null) {
    process.stdout.write(factsTable(facts, createTerminal({ color: true }), cwd));
  }
  if (failure === null) return EXIT.ok;
  writeFailure(failure);
  return EXIT.badInput;
}

const LINE_FORM = 'Each line is {"id": …, "command": "…", "cwd"?: "…", "shell"?: "bash" | "sh" | "zsh"}.';

/** A batch may be about other users and machines: the line must say what `~` is there. */
export function analyzeBatch(argument: string | undefined, options: AnalyzeOptions): Promise<number> {
  return runBatch(argument, options, {
    form: LINE_FORM,
    answer: ({ command, cwd, shell, variables }) =>
      factsToJson(analyze(command, { cwd, shell, variables: variables ?? {} })),
  });
}
