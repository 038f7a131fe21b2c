// Measures contenders side by side: in every round each of them runs once, so that noise and heat affect all equally.
// Reports medians and 95th percentiles; ratios are taken round by round, which cancels common effects of a round.

const BATCH_NS = 1_000_000;
/** The engine compiles the last functions of a long analysis only after thousands of calls. */
const WARM_UP_NS = 1_500_000_000;

/** Runs a contender until the engine has compiled it, then returns how many calls make one sample of about a millisecond. */
function warmUp(work) {
  const start = process.hrtime.bigint();
  let calls = 1;
  for (;;) {
    const began = process.hrtime.bigint();
    for (let i = 0; i < calls; i += 1) work();
    const now = process.hrtime.bigint();
    if (Number(now - start) >= WARM_UP_NS) return Math.max(1, Math.round((calls * BATCH_NS) / Number(now - began)));
    if (Number(now - began) < BATCH_NS) calls *= 2;
  }
}

/** `contenders`: name → synchronous function. Returns name → µs per call, one value per round. */
export function interleave(contenders, rounds) {
  const names = Object.keys(contenders);
  const calls = Object.fromEntries(names.map((name) => [name, warmUp(contenders[name])]));
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    // A different one starts each round: a contender that follows a heavy one pays for its garbage.
    for (let i = 0; i < names.length; i += 1) {
      const name = names[(i + round) % names.length];
      const start = process.hrtime.bigint();
      for (let call = 0; call < calls[name]; call += 1) contenders[name]();
      samples[name].push(Number(process.hrtime.bigint() - start) / 1e3 / calls[name]);
    }
  }
  return samples;
}

export function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];
}

export function timeRow(name, samples) {
  return { case: name, median: quantile(samples, 0.5), p95: quantile(samples, 0.95), unit: 'us' };
}

/** One contender against another; `target` is the maximum ratio. */
export function ratioRow(name, samples, reference, target) {
  const ratios = samples.map((value, round) => value / reference[round]);
  const median = quantile(ratios, 0.5);
  return {
    case: name,
    median,
    p95: quantile(ratios, 0.95),
    ratio: median,
    unit: 'x',
    target,
    reached: median <= target,
  };
}

/** With --json the last line is one object; otherwise a table for a person. */
export function report(name, rows, { json }) {
  if (json) {
    process.stdout.write(`${JSON.stringify({ name, rows: rows.map(rounded) })}\n`);
    return;
  }
  const width = Math.max(...rows.map((row) => row.case.length));
  const lines = rows.map((row) => {
    const [median, p95] = [row.median, row.p95].map((value) => value.toFixed(value < 10 ? 2 : 0).padStart(10));
    const target =
      row.target === undefined ? '' : `  ${row.bound ?? '<='} ${row.target}  ${row.reached ? 'reached' : 'MISSED'}`;
    return `${row.case.padEnd(width)}  ${median}  ${p95}  ${row.unit.padEnd(2)}${target}`;
  });
  const head = `${'case'.padEnd(width)}  ${'median'.padStart(10)}  ${'p95'.padStart(10)}      target`;
  process.stdout.write(`${[head, ...lines].map((line) => line.trimEnd()).join('\n')}\n`);
}

function rounded(row) {
  const entries = Object.entries(row).map(([key, value]) => [
    key,
    typeof value === 'number' ? Number(value.toPrecision(4)) : value,
  ]);
  return Object.fromEntries(entries);
}
