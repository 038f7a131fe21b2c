// A request from the caller → one of bounded size that names what was left out, or `null` if it cannot be shown whole.
// The command itself is never cut: people must see everything that they approve.

import type { ApprovalRequest, EditPreview } from '../../core/approval.ts';
import type { Effects, ExecuteEffect, NetworkEffect, PathEffect } from '../../core/facts.ts';
import { defined } from '../../core/values/defined.ts';
import { byStrictness, type Finding } from '../../core/verdict.ts';

const MAX_COMMAND_CHARACTERS = 20_000;
export const MAX_RULE_CHARACTERS = 1_000;
const MAX_NAME_CHARACTERS = 4_096;
const MAX_TEXT_CHARACTERS = 1_000;
const MAX_ITEMS = 50;
const MAX_SUGGESTIONS = 9;

export function boundRequest(request: ApprovalRequest): ApprovalRequest | null {
  const names = [request.cwd, request.session ?? '', request.user ?? '', request.profile ?? ''];
  if (request.command.length > MAX_COMMAND_CHARACTERS) return null;
  // A folder or a session id that is cut would be a different one.
  if (names.some((name) => name.length > MAX_NAME_CHARACTERS)) return null;
  return {
    command: request.command,
    display: boundText(request.display, MAX_COMMAND_CHARACTERS),
    ...(request.description === undefined ? {} : { description: boundText(request.description) }),
    cwd: request.cwd,
    session: request.session,
    user: request.user,
    profile: request.profile,
    caller: request.caller,
    risk: request.risk,
    findings: boundFindings(request.findings),
    // A rule that is cut would be a different rule: rules that are too long are left out.
    suggestions: request.suggestions.filter((rule) => rule.length <= MAX_RULE_CHARACTERS).slice(0, MAX_SUGGESTIONS),
    effects: request.effects === null ? null : boundEffects(request.effects),
    ...(request.edits === undefined ? {} : { edits: request.edits.slice(0, MAX_ITEMS).map(boundEdit) }),
  };
}

const MAX_DIFF_CHARACTERS = 8_000;

function boundEdit({ file, diff, why }: EditPreview): EditPreview {
  return {
    file: boundText(file, MAX_NAME_CHARACTERS),
    diff: diff === null ? null : boundText(diff, MAX_DIFF_CHARACTERS),
    why: why === null ? null : boundText(why),
  };
}

export function boundText(text: string, limit = MAX_TEXT_CHARACTERS): string {
  if (text.length <= limit) return text;
  // Not between the halves of a surrogate pair.
  const end = /[\ud800-\udbff]/.test(text[limit - 1] as string) ? limit - 1 : limit;
  return `${text.slice(0, end)} [${(text.length - end).toLocaleString('en')} more characters]`;
}

/** The strictest are kept, in their original order. */
function boundFindings(findings: readonly Finding[]): Finding[] {
  const kept = new Set([...findings].sort(byStrictness).slice(0, MAX_ITEMS));
  return findings
    .filter((finding) => kept.has(finding))
    .map((finding) => ({
      ...finding,
      message: boundText(finding.message),
      instead: finding.instead === null ? null : boundText(finding.instead),
    }));
}

function boundEffects(effects: Effects): Effects {
  const missing: string[] = [];
  const take = <Item>(label: string, items: readonly Item[], bound: (item: Item) => Item): Item[] => {
    if (items.length > MAX_ITEMS)
      missing.push(`only ${MAX_ITEMS} of ${items.length.toLocaleString('en')} ${label} are shown`);
    return items.slice(0, MAX_ITEMS).map(bound);
  };
  const text = (item: string): string => boundText(item);
  const path = (item: PathEffect): PathEffect => ({
    path: item.path === null ? null : boundText(item.path),
    ...(item.glob ? { glob: true as const } : {}),
    ...(item.recursive ? { recursive: true as const } : {}),
  });
  const host = (item: NetworkEffect): NetworkEffect => ({
    host: item.host === null ? null : boundText(item.host),
    ...defined({ port: item.port }),
  });
  const execution = (item: ExecuteEffect): ExecuteEffect => ({
    kind: item.kind,
    text: item.text === null ? null : boundText(item.text),
  });
  const bounded = {
    reads: take('reads', effects.reads, path),
    writes: take('writes', effects.writes, path),
    deletes: take('deletes', effects.deletes, path),
    network: take('network contacts', effects.network, host),
    executes: take('executions', effects.executes, execution),
    privilege: effects.privilege,
    changes: take('changes', effects.changes, text),
    discloses: take('disclosures', effects.discloses, text),
    unknown: take('uncertainties', effects.unknown, text),
  };
  return { ...bounded, unknown: [...bounded.unknown, ...missing] };
}

/** Requests with the same key look the same to a person, so they share one question. */
export function requestKey(bounded: ApprovalRequest): string {
  return JSON.stringify(bounded);
}
