// A stage → what its command changed, as a patch that git and patch read. Binary and large files are only named.

import { type Content, type Contents, type DiffedStage, listHeldNames, StageContents } from './contents.ts';
import type { ChangedName, Journal } from './journal.ts';
import { unifiedDiff } from './line-diff.ts';

/** Larger files are not compared. */
const MAX_FILE_BYTES = 1 << 20;
/** Where git looks for a NUL. */
const SEARCHED = 8_000;

export interface FileDiff {
  readonly root: string;
  /** Relative to it. */
  readonly path: string;
  /** Bytes as latin1. */
  readonly lines: readonly string[];
  /** The file was changed since then: the patch has what it contains now. */
  readonly isNewer: boolean;
}

/** One at a time: a command may have changed thousands of files. Folders have no content, and are left out. */
export function* diffStage(
  stage: DiffedStage,
  journal: Journal,
  part: 'changed' | 'held-back' = 'changed',
): Generator<FileDiff> {
  // The contents were deleted.
  if (stage.state === 'dropped') return;
  const contents = new StageContents(stage, journal, MAX_FILE_BYTES);
  const names =
    part === 'changed' ? journal.names : journal.held.flatMap((held) => listHeldNames(stage, journal, held));
  for (const name of names) {
    if (name.type === 'd') continue;
    const found = contents.of(name);
    const lines = diffContents(name, found);
    const root = journal.roots[name.root] as string;
    if (lines.length > 0 || found.isNewer) yield { root, path: name.path, lines, isNewer: found.isNewer };
  }
}

function diffContents({ path, change }: ChangedName, { before, after }: Contents): string[] {
  const written = Buffer.from(path, 'utf8').toString('latin1');
  const [a, b] = [quoteName(`a/${written}`), quoteName(`b/${written}`)];
  // Decoding has lost its bytes, so the file cannot be found.
  const isLost = path.includes('\ufffd');
  const body = isLost ? ['Its name is not valid UTF-8: its content is not shown.'] : bodyOf(a, b, before, after);
  const modes = isLost ? [] : modesOf(change, before, after);
  return body.length + modes.length === 0 ? [] : [`diff --git ${a} ${b}`, ...modes, ...body];
}

/** As git does: a line must stay one line. */
function quoteName(name: string): string {
  if (!/["\\\0-\x1f\x7f]/.test(name)) return name;
  const escaped = name.replace(/["\\\0-\x1f\x7f]/g, (character) =>
    /["\\]/.test(character) ? `\\${character}` : `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return `"${escaped}"`;
}

/** A tab ends a name that contains blanks. */
function ended(name: string): string {
  return name.includes(' ') ? `${name}\t` : name;
}

const LINK = '120000';

function modeOf(content: Content): string | null {
  if (content.kind === 'link') return LINK;
  return content.kind === 'file' ? `100${(content.mode & 0o777).toString(8).padStart(3, '0')}` : null;
}

function modesOf(change: ChangedName['change'], before: Content, after: Content): string[] {
  const [old, fresh] = [modeOf(before), modeOf(after)];
  if (change === 'created') return fresh === null ? [] : [`new file mode ${fresh}`];
  if (change === 'deleted') return old === null ? [] : [`deleted file mode ${old}`];
  return old === fresh || old === null || fresh === null ? [] : [`old mode ${old}`, `new mode ${fresh}`];
}

function bodyOf(a: string, b: string, before: Content, after: Content): string[] {
  if (before.kind === 'other' || after.kind === 'other') return ['Not a regular file: its content is not shown.'];
  const [old, fresh] = [textOf(before), textOf(after)];
  const [from, to] = [before.kind === 'none' ? '/dev/null' : a, after.kind === 'none' ? '/dev/null' : b];
  if (old === null || fresh === null)
    return [`Too large to compare: ${sizeOf(before)} bytes before, ${sizeOf(after)} bytes now.`];
  if (old === fresh) return [];
  if (isBinary(old) || isBinary(fresh)) return [`Binary files ${from} and ${to} differ`];
  return [`--- ${ended(from)}`, `+++ ${ended(to)}`, ...unifiedDiff(old, fresh)];
}

function textOf(content: Content): string | null {
  if (content.kind === 'file') return content.text;
  return content.kind === 'link' ? content.target : '';
}

function sizeOf(content: Content): number {
  return content.kind === 'file' ? content.bytes : 0;
}

function isBinary(text: string): boolean {
  return text.slice(0, SEARCHED).includes('\0');
}
