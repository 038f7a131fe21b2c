// Text of a command with what is risky marked, and every character that cannot be seen, or reorders others, spelled out.

import type { ComponentChildren } from 'preact';

type Span = readonly [number, number];

const UNSEEN = /[\p{C}\p{DI}\p{Zl}\p{Zp}\u2800]|(?! )\p{Zs}/gu;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r', '\x1b': '\\e', '\0': '\\0' };
const ESCAPES = /\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g;

function spell(character: string): string {
  const short = SHORT[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}

function seen(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const match of text.matchAll(UNSEEN)) {
    parts.push(text.slice(end, match.index));
    parts.push(<span class="unseen">{spell(match[0])}</span>);
    if (match[0] === '\n') parts.push('\n');
    end = match.index + match[0].length;
  }
  parts.push(text.slice(end));
  return parts;
}

/** Spans may overlap: what lies in any of them is marked once. */
function cut(text: string, spans: readonly Span[]): { readonly text: string; readonly isRisky: boolean }[] {
  const bounds = [0, text.length, ...spans.flat()].filter((at) => at >= 0 && at <= text.length);
  const sorted = [...new Set(bounds)].sort((a, b) => a - b);
  const parts: { text: string; isRisky: boolean }[] = [];
  for (const [index, start] of sorted.entries()) {
    const end = sorted[index + 1];
    if (end === undefined) break;
    const isRisky = spans.some(([from, to]) => from <= start && end <= to);
    const last = parts.at(-1);
    if (last !== undefined && last.isRisky === isRisky) last.text += text.slice(start, end);
    else parts.push({ text: text.slice(start, end), isRisky });
  }
  return parts;
}

const MOST = 0.8;

/** What deserves a second look: what a check is about, or else the part that no rule covers, unless that is nearly all. */
export function riskySpans(
  findings: readonly { readonly id: string; readonly span: Span | null }[],
  text: string,
): Span[] {
  const spansOf = (isWanted: (id: string) => boolean): Span[] =>
    findings.flatMap(({ id, span }) => (span !== null && isWanted(id) ? [span] : []));
  const found = spansOf((id) => id !== 'no-rule');
  if (found.length > 0) return found;
  const uncovered = spansOf((id) => id === 'no-rule');
  const length = uncovered.reduce((sum, [start, end]) => sum + end - start, 0);
  return length < MOST * text.length ? uncovered : [];
}

export function CommandText({ text, spans = [] }: { text: string; spans?: readonly Span[] }) {
  return (
    <code class="command">
      {cut(text, spans).map((part) => (part.isRisky ? <mark>{seen(part.text)}</mark> : seen(part.text)))}
    </code>
  );
}

/** One line of it, for lists. */
export function ShortText({ text }: { text: string }) {
  return <code class="short">{seen(text.length > 300 ? `${text.slice(0, 300)}…` : text)}</code>;
}

/** Output without colours; other control characters are spelled out. */
export function plainOutput(text: string): string {
  return text
    .replace(ESCAPES, '')
    .replace(/\r\n?/g, '\n')
    .replace(UNSEEN, (character) => (character === '\n' || character === '\t' ? character : spell(character)));
}
