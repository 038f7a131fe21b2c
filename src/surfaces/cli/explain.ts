// `hardshell explain`: one command, for a person: the tree of what would run, its effects, what is not known, and
// whether it may run: which rule or check decides, and what would change that.

import { resolve } from 'node:path';
import type { CheckResult, EditFact, Facts } from '../../host/deciding.ts';
import { previewEdit } from '../../host/preview.ts';
import { createDecider } from './deciding.ts';
import { EXIT, type Failure, writeFailure } from './failure.ts';
import { findInputFailure, inheritedVariables, readCommand, readFolder } from './input.ts';
import { factsToJson, SCHEMA_VERSION, toLine, verdictToJson } from './json.ts';
import type { CheckOptions } from './options.ts';
import { process } from './process.ts';
import { type Place, shorten, shortenPath } from './show/phrases.ts';
import { markSpan } from './show/source.ts';
import { createTerminal, type Terminal } from './show/terminal.ts';
import { drawTree } from './show/tree.ts';
import { drawVerdict } from './show/verdict.ts';
import { columns, visible } from './show/visible.ts';

const MARGIN = '  ';
const MAX_PREVIEW_LINES = 24;
const MAX_SOURCE_LINES = 40;
const MAX_SOURCE_COLUMNS = 800;

export async function explain(argument: string, options: CheckOptions): Promise<number> {
  const cwd = readFolder(options.cwd);
  const command = await readCommand(argument);
  const variables = inheritedVariables();
  const decide = await createDecider(options);
  const { shell, user = null } = options;
  const run = (): CheckResult => decide({ command, cwd, shell, variables, user });
  const { checked, timing } = measure(run);
  const { facts, verdict } = checked;
  const failure = findInputFailure(facts);
  if (options.json) {
    const error = failure === null ? {} : { error: failure };
    const decided = { ...verdictToJson(verdict), ...factsToJson(facts), timing };
    process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, ...error, ...decided }));
  }
  if (failure !== null) {
    if (failure.code === 'syntax' && !options.json) showSyntaxError(facts, failure);
    else writeFailure(failure);
    return EXIT.badInput;
  }
  if (!options.json) {
    const screen = createTerminal(options);
    const terminal = { ...screen, width: screen.width - MARGIN.length };
    const place = { cwd, home: variables.HOME };
    const sections = [
      drawSource(facts, terminal),
      drawTree(facts, terminal, place),
      drawEdits(facts, terminal, place),
      drawVerdict(facts, verdict, terminal),
      drawClosing(facts, timing, terminal),
    ];
    const filled = sections.filter((lines) => lines.length > 0);
    process.stdout.write(
      `\n${filled.map((lines) => lines.map((line) => (line === '' ? '\n' : `${MARGIN}${line}\n`)).join('')).join('\n')}\n`,
    );
  }
  return EXIT.ok;
}

interface Timing {
  readonly firstCallUs: number;
  readonly warmUs: number;
  readonly repeats: number;
}

const WARM_UP_NS = 50_000_000n;
const MAX_REPEATS = 1_001;

/** The first call includes compiling our own code; a long-lived host pays the median of the later ones. */
function measure(run: () => CheckResult): { checked: CheckResult; timing: Timing } {
  const start = process.hrtime.bigint();
  const checked = run();
  const firstCallUs = Number(process.hrtime.bigint() - start) / 1e3;
  const warm = repeat(run);
  return { checked, timing: { firstCallUs, warmUs: warm.medianUs, repeats: warm.repeats } };
}

function repeat(work: () => unknown): { medianUs: number; repeats: number } {
  const samples: number[] = [];
  const end = process.hrtime.bigint() + WARM_UP_NS;
  for (let now = process.hrtime.bigint(); now < end && samples.length < MAX_REPEATS; ) {
    work();
    const then = process.hrtime.bigint();
    samples.push(Number(then - now) / 1e3);
    now = then;
  }
  // The first half still runs while the engine compiles.
  const late = samples.slice(Math.floor(samples.length / 2)).sort((a, b) => a - b);
  return { medianUs: late[Math.floor(late.length / 2)] ?? 0, repeats: late.length };
}

function drawSource(facts: Facts, terminal: Terminal): string[] {
  const lines = facts.command.split('\n').map((line) => shorten(visible(line), MAX_SOURCE_COLUMNS));
  const shown = lines.slice(0, MAX_SOURCE_LINES).map((line) => terminal.colors.cyan(line));
  const more = lines.length - shown.length;
  return more > 0 ? [...shown, terminal.colors.dim(`${terminal.glyphs.ellipsis} ${more} more lines`)] : shown;
}

function drawEdits(facts: Facts, terminal: Terminal, place: Place): string[] {
  return facts.commands.flatMap((command) => command.edits.flatMap((edit) => drawEdit(edit, terminal, place)));
}

function drawEdit(edit: EditFact, terminal: Terminal, place: Place): string[] {
  const { colors, glyphs } = terminal;
  const path = resolve(place.cwd, edit.file);
  const title = `${colors.bold('preview')}  ${visible(shortenPath(path, place))}`;
  const { diff, why } = previewEdit(edit, path);
  if (diff === null) return [`${title}  ${colors.dim(visible(why ?? ''))}`];
  if (diff === '') return [`${title}  ${colors.dim('no line would change')}`];
  const lines = diff.split('\n');
  const drawn = lines.slice(0, MAX_PREVIEW_LINES).map((line) => {
    if (line.startsWith('-')) return colors.red(visible(line));
    return line.startsWith('+') ? colors.green(visible(line)) : colors.dim(visible(line));
  });
  const more = lines.length - drawn.length;
  return [title, ...drawn, ...(more > 0 ? [colors.dim(`${glyphs.ellipsis} ${more} more lines`)] : [])];
}

function drawClosing(facts: Facts, timing: Timing, terminal: Terminal): string[] {
  const { colors, glyphs } = terminal;
  const status = facts.status === 'understood' ? 'understood' : colors.magenta('cannot tell everything');
  const separator = colors.dim(` ${glyphs.dot} `);
  const times = [
    `first call ${time(timing.firstCallUs, terminal)}`,
    `warm ${time(timing.warmUs, terminal)}`,
    `median of ${timing.repeats.toLocaleString('en')}`,
  ];
  const verdict = [`class ${facts.class}`, status].join(separator);
  const line = times.join(` ${glyphs.dot} `);
  return [verdict, ...(columns(line) <= terminal.width ? [line] : times).map(colors.dim)];
}

function time(us: number, terminal: Terminal): string {
  return `${us < 10 ? us.toFixed(1) : Math.round(us).toLocaleString('en')} ${terminal.glyphs.micro}`;
}

/** Marking the place is more helpful than the hint. */
function showSyntaxError(facts: Facts, failure: Failure): void {
  writeFailure({ ...failure, hint: null });
  const span = facts.reasons.find(({ id }) => id === 'syntax')?.span ?? [0, 0];
  const marked = markSpan(facts.command, span, 96);
  process.stderr.write(`  ${marked.text}\n  ${' '.repeat(marked.start)}${'^'.repeat(marked.length)}\n`);
}
