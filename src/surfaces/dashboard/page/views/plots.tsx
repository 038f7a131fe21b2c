// Verdicts and durations over time; the most used programs, and violations.

import { useMemo, useState } from 'preact/hooks';
import type { Statistics } from '../../wire.ts';
import { useLoaded } from '../loading.ts';
import { Sign, VerdictBadge } from '../parts/badges.tsx';
import { ShortText } from '../parts/command-text.tsx';
import { Plot, type Series } from '../parts/plot.tsx';
import { recordCount } from '../state.ts';

const SPANS = { hour: 'last hour', day: 'last day', week: 'last week' } as const;
/** Not with each record: a busy minute is counted some times, not some thousand times. */
const AGAIN_EVERY = 25;

export function Plots() {
  const [span, setSpan] = useState('day');
  const [start] = useState(recordCount.peek());
  const again = Math.ceil((recordCount.value - start) / AGAIN_EVERY);
  const { value, problem } = useLoaded<Statistics>(`statistics?span=${span}`, again).value;
  return (
    <>
      <h1>Plots</h1>
      <div class="filters">
        <label>
          Time
          <select value={span} onChange={(event) => setSpan(event.currentTarget.value)}>
            {Object.entries(SPANS).map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </select>
        </label>
      </div>
      {problem !== null && <p class="problem">{problem}</p>}
      {value?.span === span && <Drawn statistics={value} />}
    </>
  );
}

function Drawn({ statistics }: { statistics: Statistics }) {
  const { totals, programs, targets, isCut } = statistics;
  const { times, verdicts, latencies, violations } = useMemo(() => seriesOf(statistics), [statistics]);
  return (
    <>
      <ul class="totals">
        {(['allow', 'ask', 'deny'] as const).map((name) => (
          <li key={name} data-total={name}>
            <strong>{totals[name]}</strong> <VerdictBadge verdict={name} />
          </li>
        ))}
        <li data-total="violations">
          <strong>{totals.violations}</strong> <Sign kind="ended" sign="!" word="violations" />
        </li>
      </ul>
      {isCut && <p class="problem">There are more records than are counted here; only the newest are counted.</p>}
      <div class="columns">
        <section>
          <h2>Verdicts</h2>
          <Plot times={times} series={verdicts} unit="count" />
        </section>
        <section>
          <h2>How long commands took</h2>
          <Plot times={times} series={latencies} unit="ms" />
        </section>
        <section>
          <h2>Most used programs</h2>
          <Bars
            rows={programs.map(({ name, count, refused }) => ({
              name,
              count,
              note: refused === 0 ? '' : `${refused} refused`,
            }))}
          />
        </section>
        <section>
          <h2>Violations</h2>
          {totals.violations > 0 && <Plot times={times} series={violations} unit="count" />}
          <Bars rows={targets.map(({ name, count }) => ({ name, count, note: '' }))} />
        </section>
      </div>
    </>
  );
}

/** At least so many steps are drawn, or one busy minute would fill the width. */
const MIN_STEPS = 6;

/** From the first step with anything in it: an hour of work is not a corner of an empty day. */
function withoutEmptyStart({ from, stepMs, buckets }: Statistics): Pick<Statistics, 'from' | 'stepMs' | 'buckets'> {
  const used = buckets.findIndex((bucket) => Object.values(bucket).some((value) => value !== null && value !== 0));
  const first = Math.max(0, Math.min((used === -1 ? 0 : used) - 1, buckets.length - MIN_STEPS));
  return { from: from + first * stepMs, stepMs, buckets: buckets.slice(first) };
}

function seriesOf(statistics: Statistics) {
  const { from, stepMs, buckets } = withoutEmptyStart(statistics);
  const of = (
    name: keyof Statistics['buckets'][number],
    words: string,
    color: string,
    dash: readonly number[],
  ): Series => ({
    name: words,
    color,
    dash,
    values: buckets.map((bucket) => bucket[name]),
  });
  return {
    times: buckets.map((_, index) => from + index * stepMs),
    verdicts: [
      of('allow', 'allow', '--good', []),
      of('ask', 'ask', '--ask', [8, 4]),
      of('deny', 'deny', '--bad', [2, 3]),
    ],
    latencies: [of('medianMs', 'median', '--accent', []), of('p95Ms', '95 %', '--ask', [8, 4])],
    violations: [of('violations', 'violations', '--bad', [2, 3])],
  };
}

function Bars({ rows }: { rows: readonly { readonly name: string; readonly count: number; readonly note: string }[] }) {
  if (rows.length === 0) return <p class="dim">Nothing.</p>;
  const most = Math.max(...rows.map(({ count }) => count));
  return (
    <ul class="bars">
      {rows.map(({ name, count, note }) => (
        <li key={name}>
          <ShortText text={name} />
          <span class="number">{count}</span>
          <meter min={0} max={most} value={count} aria-label={name} />
          {note !== '' && <span class="dim">{note}</span>}
        </li>
      ))}
    </ul>
  );
}
