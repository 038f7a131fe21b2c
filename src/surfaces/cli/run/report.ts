// The end of a run → what is printed besides its output: for a person, for a program, or for the model of an agent.

import { loadSettings, type RunResult } from '../../../host.ts';
import { loadOptions } from '../config/surroundings.ts';
import { BACKGROUND_FIELDS, type ConfinedAgent } from '../hook/agents.ts';
import { textsFor } from '../hook/reason.ts';
import { process } from '../process.ts';
import { createTerminal, type Terminal } from '../show/terminal.ts';
import { drawBackgroundBox } from './background-box.ts';
import { drawBlock } from './block.ts';
import type { Interrupts } from './live/interrupts.ts';
import type { Screen } from './live/screen.ts';
import type { RunVerbOptions } from './options.ts';
import { changeLines, changesReader, closingLines, hiddenLines, leftoverLines, violationLines } from './outcome.ts';
import { lastLine, resultLine } from './result-json.ts';

export interface ReportOptions extends RunVerbOptions {
  /** The agent that runs it instead of the command of its own tool: the reader is its model. */
  readonly agent?: ConfinedAgent;
}

export async function report(
  result: RunResult,
  screen: Screen | null,
  options: ReportOptions,
  interrupts: Interrupts,
): Promise<void> {
  if (interrupts.abandoned() !== null) return;
  if (options.agent !== undefined) return reportToAgent(result, screen, options, options.agent);
  const refused = violationLines(result);
  if (options.json) {
    await writeOut(resultLine(result));
    complainAll(leftoverLines(result));
    return complainAll(refused);
  }
  if (options.stream) return writeOut(lastLine(result));
  if (result.status === 'denied') {
    // After Ctrl-C, or a no in this terminal, the reason is known.
    if (interrupts.exitCode() !== null || result.answer?.by === 'terminal') return;
    const reader = { isPerson: process.stderr.isTTY === true };
    process.stderr.write(`${drawBlock(result, terminalOfErrors(options), reader).join('\n')}\n`);
  } else if (result.status === 'running') {
    const { task, command, outputFile } = result;
    const box = drawBackgroundBox({ id: task, command, outputFile }, createTerminal(options));
    await writeOut(`${box.join('\n')}\n`);
  } else {
    const reader = { isPerson: process.stderr.isTTY === true, wasInterrupted: interrupts.exitCode() !== null };
    const left = leftoverLines(result);
    const lines = [...closingLines(result, reader), ...left, ...hiddenLines(result, () => shownBySettings(options))];
    await printAll(screen, [lines, refused, changeLines(result, changesReader(options))]);
  }
}

/** Only what the agent's own tool would not have done: refusals, and changes that are not in the project. */
async function reportToAgent(
  result: RunResult,
  screen: Screen | null,
  options: ReportOptions,
  agent: ConfinedAgent,
): Promise<void> {
  if (result.status === 'denied') {
    process.stderr.write(`${textsFor(result.verdict, result.command, { canAsk: false }).forModel}\n`);
    return;
  }
  const reader = { isPerson: false, wasInterrupted: true };
  const { changes } = result;
  const isInProject = changes === null || (changes.state === 'landed' && changes.heldBack.length === 0);
  await printAll(screen, [
    [
      ...closingLines(result, reader),
      ...leftoverLines(result, BACKGROUND_FIELDS[agent]),
      ...hiddenLines(result, () => shownBySettings(options)),
    ],
    violationLines(result, ({ instead }) => instead),
    isInProject ? [] : changeLines(result, changesReader(options)),
  ]);
}

async function printAll(screen: Screen | null, groups: readonly (readonly string[])[]): Promise<void> {
  if (groups.every((lines) => lines.length === 0)) return;
  await screen?.closeLine();
  for (const lines of groups) complainAll(lines);
}

export function terminalOfErrors(options: RunVerbOptions): Terminal {
  const output: NodeJS.WriteStream = process.stderr;
  return createTerminal(options, process.env, output as typeof process.stdout);
}

function shownBySettings(options: RunVerbOptions): readonly string[] {
  return loadSettings(loadOptions(options)).sandbox.filesystem?.allowRead ?? [];
}

function complainAll(lines: readonly string[]): void {
  if (lines.length > 0) process.stderr.write(`hardshell: ${lines.join('\n')}\n`);
}

/** Settles when the reader has taken it; a reader that has gone is noticed by the stream. */
export function writeOut(text: string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(text, () => resolve()));
}
