// Metric families → the text format of Prometheus, version 0.0.4. Independent of what is measured.

import { HardshellError } from '../../core/errors.ts';
import type { Distribution } from './distribution.ts';

export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

export type Family = { readonly name: string; readonly help: string } & (
  | { readonly type: 'counter' | 'gauge'; readonly samples: readonly Sample[] }
  | {
      readonly type: 'histogram';
      /** In milliseconds: written as seconds. */
      readonly histograms: readonly { readonly labels: Labels; readonly times: Distribution }[];
    }
);

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/;

export function writeFamilies(families: readonly Family[]): string {
  return families.map(writeFamily).join('');
}

function writeFamily(family: Family): string {
  const { name, help, type } = family;
  if (!NAME.test(name)) throw new HardshellError('internal', `${name} is not a valid metric name.`);
  const lines = [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`];
  if (family.type === 'histogram') for (const each of family.histograms) lines.push(...histogramLines(name, each));
  else for (const { labels, value } of family.samples) lines.push(`${name}${writeLabels(labels)} ${writeValue(value)}`);
  return lines.map((line) => `${line}\n`).join('');
}

function histogramLines(name: string, { labels, times }: { labels: Labels; times: Distribution }): string[] {
  const below = times.cumulative();
  const bucket = (le: string, count: number) => `${name}_bucket${writeLabels({ ...labels, le })} ${writeValue(count)}`;
  return [
    ...times.bounds.map((bound, at) => bucket(writeValue(bound / 1000), below[at] as number)),
    bucket('+Inf', times.count),
    `${name}_sum${writeLabels(labels)} ${writeValue(times.sum / 1000)}`,
    `${name}_count${writeLabels(labels)} ${writeValue(times.count)}`,
  ];
}

function writeLabels(labels: Labels): string {
  const written = Object.entries(labels).map(([name, value]) => {
    if (!LABEL.test(name)) throw new HardshellError('internal', `${name} is not a valid label name.`);
    return `${name}="${escapeLabel(value)}"`;
  });
  return written.length === 0 ? '' : `{${written.join(',')}}`;
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}

function writeValue(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return String(value);
}
