// `hardshell changes`: the staged commands of this folder, or what one of them changed.

import { openStages, type StagedCommand, type StagedCommands } from '../../../host/stages.ts';
import { EXIT, writeFailure } from '../failure.ts';
import { SCHEMA_VERSION, toLine } from '../json.ts';
import { process } from '../process.ts';
import { usageError } from '../refusal.ts';
import { createTerminal } from '../show/terminal.ts';
import { visible } from '../show/visible.ts';
import { age } from '../tasks/list.ts';
import { countText, drawHeldBack, drawStages, nearPath, paintDiff, stateText, statOf } from './drawing.ts';
import { choose, currentPlace, isOfFolder, NOTHING } from './find.ts';
import type { ChangesOptions } from './options.ts';

export async function changes(id: string | undefined, options: ChangesOptions): Promise<number> {
  if (id !== undefined && options.last)
    throw usageError('An ID and --last cannot be combined.', 'Leave one of them out.');
  const stages = openStages();
  if (id === undefined && !options.last) {
    const needs = options.stat ? '--stat' : options.held ? '--held' : null;
    if (needs !== null)
      throw usageError(`${needs} needs an ID or --last.`, `For example: hardshell changes ${needs} --last`);
    return list(stages, options);
  }
  const all = await stages.list({ files: id === undefined ? 0 : Number.MAX_SAFE_INTEGER });
  const chosen = choose(all, id, 'changes', options);
  if (chosen === null) return NOTHING;
  return show(stages, chosen, options);
}

async function list(stages: StagedCommands, options: ChangesOptions): Promise<number> {
  const all = (await stages.list(options.json ? {} : { files: 0 })).filter(({ state }) => state !== 'dropped');
  const here = currentPlace();
  const shown = options.all ? all : all.filter((stage) => isOfFolder(stage, here));
  if (options.json) {
    process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, changes: shown }));
    return EXIT.ok;
  }
  const elsewhere = all.length - shown.length;
  const more = elsewhere === 0 ? [] : [`${elsewhere} in other folders: hardshell changes --all`];
  const none = 'No staged changes in this folder. Stage those of a command: hardshell run --staging apply COMMAND';
  const lines = shown.length === 0 ? [none] : drawStages(shown, Date.now(), createTerminal(options));
  process.stdout.write(`${[...lines, ...more].join('\n')}\n`);
  return EXIT.ok;
}

async function show(stages: StagedCommands, stage: StagedCommand, options: ChangesOptions): Promise<number> {
  if (stage.state === 'dropped') {
    const message = `The changes of ${stage.id} were dropped: their contents are no longer known.`;
    const failure = { code: 'dropped', message, hint: null };
    if (options.json) process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, error: failure }));
    writeFailure(failure);
    return NOTHING;
  }
  const diffs = await stages.diff(stage.id, options.held ? 'held-back' : 'changed');
  if (options.json) {
    const whole = (await stages.get(stage.id, { files: Number.MAX_SAFE_INTEGER })) ?? stage;
    const texts = [...diffs].map(({ root, path, lines, isNewer }) => ({ root, path, diff: toText(lines), isNewer }));
    process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, ...whole, diffs: texts }));
    return EXIT.ok;
  }
  const here = currentPlace();
  const terminal = createTerminal(options);
  if (terminal.isTerminal) process.stdout.write(`${titleOf(stage)}\n\n`);
  let root: string | null = null;
  const newer: string[] = [];
  for (const diff of diffs) {
    if (diff.isNewer) newer.push(visible(nearPath(`${diff.root}/${diff.path}`, here)));
    if (diff.lines.length === 0) continue;
    // Paths of a patch are relative to one folder.
    if (stage.roots.length > 1 && diff.root !== root) process.stderr.write(`In ${visible(diff.root)}:\n`);
    root = diff.root;
    if (options.stat) {
      const { added, removed } = statOf(diff);
      const path = visible(nearPath(`${diff.root}/${diff.path}`, here));
      process.stdout.write(`${path}  ${terminal.colors.green(`+${added}`)} ${terminal.colors.red(`-${removed}`)}\n`);
    } else if (terminal.isTerminal) process.stdout.write(`${paintDiff(diff.lines, terminal).join('\n')}\n`);
    // Byte for byte, for git and patch.
    else process.stdout.write(Buffer.from(`${diff.lines.join('\n')}\n`, 'latin1'));
  }
  if (newer.length > 0) process.stderr.write(`${describeNewer(newer)}\n`);
  const held = drawHeldBack(stage, here);
  if (held.length > 0) process.stderr.write(`${held.join('\n')}\n`);
  return EXIT.ok;
}

const MAX_NEWER = 10;

function describeNewer(paths: readonly string[]): string {
  const more = paths.length > MAX_NEWER ? ` and ${paths.length - MAX_NEWER} more` : '';
  return `Changed since then, and shown as they are now: ${paths.slice(0, MAX_NEWER).join(', ')}${more}`;
}

function toText(lines: readonly string[]): string {
  return lines.length === 0 ? '' : Buffer.from(`${lines.join('\n')}\n`, 'latin1').toString('utf8');
}

function titleOf(stage: StagedCommand): string {
  const { id, startedAt, command } = stage;
  return `${visible(id)}  ${stateText(stage)}  ${age(Date.now() - startedAt)} ago  ${countText(stage)}\n  ${visible(command)}`;
}
