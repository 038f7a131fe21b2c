// A strict reader of the text format 0.0.4, written from its specification: everything else is thrown.

export interface ReadFamily {
  readonly help: string;
  readonly type: string;
  /** Name with sorted labels → value. */
  readonly samples: Map<string, number>;
}

interface ReadSample {
  readonly name: string;
  readonly labels: Record<string, string>;
  readonly value: number;
}

const SUFFIXES = ['_bucket', '_sum', '_count'];

export function readPrometheus(text: string): Map<string, ReadFamily> {
  if (!text.endsWith('\n')) throw new Error('The last line must end with a line feed.');
  const families = new Map<string, ReadFamily>();
  const raw = new Map<string, ReadSample[]>();
  let current: { name: string; help: string; type: string | null } | null = null;
  for (const line of text.slice(0, -1).split('\n')) {
    const help = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*)$/.exec(line);
    const type = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram)$/.exec(line);
    if (help !== null) {
      if (families.has(help[1] as string)) throw new Error(`Twice: ${help[1]}`);
      current = { name: help[1] as string, help: unescapeText(help[2] as string, /[\\n]/), type: null };
    } else if (type !== null) {
      if (current === null || current.name !== type[1] || current.type !== null) throw new Error(`Misplaced: ${line}`);
      current.type = type[2] as string;
      families.set(current.name, { help: current.help, type: current.type, samples: new Map() });
      raw.set(current.name, []);
    } else {
      const sample = readSample(line);
      if (current?.type === null || current === null) throw new Error(`A sample before its type: ${line}`);
      const { name, type: kind } = current;
      const names = kind === 'histogram' ? SUFFIXES.map((suffix) => name + suffix) : [name];
      if (!names.includes(sample.name)) throw new Error(`${sample.name} is not of ${name}`);
      if (kind === 'counter' && !name.endsWith('_total')) throw new Error(`A counter without _total: ${name}`);
      if (kind === 'counter' && !(sample.value >= 0)) throw new Error(`A counter below 0: ${line}`);
      const { samples } = families.get(name) as ReadFamily;
      const key = keyOf(sample.name, sample.labels);
      if (samples.has(key)) throw new Error(`Twice: ${key}`);
      samples.set(key, sample.value);
      raw.get(name)?.push(sample);
    }
  }
  for (const [name, { type }] of families) if (type === 'histogram') checkHistogram(name, raw.get(name) ?? []);
  return families;
}

function keyOf(name: string, labels: Record<string, string>): string {
  const sorted = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.length === 0 ? name : `${name} ${sorted.map(([label, value]) => `${label}=${value}`).join(' ')}`;
}

function readSample(line: string): ReadSample {
  const name = /^[a-zA-Z_:][a-zA-Z0-9_:]*/.exec(line)?.[0];
  if (name === undefined) throw new Error(`No sample: ${line}`);
  const labels: Record<string, string> = {};
  let rest = line.slice(name.length);
  if (rest.startsWith('{')) {
    rest = rest.slice(1);
    for (;;) {
      const label = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/.exec(rest);
      if (label === null) throw new Error(`No label: ${line}`);
      const [whole, key, value] = label as unknown as [string, string, string];
      if (key in labels) throw new Error(`Twice: ${key} in ${line}`);
      labels[key] = unescapeText(value, /[\\n"]/);
      rest = rest.slice(whole.length);
      if (rest.startsWith('}')) break;
      if (!rest.startsWith(',')) throw new Error(`No label: ${line}`);
      rest = rest.slice(1);
    }
    rest = rest.slice(1);
  }
  const value = /^ (\+Inf|-Inf|NaN|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/.exec(rest)?.[1];
  if (value === undefined) throw new Error(`No value: ${line}`);
  return { name, labels, value: value.endsWith('Inf') ? Number(`${value}inity`) : Number(value) };
}

function unescapeText(text: string, allowed: RegExp): string {
  return text.replace(/\\(.?)/g, (_, letter: string) => {
    if (!allowed.test(letter)) throw new Error(`No escape: \\${letter}`);
    return letter === 'n' ? '\n' : letter;
  });
}

function checkHistogram(name: string, samples: readonly ReadSample[]): void {
  const groups = new Map<string, { le: number; count: number }[]>();
  const totals = new Map<string, number>();
  const sums = new Set<string>();
  for (const { name: full, labels, value } of samples) {
    const { le, ...others } = labels;
    const group = keyOf(name, others);
    if (full === `${name}_bucket`) {
      if (le === undefined) throw new Error(`A bucket without le: ${group}`);
      const bound = le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le);
      const buckets = groups.get(group) ?? [];
      const before = buckets.at(-1);
      if (before !== undefined && !(bound > before.le && value >= before.count))
        throw new Error(`Buckets of ${group} do not rise at ${le}`);
      groups.set(group, [...buckets, { le: bound, count: value }]);
    } else if (full === `${name}_count`) totals.set(group, value);
    else sums.add(group);
  }
  for (const [group, buckets] of groups) {
    const last = buckets.at(-1);
    if (last?.le !== Number.POSITIVE_INFINITY) throw new Error(`${group} has no +Inf`);
    if (totals.get(group) !== last.count) throw new Error(`${group}: the count is not that of +Inf`);
    if (!sums.has(group)) throw new Error(`${group} has no sum`);
  }
  if (totals.size !== groups.size || sums.size !== groups.size) throw new Error(`${name}: sums without buckets`);
}
