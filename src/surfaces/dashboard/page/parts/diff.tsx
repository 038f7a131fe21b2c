// A changed file as a unified diff with colors, and how many files were created, changed and deleted.

import type { ChangedFileDiff, ChangesPage } from '../../wire.ts';
import { plainOutput, ShortText } from './command-text.tsx';

const KINDS = ['created', 'changed', 'deleted'] as const;

export function Counts({ counts }: { counts: ChangesPage['counts'] }) {
  const shown = KINDS.filter((kind) => counts[kind] > 0);
  return (
    <span class="counts">
      {shown.map((kind) => (
        <span key={kind} class={kind}>
          {counts[kind]} {kind}
        </span>
      ))}
      {shown.length === 0 && <span class="dim">{counts.folders > 0 ? `${counts.folders} folders` : 'nothing'}</span>}
    </span>
  );
}

/** The command of a large change may have thousands: only the first are open. */
export function FileDiff({ file, isOpen }: { file: ChangedFileDiff; isOpen: boolean }) {
  const { path, change, lines, omittedLines, isNewer } = file;
  const kind = change === 'mode' ? 'changed' : change;
  const hunk = lines.findIndex((line) => line.startsWith('@@'));
  // Above it, `+++` and `---` name the file.
  const body = hunk === -1 ? lines.length : hunk;
  return (
    <details class="file" open={isOpen}>
      <summary>
        <span class="counts">
          <span class={kind}>{change === 'mode' ? 'permissions' : change}</span>
        </span>
        <ShortText text={path} />
        {isNewer && <span class="badge ask">changed since: shown as it is now</span>}
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keys */}
      <section class="diff" tabIndex={0} aria-label={`Changes of ${plainOutput(path)}`}>
        {lines.map((line, index) => (
          <span key={`${index} ${line}`} class={toneOf(line, index >= body)}>
            {plainOutput(line) || ' '}
          </span>
        ))}
        {omittedLines > 0 && <span class="about">{omittedLines} more lines: hardshell changes shows them all</span>}
      </section>
    </details>
  );
}

function toneOf(line: string, isBody: boolean): string {
  if (!isBody) return 'about';
  if (line.startsWith('@@')) return 'hunk';
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : '';
}
