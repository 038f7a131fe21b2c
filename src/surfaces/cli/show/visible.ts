// Text from a command on a terminal: every character is visible, and its width in columns is known.

export { visible, visibleJson } from '../../../host/showing.ts';

/**
 * Columns that a terminal uses for visible text. By hand: `string-width` costs 15 to 25 ms of processor time before its
 * first answer (a segmenter, and a table of emoji sequences). The joiners that it would see have been written out by `visible`.
 */
export function columns(text: string): number {
  let count = 0;
  for (const character of text) count += characterColumns(character);
  return count;
}

/** The beginning that fits into so many columns. */
export function takeColumns(text: string, limit: number): string {
  let used = 0;
  let end = 0;
  for (const character of text) {
    used += columns(character);
    if (used > limit) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** At most so many columns, the ellipsis included. */
export function fitColumns(text: string, limit: number, ellipsis: string): string {
  return columns(text) <= limit ? text : takeColumns(text, limit - columns(ellipsis)) + ellipsis;
}

const COMBINING = () => /^\p{M}$/u;
const WIDE = () =>
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{1fa70}-\u{1faff}\u{20000}-\u{3fffd}]$/u;

function characterColumns(character: string): number {
  if (character < '\x7f') return 1;
  if (COMBINING().test(character)) return 0;
  return WIDE().test(character) ? 2 : 1;
}
