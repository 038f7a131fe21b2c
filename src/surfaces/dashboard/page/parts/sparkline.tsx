// The last minute of a number as a line; the number itself is next to it.

const [WIDTH, HEIGHT] = [120, 28];

export interface SparklineProps {
  readonly name: string;
  readonly values: readonly number[];
  readonly shown: string;
  /** The minimum for full height: small values must not look large. */
  readonly least?: number;
}

export function Sparkline({ name, values, shown, least = 1 }: SparklineProps) {
  const top = Math.max(least, ...values);
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map(
    (value, at) => `${(at * step).toFixed(1)},${(HEIGHT - 2 - (value / top) * (HEIGHT - 4)).toFixed(1)}`,
  );
  return (
    <span class="sparkline">
      <span class="dim">{name}</span>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} aria-hidden="true" focusable="false">
        <polyline points={points.join(' ')} />
      </svg>
      <span class="number">{shown}</span>
    </span>
  );
}
