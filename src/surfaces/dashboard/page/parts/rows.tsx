// Requests, one line each with how it stands; each opens its page.

import type { HistoryRow } from '../../wire.ts';
import { duration, moment } from '../format.ts';
import { StatusText, tellAnswerer, VerdictBadge } from './badges.tsx';
import { ShortText } from './command-text.tsx';

export function Rows({ rows }: { rows: readonly HistoryRow[] }) {
  if (rows.length === 0) return null;
  return (
    <ul class="rows history">
      {rows.map((row) => (
        <li key={row.task}>
          <a data-row="" href={`#/command/${encodeURIComponent(row.task)}`}>
            <span class="dim">{moment(row.at)}</span>
            <VerdictBadge verdict={row.verdict} />
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
