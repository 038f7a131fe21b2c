// `2h`, `3d`, `2026-11-15`, `2026-11-15 14:00` → milliseconds since 1970. `null` for anything else.

const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};
const AGO = /^(\d{1,6})\s?([smhdw])$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:?\d{2})?$/;

/** A day alone starts at midnight here; as an end it includes its last moment. */
export function parseMoment(text: string, side: 'since' | 'until', now = Date.now()): number | null {
  const [, count, unit] = AGO.exec(text.trim()) ?? [];
  if (unit !== undefined) return now - Number(count) * (UNITS[unit] as number);
  const isDay = DAY.test(text.trim());
  if (!isDay && !TIME.test(text.trim())) return null;
  const at = Date.parse(isDay ? `${text.trim()}T00:00` : text.trim().replace(' ', 'T'));
  if (Number.isNaN(at)) return null;
  return isDay && side === 'until' ? at + (UNITS.d as number) - 1 : at;
}
