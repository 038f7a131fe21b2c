// Numbers over time as lines. Lines differ in their dashes, not only in color; a table next to it has the same data.

import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { duration } from '../format.ts';

export interface Series {
  readonly name: string;
  /** A variable of the style sheet. */
  readonly color: string;
  readonly dash: readonly number[];
  readonly values: readonly (number | null)[];
}

const HEIGHT = 220;

export interface PlotProps {
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly unit: 'count' | 'ms';
}

export function Plot({ times, series, unit }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = box;
    if (current === null) return;
    let plot: uPlot | null = null;
    const draw = (): void => {
      plot?.destroy();
      plot = new uPlot(
        optionsOf(current, { times, series, unit }),
        [times.map((at) => at / 1_000), ...series.map(({ values }) => [...values])],
        current,
      );
    };
    draw();
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    const sizes = new ResizeObserver(() => plot?.setSize({ width: current.clientWidth, height: HEIGHT }));
    sizes.observe(current);
    return () => {
      scheme.removeEventListener('change', draw);
      sizes.disconnect();
      plot?.destroy();
    };
  }, [times, series, unit]);
  return (
    <>
      <div class="plot" ref={box} aria-hidden="true" />
      <Table times={times} series={series} />
    </>
  );
}

function optionsOf(box: HTMLElement, { times, series, unit }: PlotProps): uPlot.Options {
  const style = getComputedStyle(box);
  const color = (name: string): string => style.getPropertyValue(name).trim();
  const [text, grid] = [color('--dim'), color('--line')];
  const axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
  const number = (value: number | null): string => {
    if (value === null) return '–';
    return unit === 'ms' ? duration(value) : String(value);
  };
  return {
    width: box.clientWidth,
    height: HEIGHT,
    // The legend shows the dashes too.
    legend: { live: false, markers: { width: 2, dash: (_plot, at) => dashName(series[at - 1]?.dash ?? []) } },
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.1)] } },
    axes: [
      { ...axis, values: (_plot, ticks) => ticks.map((at) => clock(at * 1_000, times)) },
      {
        ...axis,
        size: 72,
        values: (_plot, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? number(tick) : '')),
      },
    ],
    series: [
      { value: (_plot, at) => (at === null ? '–' : new Date(at * 1_000).toLocaleString()) },
      ...series.map(({ name, color: variable, dash, values }) => ({
        label: name,
        stroke: color(variable),
        width: 2,
        dash: [...dash],
        // A value without neighbors is a point; otherwise it would be invisible.
        points: { size: 6, show: values.includes(null) },
        value: (_plot: uPlot, value: number | null) => number(value),
      })),
    ],
  };
}

function dashName([first]: readonly number[]): string {
  if (first === undefined) return 'solid';
  return first > 4 ? 'dashed' : 'dotted';
}

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hour12: false });
const DAY = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric' });
const SEVERAL_DAYS_MS = 2 * 86_400_000;

function clock(at: number, times: readonly number[]): string {
  return ((times.at(-1) ?? 0) - (times[0] ?? 0) > SEVERAL_DAYS_MS ? DAY : CLOCK).format(at);
}

/** Only the times with data. */
function Table({ times, series }: { times: readonly number[]; series: readonly Series[] }) {
  const rows = times.flatMap((at, index) => {
    const values = series.map((one) => one.values[index] ?? null);
    return values.some((value) => value !== null && value !== 0) ? [{ at, values }] : [];
  });
  return (
    <details class="numbers">
      <summary>The numbers</summary>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">From</th>
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ at, values }) => (
              <tr key={at}>
                <th scope="row">{new Date(at).toLocaleString()}</th>
                {values.map((value, index) => (
                  <td key={series[index]?.name}>{value ?? '–'}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
