// A loop → whether something in a round takes time, so that the loop does not only burn it.

import { type ArithmeticFor, forEachChild, type SyntaxNode, type While } from '../../parse/tree.ts';
import type { Draft } from '../effects/draft.ts';
import { streamOf } from './streams.ts';

const WAITS = new Set('sleep usleep wait read inotifywait fswatch select watch ping'.split(' '));
/** Done at once, like reading a file; what changes something or talks to somebody takes its time. */
const AT_ONCE: ReadonlySet<string> = new Set(['neutral', 'list', 'search', 'read']);

export function isWaiting(loop: While | ArithmeticFor, draftsOf: (node: SyntaxNode) => readonly Draft[]): boolean {
  let found = false;
  const visit = (node: SyntaxNode): void => {
    if (found || node.type === 'Function' || (node.type === 'Statement' && node.background === true)) return;
    if (node.type === 'Command') found = draftsOf(node).some(takesTime);
    if (!found) forEachChild(node, visit);
  };
  forEachChild(loop, visit);
  return found;
}

function takesTime(draft: Draft): boolean {
  const { name, kind, words } = draft;
  if (name === 'sleep')
    return !words.slice(1).every((word) => word.kind === 'literal' && /^[0.]+[smhd]?$/.test(word.value));
  if (name !== null && WAITS.has(name)) return true;
  if (kind === 'redirect' || kind === 'function') return false;
  return !AT_ONCE.has(draft.class) || streamOf(draft) === 'endless';
}
