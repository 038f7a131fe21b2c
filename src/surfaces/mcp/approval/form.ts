// A question → the form that a client shows to the user, and the client's answer → a reply.
// The first line has everything important: clients cut the rest. Any answer that is not exactly one of the offered ones is
// a no. A command that does not fit is not asked about here.

import { headlineOf, type PendingApproval, type Reply, shorten, visible } from '../../../host.ts';
import type { RuleKeeping, RuleReach } from './keeping.ts';

const MAX_COMMAND_CHARACTERS = 4_000;
const MAX_FINDINGS = 5;
const MAX_RULES = 3;
const MAX_PART = 200;
const MAX_DESCRIPTION = 400;
const MAX_MATCHES = 3;
const MAX_DIFF_LINES = 24;
const MAX_MATCH = 80;

const ONCE = 'allow once';
const DENY = 'deny';

export interface ApprovalForm {
  readonly message: string;
  readonly requestedSchema: {
    readonly type: 'object';
    readonly properties: { readonly decision: Decision };
    readonly required: string[];
  };
  /** When the question can no longer be answered, in milliseconds since 1970. */
  readonly deadline: number;
  /** By the text that the user picks. */
  readonly replies: ReadonlyMap<string, Reply>;
}

interface Decision {
  readonly type: 'string';
  readonly title: string;
  readonly description: string;
  readonly enum: string[];
  /** What is shown for each. */
  readonly enumNames: string[];
}

/** `null`: it cannot be shown completely. */
export function createForm(pending: PendingApproval, keeping: RuleKeeping): ApprovalForm | null {
  const { code, request, deadline } = pending;
  const lines = request.command.split('\n').map(visible);
  if (lines.join('\n').length > MAX_COMMAND_CHARACTERS) return null;
  const replies = new Map<string, Reply>([[ONCE, { verdict: 'allow' }]]);
  // Two rules that look the same are one choice, and mean the first.
  const offer = (words: string, reply: Reply): void => void (replies.has(words) || replies.set(words, reply));
  const rules = request.suggestions.slice(0, MAX_RULES);
  const offered = offeredScopes(pending, keeping);
  for (const { scope, words } of offered)
    for (const rule of rules) offer(`${words}: ${visible(rule)}`, { verdict: 'allow', scope, rule });
  replies.set(DENY, { verdict: 'deny', reason: 'The user said no.' });
  const { line, part } = headlineOf(request);
  const message = [
    `[${code}] ${line}`,
    '',
    // Indented, with a bar: no line of a command can imitate one of ours, in plain text or in Markdown.
    ...lines.map((line) => `    | ${line}`),
    '',
    ...(request.description === undefined
      ? []
      : [`The agent says: ${shorten(visible(request.description), MAX_DESCRIPTION)}`]),
    `Folder: ${visible(request.cwd)}`,
    ...describeEdits(request),
    ...describeFindings(request),
    ...(offered.length === 0 ? [] : rules.flatMap((rule) => describeReach(rule, keeping.reach.get(rule)))),
    ...offered.flatMap(({ file, what }) => (file === null ? [] : [`${what} is saved in ${visible(file)}`])),
  ].join('\n');
  const choices = [...replies.keys()];
  const decision: Decision = {
    type: 'string',
    title: `Allow ${part}?`,
    description: `${line} Denied unless explicitly approved.`,
    enum: choices,
    // These two may be all that is visible of the question.
    enumNames: choices.map((choice) => (choice === ONCE || choice === DENY ? `${choice} ${part}` : choice)),
  };
  const requestedSchema = { type: 'object' as const, properties: { decision }, required: ['decision'] };
  return { message, requestedSchema, deadline, replies };
}

interface Offered {
  readonly scope: 'session' | 'project' | 'user';
  readonly words: string;
  /** Where it is written; a session rule is only kept in memory. */
  readonly file: string | null;
  readonly what: string;
}

/** Only answers that the broker accepts here and that have an effect are offered, and only those can be chosen. */
function offeredScopes({ request, scopes }: PendingApproval, { files }: RuleKeeping): Offered[] {
  if (request.suggestions.length === 0) return [];
  const all: Offered[] = [
    { scope: 'session', words: 'allow for this session', file: null, what: '' },
    { scope: 'project', words: 'allow for this project', file: files.project, what: 'A rule for the project' },
    { scope: 'user', words: 'allow always, for you', file: files.user, what: 'A rule for you' },
  ];
  return all.filter(({ scope, file }) => scopes.includes(scope) && (scope === 'session' || file !== null));
}

/** The scope of a rule, by known commands: earlier ones that would not have been asked about either. */
function describeReach(rule: string, reach: RuleReach | undefined): string[] {
  const { matched = [], of = 0 } = reach ?? {};
  if (of === 0) return [];
  const shown = matched.slice(0, MAX_MATCHES).map((command) => `    | ${shorten(visible(command), MAX_MATCH)}`);
  const more = matched.length > MAX_MATCHES ? [`    and ${matched.length - MAX_MATCHES} more`] : [];
  const others = `${matched.length} of ${of} other command${of === 1 ? '' : 's'} of this session`;
  return [`${visible(rule)} matches ${others}${matched.length === 0 ? '.' : ':'}`, ...shown, ...more];
}

/** Indented, with a bar, like the command. */
function describeEdits({ edits = [] }: PendingApproval['request']): string[] {
  return edits.flatMap(({ file, diff, why }) => {
    const name = `Edit of ${visible(file)}`;
    if (diff === null) return [`${name}: ${visible(why ?? '')}`];
    if (diff === '') return [`${name}: no line would change`];
    const lines = diff.split('\n');
    const shown = lines.slice(0, MAX_DIFF_LINES).map((line) => `    | ${shorten(visible(line), MAX_PART)}`);
    const more = lines.length - shown.length;
    return [`${name}:`, ...shown, ...(more > 0 ? [`    and ${more} more lines`] : [])];
  });
}

function describeFindings({ findings, command }: PendingApproval['request']): string[] {
  const decisive = findings.filter(({ verdict }) => verdict !== 'allow');
  const lines = decisive.slice(0, MAX_FINDINGS).flatMap(({ message, instead, span }) => {
    const part = span === null ? '' : visible(command.slice(span[0], span[1]));
    return [
      `Why: ${visible(message)}`,
      ...(part === '' ? [] : [`  risky part: ${shorten(part, MAX_PART)}`]),
      ...(instead === null ? [] : [`  instead: ${visible(instead)}`]),
    ];
  });
  const left = decisive.length - MAX_FINDINGS;
  const warnings = findings.filter(({ layer, verdict }) => layer === 'warnings' && verdict === 'allow');
  return [
    ...lines,
    ...(left > 0 ? [`And ${left} more reasons.`] : []),
    ...warnings.slice(0, MAX_FINDINGS).map(({ message }) => `Warning: ${visible(message)}`),
  ];
}

/** `said` comes from the client: none of it is trusted. */
export function readForm(form: ApprovalForm, said: unknown): Reply {
  const { action, content } = typeof said === 'object' && said !== null ? (said as Record<string, unknown>) : {};
  if (action === 'decline') return { verdict: 'deny', reason: 'The user said no.' };
  if (action !== 'accept') return { verdict: 'deny', reason: 'The question was closed without an answer.' };
  const decision = typeof content === 'object' && content !== null && 'decision' in content ? content.decision : null;
  const reply = typeof decision === 'string' ? form.replies.get(decision) : undefined;
  return reply ?? { verdict: 'deny', reason: 'The client sent an answer that was not offered.' };
}
