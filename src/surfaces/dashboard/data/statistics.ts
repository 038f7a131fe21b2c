// Records of a time span → the data of the plots. Bounded: if there are too many records, the newest are counted.

import { type AuditReader, type AuditRecord, VERDICTS } from '../../../host.ts';
import { Refused } from '../refused.ts';
import type { Statistics } from '../wire.ts';

/** Span → width of a bucket. */
const SPANS: Readonly<Record<string, { readonly spanMs: number; readonly stepMs: number }>> = {
  hour: { spanMs: 3_600_000, stepMs: 120_000 },
  day: { spanMs: 86_400_000, stepMs: 3_600_000 },
  week: { spanMs: 7 * 86_400_000, stepMs: 6 * 3_600_000 },
};
const MAX_RECORDS = 100_000;
const MAX_NAMES = 10;

interface Bucket {
  allow: number;
  ask: number;
  deny: number;
  violations: number;
  readonly walls: number[];
}

export async function countRecords(reader: AuditReader, span: string, now: number): Promise<Statistics> {
  const chosen = Object.hasOwn(SPANS, span) ? SPANS[span] : undefined;
  if (chosen === undefined) throw new Refused(400, `span must be one of ${Object.keys(SPANS).join(', ')}.`);
  const { spanMs, stepMs } = chosen;
  // Whole steps, so that a bucket keeps its records as time passes.
  const from = Math.floor((now - spanMs) / stepMs) * stepMs + stepMs;
  const buckets = Array.from(
    { length: Math.floor((now - from) / stepMs) + 1 },
    (): Bucket => ({ allow: 0, ask: 0, deny: 0, violations: 0, walls: [] }),
  );
  const programs = new Map<string, { count: number; refused: number }>();
  const targets = new Map<string, number>();
  let count = 0;
  const types = ['verdict', 'end', 'violation'];
  for await (const record of reader.query({ types, since: from, until: now, limit: MAX_RECORDS })) {
    count += 1;
    const bucket = buckets[Math.floor((record.at - from) / stepMs)];
    if (bucket !== undefined) add(record, bucket, programs, targets);
  }
  const total = (name: 'allow' | 'ask' | 'deny' | 'violations') => buckets.reduce((sum, each) => sum + each[name], 0);
  return {
    span,
    from,
    stepMs,
    buckets: buckets.map(({ walls, ...counts }) => ({ ...counts, ...quantiles(walls) })),
    totals: {
      ...Object.fromEntries(VERDICTS.map((name) => [name, total(name)])),
      violations: total('violations'),
    } as Statistics['totals'],
    programs: topOf(programs, ({ count: number }) => number).map(([name, counts]) => ({ name, ...counts })),
    targets: topOf(targets, (number) => number).map(([name, number]) => ({ name, count: number })),
    isCut: count === MAX_RECORDS,
  };
}

function add(
  record: AuditRecord,
  bucket: Bucket,
  programs: Map<string, { count: number; refused: number }>,
  targets: Map<string, number>,
): void {
  if (record.type === 'verdict') {
    bucket[record.verdict] += 1;
    const name = programOf(record.command);
    const counts = programs.get(name) ?? { count: 0, refused: 0 };
    programs.set(name, { count: counts.count + 1, refused: counts.refused + (record.verdict === 'deny' ? 1 : 0) });
  } else if (record.type === 'violation') {
    bucket.violations += 1;
    const name = `${record.operation} ${record.target}`;
    targets.set(name, (targets.get(name) ?? 0) + 1);
  } else if (record.type === 'end' && record.usage !== null) bucket.walls.push(record.usage.wallMs);
}

/** Words before the first command: `for x in y; do`, `if`, `(`, `!`. */
const LEAD = /^(?:(?:for|select)\s[^;\n]*[;\n]\s*do|case\s[^)]*\)|while|until|if|time|!|[({])\s+/;

/** The first word that is not an assignment: good enough for a list. */
function programOf(command: string): string {
  let text = command.slice(0, 1_000).trim();
  for (let lead = LEAD.exec(text); lead !== null; lead = LEAD.exec(text)) text = text.slice(lead[0].length);
  const word = text.split(/\s+/, 20).find((each) => !/^\w+=/.test(each));
  return (word ?? '').slice(0, 60).replace(/^.*\//, '') || '(nothing)';
}

function quantiles(numbers: number[]): { readonly medianMs: number | null; readonly p95Ms: number | null } {
  numbers.sort((a, b) => a - b);
  const at = (part: number): number | null => numbers[Math.ceil(part * numbers.length) - 1] ?? null;
  return { medianMs: at(0.5), p95Ms: at(0.95) };
}

function topOf<T>(map: ReadonlyMap<string, T>, size: (value: T) => number): [string, T][] {
  return [...map].sort(([a, x], [b, y]) => size(y) - size(x) || (a < b ? -1 : 1)).slice(0, MAX_NAMES);
}
