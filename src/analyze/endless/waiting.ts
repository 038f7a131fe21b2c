// A loop, or a process in parallel to it → whether something in it takes time.

import { forEachChild, type Statement, type SyntaxNode } from '../../parse/tree.ts';
import type { Draft } from '../effects/draft.ts';
import { streamOf } from './streams.ts';

const WAITS = new Set('sleep usleep wait read inotifywait fswatch select watch ping'.split(' '));
/** Fast, like reading a file; commands that change something or use the network take time. */
const AT_ONCE: ReadonlySet<string> = new Set(['neutral', 'list', 'search', 'read']);

export function isWaiting(node: SyntaxNode, draftsOf: (node: SyntaxNode) => readonly Draft[]): boolean {
  let found = false;
  const visit = (each: SyntaxNode): void => {
    if (found || each.type === 'Function' || (each.type === 'Statement' && each.background === true)) return;
    // Processes in parallel do not block the loop.
    if (each.type === 'ProcessSubstitution' || each.type === 'Coproc') return;
    if (each.type === 'Command') found = draftsOf(each).some(takesTime);
    if (!found) forEachChild(each, visit);
  };
  forEachChild(node, visit);
  return found;
}

/**
 * Each iteration prints with a builtin: when the pipe is closed, a signal ends the shell that runs the loop.
 * A program would end alone, and the loop would go on.
 */
export function printsItself(
  body: { readonly commands: readonly Statement[] },
  draftsOf: (node: SyntaxNode) => readonly Draft[],
): boolean {
  return body.commands.some(({ command, background }) => {
    if (background === true || command.type !== 'Command' || command.redirects.length > 0) return false;
    const drafts = draftsOf(command);
    return (
      drafts.length > 0 &&
      drafts.every(({ name, kind }) => kind === 'builtin' && (name === 'echo' || name === 'printf'))
    );
  });
}

function takesTime(draft: Draft): boolean {
  const { name, kind, words } = draft;
  if (name === 'sleep')
    return !words.slice(1).every((word) => word.kind === 'literal' && /^[0.]+[smhd]?$/.test(word.value));
  if (name !== null && WAITS.has(name)) return true;
  if (kind === 'redirect' || kind === 'function') return false;
  return !AT_ONCE.has(draft.class) || streamOf(draft) === 'endless';
}
