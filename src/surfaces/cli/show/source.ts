// Source text and a span → the line it is on, made visible, with carets under the span.

import type { Span } from '../../../host/deciding.ts';
import { columns, takeColumns, visible } from './visible.ts';

export interface MarkedLine {
  readonly text: string;
  /** Column where the carets start, and how many. */
  readonly start: number;
  readonly length: number;
}

/** Cuts around the span when the line is wider than `width`. */
export function markSpan(source: string, span: Span, width: number): MarkedLine {
  const lineStart = source.lastIndexOf('\n', span[0] - 1) + 1;
  const newline = source.indexOf('\n', span[0]);
  const lineEnd = newline === -1 ? source.length : newline;
  const before = visible(source.slice(lineStart, span[0]));
  const marked = visible(source.slice(span[0], Math.min(Math.max(span[1], span[0]), lineEnd)));
  const after = visible(source.slice(Math.max(span[0], Math.min(span[1], lineEnd)), lineEnd));
  const length = Math.max(1, columns(marked));
  const full = { text: before + marked + after, start: columns(before), length };
  if (columns(full.text) <= width) return full;
  return cut(before, marked, after, width);
}

function cut(before: string, marked: string, after: string, width: number): MarkedLine {
  const shownMark = takeColumns(marked, Math.floor(width * 0.6));
  const room = width - columns(shownMark) - 6;
  const shownBefore = takeColumns([...before].reverse().join(''), Math.floor(room / 2));
  const head = (shownBefore.length < before.length ? '...' : '') + [...shownBefore].reverse().join('');
  const rest =
    shownMark.length < marked.length ? '' : takeColumns(after, width - columns(head) - columns(shownMark) - 3);
  const isCut = shownMark.length < marked.length || rest.length < after.length;
  return {
    text: head + shownMark + rest + (isCut ? '...' : ''),
    start: columns(head),
    length: Math.max(1, columns(shownMark)),
  };
}
