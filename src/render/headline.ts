// A question → one line that is sufficient if nothing else is shown: the risk, the risky part, and why.
// Clients cut the text after it. No text of a command can close the quotes, start a line or hide a character here.

import type { ApprovalRequest } from '../core/approval.ts';
import type { Span } from '../core/facts.ts';
import { type Finding, SEVERITIES } from '../core/verdict.ts';
import { visible } from './visible.ts';

const MAX_PART = 100;
const MAX_REASON = 140;
/** Shorter text has no meaning alone. */
const MIN_PART = 4;

export interface Headline {
  /** The text of the most severe finding, or the host, in quotes that it cannot close. */
  readonly part: string;
  /** `Risk high. Run «rm -rf build», part of a command of 16 lines? It deletes a folder.` */
  readonly line: string;
}

export function headlineOf(request: Pick<ApprovalRequest, 'command' | 'risk' | 'findings' | 'effects'>): Headline {
  const [gravest, ...others] = decisiveFindings(request.findings);
  const second = others.find(({ id, span }) => id !== 'no-rule' && span !== null && !isSame(span, gravest?.span));
  const host = gravest?.id === 'network-host' ? hostOf(request) : null;
  const part = quote(host ?? partOf(request.command, gravest));
  const what = host === null ? `Run ${part}${restOf(request.command, gravest)}?` : `Connect to ${part}?`;
  const why = gravest === undefined ? 'It needs approval.' : reasonOf(gravest);
  // A harmless odd character must not distract from the risky part.
  const also = second === undefined ? '' : ` Also ${quote(partOf(request.command, second))}: ${reasonOf(second)}`;
  const [warning] = request.findings.filter(({ layer }) => layer === 'warnings');
  const warned = warning === undefined ? '' : ` Warning: ${reasonOf(warning)}`;
  const left = others.length - (second === undefined ? 0 : 1);
  const more = left === 0 ? '' : ` (${left} more reason${left === 1 ? '' : 's'})`;
  // The risk comes first: a client that cuts the line must not cut it.
  return { part, line: `Risk ${request.risk}. ${what} ${why}${also}${more}${warned}` };
}

/** The most severe first. "No rule allows it" is secondary if there are other findings. */
function decisiveFindings(findings: readonly Finding[]): readonly Finding[] {
  const weight = ({ id, severity, span }: Finding): number =>
    (id === 'no-rule' ? 0 : 100) + SEVERITIES.indexOf(severity) * 10 + (span === null ? 0 : 1);
  return findings.filter(({ verdict }) => verdict !== 'allow').sort((a, b) => weight(b) - weight(a));
}

function reasonOf({ message }: Finding): string {
  return cutMiddle(plain(message), MAX_REASON);
}

function isSame(a: Span, b: Span | null | undefined): boolean {
  return a[0] === b?.[0] && a[1] === b[1];
}

function partOf(command: string, finding: Finding | undefined): string {
  const [start, end] = finding?.span ?? [0, command.length];
  const part = command.slice(start, end).trim();
  if (part.length >= MIN_PART) return part;
  const lineEnd = command.indexOf('\n', end);
  const line = command.slice(command.lastIndexOf('\n', start - 1) + 1, lineEnd === -1 ? undefined : lineEnd).trim();
  return line.length >= MIN_PART ? line : command.trim();
}

function restOf(command: string, finding: Finding | undefined): string {
  const whole = command.trim();
  if (partOf(command, finding) === whole) return '';
  const lines = whole.split('\n').length;
  return lines === 1 ? ', part of a longer command' : `, part of a command of ${lines} lines`;
}

function hostOf({ effects }: Pick<ApprovalRequest, 'effects'>): string | null {
  const [contact] = effects?.network ?? [];
  if (contact === undefined || contact.host === null) return null;
  return contact.port === undefined ? contact.host : `${contact.host}:${contact.port}`;
}

function quote(text: string): string {
  return `«${cutMiddle(plain(text), MAX_PART)}»`;
}

/** Without our own quote characters. */
function plain(text: string): string {
  return visible(text).replaceAll('«', '\\xab').replaceAll('»', '\\xbb');
}

/** The end of a long command is as important as its beginning. */
function cutMiddle(text: string, limit: number): string {
  const characters = [...text];
  if (characters.length <= limit) return text;
  const head = Math.ceil((limit - 1) / 2);
  return `${characters.slice(0, head).join('')}…${characters.slice(head - limit + 1).join('')}`;
}
