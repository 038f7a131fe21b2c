// Facts × the disk → what each `sed -i` would change, for the person who is asked.
// Shows no file that the verdict calls secret or outside: the question may be sent to other programs.

import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { previewSedEdit } from '../analyze/languages/sed-edit.ts';
import type { EditPreview } from '../core/approval.ts';
import type { CommandFact, EditFact, Facts } from '../core/facts.ts';
import type { Verdict } from '../core/verdict.ts';

const MAX_BYTES = 256 << 10;
const MAX_EDITS = 20;
const NOT_SHOWN = /^secret-|-outside-roots$|^symlink-escapes$/;

export function previewEdits({ commands }: Facts, { findings }: Pick<Verdict, 'findings'>, cwd: string): EditPreview[] {
  const edits = commands.flatMap((command, index) => command.edits.map((edit) => ({ edit, index })));
  const previews = edits.slice(0, MAX_EDITS).map(({ edit, index }) => {
    const isHidden = findings.some(({ id, command }) => NOT_SHOWN.test(id) && (command === null || command === index));
    const file = resolve(cwd, edit.file);
    return { file, ...(isHidden ? unknown('the file is secret or outside the project') : previewEdit(edit, file)) };
  });
  const others = commands.flatMap(unpreviewed);
  const left = edits.length + others.length - previews.length - Math.min(others.length, MAX_EDITS);
  const more = left === 0 ? [] : [{ file: `${left} more files`, ...unknown('not shown') }];
  return [...previews, ...others.slice(0, MAX_EDITS), ...more];
}

const IN_PLACE = ['-i', '--in-place'];

/** Files that `sed -i` would change without a preview: people must not take a missing diff for a missing change. */
function unpreviewed({ name, invocation, effects, edits }: CommandFact): EditPreview[] {
  if (name !== 'sed' && name !== 'gsed') return [];
  if (!invocation?.options.some(({ names }) => IN_PLACE.some((each) => names.includes(each)))) return [];
  const previewed = new Set(edits.map(({ file }) => file));
  const read = new Set(effects.reads.map(({ path }) => path));
  // Backups and files of `w` are written, but not read.
  const edited = effects.writes.filter(({ path }) => read.has(path) && (path === null || !previewed.has(path)));
  return edited.map(({ path, glob }) => {
    if (path === null) return { file: 'unknown file', ...unknown('no preview: the name is known only when it runs') };
    const why =
      glob === true ? 'the shell expands the pattern when it runs' : 'the sed command is not known completely';
    return { file: path, ...unknown(`no preview: ${why}`) };
  });
}

type Preview = Omit<EditPreview, 'file'>;

/** One edit of a file as it is now. */
export function previewEdit(edit: EditFact, path: string): Preview {
  const before = readSmallFile(path);
  if (before === null) return unknown('no readable text file here of at most 256 KiB');
  const preview = previewSedEdit(before, edit);
  if (!preview.ok) return unknown(`cannot be previewed: ${preview.why}`);
  // Without the two lines of file names and the end of the last line.
  const lines = preview.diff === '' ? [] : preview.diff.split('\n').slice(2, -1);
  return { diff: lines.join('\n'), why: null };
}

function unknown(why: string): Preview {
  return { diff: null, why };
}

function readSmallFile(path: string): string | null {
  try {
    const stats = statSync(path);
    if (!stats.isFile() || stats.size > MAX_BYTES) return null;
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch {
    return null;
  }
}
