// Requests, one line each with its state; each opens its page.

import type { HistoryRow } from '../../wire.ts';
import { duration, moment } from '../format.ts';
import { DecisionBadge, StatusText, tellAnswerer } from './badges.tsx';
import { ShortText } from './command-text.tsx';

export function Rows({ rows }: { rows: readonly HistoryRow[] }) {
  if (rows.length === 0) return null;
  return (
    <ul class="rows history">
      {/* A list of links, not a table: the words above the columns are for the eye. */}
      <li class="head" aria-hidden="true">
        <span>Time</span>
        <span>Decision</span>
        <span>Result</span>
        <span>Took</span>
        <span>Command</span>
        <span class="notes" />
      </li>
      {rows.map((row) => (
        <li key={row.task}>
          <a data-row="" href={`#/command/${encodeURIComponent(row.task)}`}>
            <span class="dim">{moment(row.at)}</span>
            <DecisionBadge verdict={row.verdict} status={row.status} answeredBy={row.answeredBy} />
            <StatusText status={row.status} exit={row.exit} signal={row.signal} />
            <span class="dim">{row.wallMs === null ? '' : duration(row.wallMs)}</span>
            <ShortText text={row.command} />
            <span class="notes">
              {row.answeredBy !== null && <span class="dim">{tellAnswerer(row.answeredBy)}</span>}
              {row.violations > 0 && (
                <span class="badge ended">
                  {row.violations} {row.violations === 1 ? 'violation' : 'violations'}
                </span>
              )}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
