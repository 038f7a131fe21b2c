// Redirects → the files that they open, and the resulting standard input of a command.
// Refuses to guess: a target that is not literal is an unknown path.

import type { PathEffect, RedirectFact, RedirectKind, Span, WordValue } from '../../core/facts.ts';
import type { HereDoc, HereString, Redirect, Redirection } from '../../parse/tree.ts';
import { type Descriptor, type Descriptors, restoreDescriptors, setDescriptor, writtenFiles } from '../descriptors.ts';
import type { Draft } from '../effects/draft.ts';
import { resolvePath } from '../effects/paths.ts';
import { type Expansion, type Stdin, spanOf, UNKNOWN_STDIN } from '../machine.ts';
import { INTEGER, type State } from '../state.ts';
import { setByName } from '../variables.ts';
import { expandArgument, expandText, expandValue } from '../words/expand.ts';
import { VARIABLE_NAME } from '../words/lookup.ts';

export interface OpenedFiles {
  readonly facts: readonly RedirectFact[];
  /** `null`: standard input is not redirected. */
  readonly stdin: Stdin | null;
}

const KINDS: Readonly<Record<string, RedirectKind>> = {
  '>': 'write',
  '>|': 'write',
  '&>': 'write',
  '>>': 'append',
  '&>>': 'append',
  '<': 'read',
  '<>': 'read-write',
};
const NOTHING: OpenedFiles = { facts: [], stdin: null };

export function openRedirects(redirects: readonly Redirection[], draft: Draft, x: Expansion): OpenedFiles {
  if (redirects.length === 0) return NOTHING;
  const facts: RedirectFact[] = [];
  let stdin: Stdin | null = null;
  for (const redirect of redirects) {
    const fd = descriptorOf(redirect, x);
    const fact = openOne(redirect, fd, draft, x);
    facts.push(fact.redirect);
    noteDescriptors(fact.redirect, x);
    const isInput = fd === null ? fact.redirect.operator.startsWith('<') : fd === 0;
    if (isInput) stdin = fact.stdin;
  }
  return { facts, stdin };
}

/** After the command: files opened only for it are closed again. */
export function closeRedirects(after: State, outer: State, entered: State): State {
  const descriptors = restoreDescriptors(after.descriptors, outer.descriptors, entered.descriptors);
  return descriptors === after.descriptors ? after : { ...after, descriptors };
}

/** In the order of the text: later redirects may refer to earlier ones. */
function noteDescriptors({ kind, operator, fd, target }: RedirectFact, x: Expansion): void {
  // `{name}>f` allocates an unused number: it is unknown which.
  if (typeof fd === 'string') return;
  const number = fd ?? (operator.startsWith('<') ? 0 : 1);
  let { descriptors } = x.state;
  // `>f`, `2>/dev/null`: by far the most frequent, and the write of f is already known.
  if (number <= 2 && !descriptors.has(number) && (kind === 'write' || kind === 'append' || isNull(target))) return;
  if (kind === 'duplicate' && number <= 2 && descriptors.size === 0 && isCallers(target)) return;
  const opened = openedBy(kind, target, x);
  descriptors = setDescriptor(descriptors, number, opened);
  // `&>f`, and `>&f` without a number, are both streams.
  if (fd === null && (operator.startsWith('&') || (operator === '>&' && kind === 'write')))
    descriptors = setDescriptor(descriptors, 2, opened);
  const source = kind === 'duplicate' ? movedFrom(target) : null;
  if (source !== null && source !== number) descriptors = setDescriptor(descriptors, source, 'unknown');
  if (descriptors !== x.state.descriptors) x.state = { ...x.state, descriptors };
}

/** A trap runs at any time: each descriptor that is opened anywhere may be open then, on any file. */
export function everOpened(drafts: readonly Draft[]): Descriptors {
  const opened = new Map<number, Descriptor>();
  for (const { kind, operator, fd, target } of drafts.flatMap(({ redirects }) => redirects)) {
    const from = target?.kind === 'literal' ? Number.parseInt(target.value, 10) : 0;
    const isHarmless = isNull(target) || (kind === 'duplicate' && from <= 2 && !opened.has(from));
    if (typeof fd === 'string' || isHarmless) continue;
    opened.set(fd ?? (operator.startsWith('<') ? 0 : 1), 'unknown');
    if (fd === null && operator.includes('&')) opened.set(2, 'unknown');
  }
  return opened;
}

/** `2>&1`, if both are inherited from the caller. */
function isCallers(target: WordValue | null): boolean {
  return target?.kind === 'literal' && /^[012]$/.test(target.value);
}

function isNull(target: WordValue | null): boolean {
  return target?.kind === 'literal' && target.value === '/dev/null';
}

function openedBy(kind: RedirectKind, target: WordValue | null, x: Expansion): Descriptor | undefined {
  if (kind === 'heredoc' || kind === 'herestring') return 'stream';
  const text = target?.kind === 'literal' ? target.value : null;
  if (kind === 'duplicate') {
    const from = text === null ? null : /^([0-9]+)-?$/.exec(text);
    return from
      ? (x.state.descriptors.get(Number(from[1])) ?? (Number(from[1]) <= 2 ? undefined : 'unknown'))
      : 'unknown';
  }
  if (kind === 'close' || target === null) return 'unknown';
  if (text !== null && SOCKET.test(text)) return 'stream';
  const paths = resolvePath(target, x.state.folders);
  return paths.flatMap((path) => writtenFiles(path, x.state.descriptors));
}

/** `4<&3-` closes 3. */
function movedFrom(target: WordValue | null): number | null {
  const match = target?.kind === 'literal' ? /^([0-9]+)-$/.exec(target.value) : null;
  return match ? Number(match[1]) : null;
}

function descriptorOf(redirect: Redirection, x: Expansion): number | string | null {
  const descriptor = redirect.descriptor;
  if (descriptor === undefined) return null;
  if (descriptor.type === 'FileDescriptor') return descriptor.value;
  if (VARIABLE_NAME.test(descriptor.name)) setByName(descriptor.name, INTEGER, spanOf(x.scope, descriptor), x);
  else x.machine.recorder.cannotTell('arithmetic-evaluates', 'a subscript is evaluated', spanOf(x.scope, descriptor));
  return descriptor.name;
}

function openOne(
  redirect: Redirection,
  fd: number | string | null,
  draft: Draft,
  x: Expansion,
): { readonly redirect: RedirectFact; readonly stdin: Stdin } {
  const span = spanOf(x.scope, redirect);
  if (redirect.type === 'HereDoc') return openHereDoc(redirect, fd, span, x);
  if (redirect.type === 'HereString') return openHereString(redirect, fd, span, x);
  const target = targetOf(redirect, x);
  const kind = kindOf(redirect, target, fd);
  if (kind !== 'duplicate' && kind !== 'close') {
    if (redirect.operator === '>&') checkSecondExpansion(target, span, x);
    openFile(kind, target, draft, x);
  }
  const stdin: Stdin = kind === 'read' ? fileStdin(target) : UNKNOWN_STDIN;
  return { redirect: { kind, operator: redirect.operator, fd, target, span }, stdin };
}

/** Bash expands the word of `>&word` a second time, after quote removal: `>&'$(rm x)'` runs rm. */
function checkSecondExpansion(target: WordValue, span: Span, x: Expansion): void {
  if (target.kind === 'literal' && !/[$`*?[\]\\'"~{}<>()\s]/.test(target.value)) return;
  x.machine.recorder.cannotTell('dynamic-code', 'bash expands the word after >& twice', span);
}

function fileStdin(target: WordValue): Stdin {
  // A descriptor is whatever was opened there earlier.
  const isDescriptor = target.kind !== 'literal' || /^\/dev\/(?:stdin|fd\/|tcp\/|udp\/)|^\/proc\//.test(target.value);
  return isDescriptor ? UNKNOWN_STDIN : { kind: 'file', path: target.value };
}

function targetOf(redirect: Redirect, x: Expansion): WordValue {
  if (redirect.target === undefined) return { kind: 'dynamic', head: '', many: false, span: spanOf(x.scope, redirect) };
  const words = expandArgument(redirect.target, x);
  const only = words.length === 1 ? words[0] : undefined;
  // Anything but one word is an error in bash, which opens nothing; an unknown path is the safe assumption.
  return only ?? { kind: 'dynamic', head: '', many: false, span: spanOf(x.scope, redirect.target) };
}

/** `>&word` writes a file unless word is a number or `-`; treating it as a copy of a descriptor would hide the write. */
function kindOf(redirect: Redirect, target: WordValue, fd: number | string | null): RedirectKind {
  const plain = KINDS[redirect.operator];
  if (plain) return plain;
  if (target.kind === 'literal') {
    if (target.value === '-') return 'close';
    if (/^[0-9]+-?$/.test(target.value)) return 'duplicate';
  }
  if (redirect.operator === '<&') return 'duplicate';
  return fd === null || fd === 1 || target.kind !== 'literal' ? 'write' : 'duplicate';
}

const SOCKET = /^\/dev\/(?:tcp|udp)\/([^/]+)\/([^/]+)$/;

function openFile(kind: RedirectKind, target: WordValue, draft: Draft, x: Expansion): void {
  const socket = target.kind === 'literal' ? SOCKET.exec(target.value) : null;
  if (socket) {
    const port = Number(socket[2]);
    draft.add('network', Number.isInteger(port) ? { host: socket[1] ?? null, port } : { host: socket[1] ?? null });
    return;
  }
  if (target.kind === 'dynamic' && couldBeSocket(target.head))
    draft.add('unknown', 'a redirect may open a network connection');
  const paths: readonly PathEffect[] = resolvePath(target, x.state.folders);
  if (kind === 'read' || kind === 'read-write') for (const path of paths) draft.add('reads', path);
  if (kind === 'read') return;
  for (const path of paths) draft.addWrite(path, x.state.descriptors);
}

function couldBeSocket(head: string): boolean {
  return '/dev/tcp/'.startsWith(head) || '/dev/udp/'.startsWith(head) || /^\/dev\/(?:tcp|udp)\//.test(head);
}

function openHereDoc(redirect: HereDoc, fd: number | string | null, span: Span, x: Expansion) {
  const isLiteral = redirect.delimiter?.quoted === true;
  const text = isLiteral ? redirect.body.text : expandText(redirect.body.parts, redirect.body.text, x);
  // Tabs are stripped before expansion; with both, the text is not followed.
  const isMixed = redirect.operator === '<<-' && !isLiteral && redirect.body.parts !== undefined;
  const stdin: Stdin = text === null || isMixed ? UNKNOWN_STDIN : { kind: 'text', text: stripTabs(redirect, text) };
  return { redirect: { kind: 'heredoc', operator: redirect.operator, fd, target: null, span } as const, stdin };
}

function stripTabs(redirect: HereDoc, text: string): string {
  return redirect.operator === '<<-' ? text.replace(/^\t+/gm, '') : text;
}

function openHereString(redirect: HereString, fd: number | string | null, span: Span, x: Expansion) {
  const target = redirect.target ? expandValue(redirect.target, x) : null;
  const stdin: Stdin = target?.kind === 'literal' ? { kind: 'text', text: `${target.value}\n` } : UNKNOWN_STDIN;
  return { redirect: { kind: 'herestring', operator: '<<<', fd, target, span } as const, stdin };
}
