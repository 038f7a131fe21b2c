// Text of a command with its risky parts marked, and every invisible or reordering character spelled out.

import type { ComponentChildren } from 'preact';
import type { VerdictName } from '../../wire.ts';

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

function seen(text: string, newline: ComponentChildren): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const match of text.matchAll(UNSEEN)) {
    parts.push(text.slice(end, match.index));
    if (match[0] === '\n') parts.push(newline);
    else parts.push(<span class="unseen">{spell(match[0])}</span>);
    end = match.index + match[0].length;
  }
  parts.push(text.slice(end));
  return parts;
}

/** Spans may overlap: text in any of them is marked once. */
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

/** Parts that need attention: all that were not simply allowed, unless parts without a rule are nearly all of it. */
export function riskySpans(
  findings: readonly { readonly id: string; readonly verdict: VerdictName; readonly span: Span | null }[],
  text: string,
): Span[] {
  const spansOf = (isWanted: (id: string) => boolean): Span[] =>
    findings.flatMap(({ id, verdict, span }) => (span !== null && verdict !== 'allow' && isWanted(id) ? [span] : []));
  const all = spansOf(() => true);
  const marked = cut(text, all).reduce((sum, part) => sum + (part.isRisky ? part.text.length : 0), 0);
  return marked < MOST * text.length ? all : spansOf((id) => id !== 'no-rule');
}

export function CommandText({ text, spans = [] }: { text: string; spans?: readonly Span[] }) {
  return (
    <code class="command">
      {cut(text, spans).map((part) => (part.isRisky ? <mark>{seen(part.text, '\n')}</mark> : seen(part.text, '\n')))}
    </code>
  );
}

/** Visible in a list, but not alarming: most commands of several lines are harmless. */
const RETURN = <span class="dim"> ↵ </span>;

/** One line of it, for lists. */
export function ShortText({ text }: { text: string }) {
  return <code class="short">{seen(text.length > 300 ? `${text.slice(0, 300)}…` : text, RETURN)}</code>;
}

/** Output without colors; other control characters are spelled out. */
export function plainOutput(text: string): string {
  return text
    .replace(ESCAPES, '')
    .replace(/\r\n?/g, '\n')
    .replace(UNSEEN, (character) => (character === '\n' || character === '\t' ? character : spell(character)));
}
