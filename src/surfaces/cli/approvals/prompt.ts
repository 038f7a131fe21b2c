// The terminal as a surface of the broker: shows one request at a time and reads the answer from the keyboard.
// Denied unless explicitly approved: Enter, Ctrl-C and the end of input deny. A rule is shown before it is saved.

import {
  type Answer,
  type ApprovalScope,
  type GiveAnswer,
  headlineOf,
  type PendingApproval,
  type Reply,
  type Surface,
} from '../../../host.ts';
import { process } from '../process.ts';
import { createTerminal, type Terminal } from '../show/terminal.ts';
import { visible } from '../show/visible.ts';
import { describeAnswer } from './answer-text.ts';
import { drawRequest, isCut } from './drawing.ts';
import { CTRL_C, CTRL_D, createKeys, type KeyInput, SEVERAL } from './keys.ts';

const GRACE_MS = 400;
const ESCAPE = '\x1b';

export interface PromptOptions {
  readonly input?: KeyInput;
  readonly output?: NodeJS.WriteStream;
  readonly color?: boolean;
  /** Keys that arrive sooner after the question are ignored: they were typed for something else. */
  readonly graceMs?: number;
  /** After Ctrl-C, which is a key here and no signal; without it, Ctrl-C only denies. */
  readonly onInterrupt?: () => void;
}

export interface TerminalSurface extends Surface {
  /** Releases the terminal; an open question stays unanswered. */
  close(): void;
}

interface Dialog {
  readonly pending: PendingApproval;
  readonly give: GiveAnswer;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  /** Set while our own answer is on its way. */
  isAnswering: boolean;
  /** Settles when the question was answered in another place. */
  readonly closed: Promise<null>;
  readonly close: () => void;
}

interface Screen {
  readonly terminal: Terminal;
  readonly write: (text: string) => void;
  /** `null` when the dialog has ended. */
  readonly next: () => Promise<string | null>;
  readonly text: () => Promise<string | null>;
}

export function terminalSurface(options: PromptOptions = {}): TerminalSurface {
  const input: KeyInput = options.input ?? process.stdin;
  // Standard output belongs to the command.
  const output = options.output ?? process.stderr;
  const write = (text: string): void => void output.write(text);
  const keys = createKeys({ input, write, graceMs: options.graceMs ?? GRACE_MS });
  const queue: Dialog[] = [];
  let current: Dialog | null = null;

  function openNext(): void {
    const dialog = current === null ? queue.shift() : undefined;
    if (dialog === undefined) return;
    current = dialog;
    void run(dialog)
      .then(
        () => dialog.resolve(),
        (error: Error) => dialog.reject(error),
      )
      .finally(() => {
        keys.close();
        current = null;
        openNext();
      });
  }

  async function run(dialog: Dialog): Promise<void> {
    const terminal = createTerminal({ color: options.color ?? true }, process.env, output as typeof process.stdout);
    const orClosed = (work: Promise<string | null>): Promise<string | null> => Promise.race([work, dialog.closed]);
    const screen: Screen = {
      terminal,
      write,
      next: () => orClosed(keys.next()),
      text: () => orClosed(keys.text()),
    };
    show(dialog, screen);
    keys.open();
    for (;;) {
      const reply = await readReply(dialog, screen, options.onInterrupt ?? (() => {}));
      if (reply === null) {
        if (keys.hasEnded()) throw new Error('the input of the terminal has ended');
        return;
      }
      dialog.isAnswering = true;
      const receipt = await dialog.give(reply);
      dialog.isAnswering = false;
      if (receipt.status === 'accepted') {
        write(`  ${describeAnswer(receipt.answer)}\n`);
        if (receipt.problem !== null) write(`  ${visible(receipt.problem)}\n`);
        return;
      }
      // After Ctrl-C it has been said.
      if (receipt.status === 'already-answered')
        return receipt.answer.by === 'cancelled' ? undefined : write(elsewhere(receipt.answer));
      if (receipt.status === 'unknown-code') return write('  It is no longer waiting for an answer.\n');
      write(`  ${visible(receipt.problem)}\n`);
    }
  }

  return {
    name: 'terminal',
    present(pending, give) {
      if (keys.hasEnded()) throw new Error('the input of the terminal has ended');
      return new Promise((resolve, reject) => {
        let close = (): void => {};
        const closed = new Promise<null>((settle) => {
          close = () => settle(null);
        });
        queue.push({ pending, give, resolve, reject, isAnswering: false, closed, close });
        openNext();
      });
    },
    withdraw(code, answer) {
      const waiting = queue.findIndex(({ pending }) => pending.code === code);
      for (const dialog of waiting === -1 ? [] : queue.splice(waiting, 1)) dialog.resolve();
      if (current?.pending.code !== code || current.isAnswering) return;
      write(elsewhere(answer));
      current.close();
    },
    close() {
      for (const dialog of queue.splice(0)) dialog.resolve();
      current?.close();
      keys.close();
    },
  };
}

function elsewhere(answer: Answer): string {
  switch (answer.by) {
    case 'timeout':
      return '\n  Denied: no answer in time.\n';
    case 'cancelled':
      return '\n  Cancelled.\n';
    case 'nobody':
    case 'closed':
    case 'too-many':
    case 'too-long':
      return `\n  Denied: ${visible(answer.reason ?? 'it can no longer be answered.')}\n`;
    default:
      return `\n  Answered in another place: ${describeAnswer(answer)}\n`;
  }
}

function show({ pending }: Dialog, { terminal, write }: Screen, options: { all?: boolean } = {}): void {
  const { colors } = terminal;
  const title = `${colors.bold(headlineOf(pending.request).line)}  ${colors.dim(`code ${pending.code}`)}`;
  const lines = drawRequest(pending, terminal, options).map((line) => (line === '' ? '\n' : `  ${line}\n`));
  write(`\n${title}\n${lines.join('')}\n`);
}

const SCOPE_KEYS = { s: 'session', p: 'project', u: 'user' } as const;
const SCOPE_LABELS = { session: 'this session', project: 'this project', user: 'always, for you' } as const;

function offeredScopes({ scopes, request }: PendingApproval): [key: string, scope: Exclude<ApprovalScope, 'once'>][] {
  if (request.suggestions.length === 0) return [];
  return Object.entries(SCOPE_KEYS).filter(([, scope]) => scopes.includes(scope));
}

/** `null` if it was answered in another place, or the input has ended. */
async function readReply(dialog: Dialog, screen: Screen, interrupt: () => void): Promise<Reply | null> {
  const { write, terminal } = screen;
  const offered = offeredScopes(dialog.pending);
  const canShowAll = isCut(dialog.pending.request.command, terminal);
  const choices = [
    'y once',
    ...offered.map(([key, scope]) => `${key} ${SCOPE_LABELS[scope]}`),
    'n no (Enter)',
    'd no, and say why',
    ...(canShowAll ? ['v show all'] : []),
    '? help',
  ];
  if (offered.length > 0) write(`  ${describeRules(dialog.pending, offered)}\n`);
  for (;;) {
    write(`  Allow it?  ${choices.join(` ${terminal.glyphs.dot} `)}  `);
    const key = await screen.next();
    if (key === null) return null;
    if (key === SEVERAL) {
      write('\n  Several keys at once (a paste, an arrow) are ignored.\n');
      continue;
    }
    const choice = key.toLowerCase();
    write(`${shown(choice)}\n`);
    const scope = offered.find(([name]) => name === choice)?.[1];
    if (scope !== undefined) {
      const reply = await confirmRule(dialog, scope, screen);
      if (reply !== 'back') return reply;
    } else if (choice === 'y') return { verdict: 'allow' };
    else if (choice === CTRL_C) {
      interrupt();
      return { verdict: 'deny' };
    } else if (['n', '', CTRL_D, ESCAPE].includes(choice)) return { verdict: 'deny' };
    else if (choice === 'd') {
      write('  Why? The agent reads it. Press Enter to finish.\n');
      const reason = await screen.text();
      write('\n');
      return { verdict: 'deny', reason };
    } else if (choice === 'v' && canShowAll) show(dialog, screen, { all: true });
    else if (choice === '?') write(help(dialog.pending, offered));
    else write('  Unknown key. Enter denies.\n');
  }
}

function describeRules({ request }: PendingApproval, offered: readonly (readonly [string, string])[]): string {
  const rules = request.suggestions.map((rule) => visible(rule));
  const keys = offered.map(([key]) => key).join(', ');
  return `${keys} also ${offered.length === 1 ? 'saves' : 'save'} ${rules.length === 1 ? 'the rule' : 'one of the rules'} ${rules.join(', ')}`;
}

async function confirmRule(
  { pending }: Dialog,
  scope: Exclude<ApprovalScope, 'once'>,
  { write, next, terminal }: Screen,
): Promise<Reply | 'back' | null> {
  const rules = pending.request.suggestions;
  let rule = rules[0] as string;
  if (rules.length > 1) {
    write(`${rules.map((text, index) => `  ${index + 1}  ${visible(text)}\n`).join('')}  Which rule? `);
    const key = await next();
    if (key === null) return null;
    write(`${shown(key)}\n`);
    const chosen = /^[1-9]$/.test(key) ? rules[Number(key) - 1] : undefined;
    if (chosen === undefined) return 'back';
    rule = chosen;
  }
  const where =
    scope === 'session' ? 'apply to this session' : `be saved for ${scope === 'project' ? 'this project' : 'you'}`;
  write(`  This rule would ${where}; commands that it matches then run without a question:\n`);
  write(
    `    ${terminal.colors.bold(visible(rule))}\n  Is that right?  y yes ${terminal.glyphs.dot} any other key: back  `,
  );
  const key = await next();
  if (key === null) return null;
  write(`${shown(key)}\n`);
  return key.toLowerCase() === 'y' ? { verdict: 'allow', scope, rule } : 'back';
}

/** The echo of a key: nothing if it is not a character. */
function shown(key: string): string {
  return key < ' ' ? '' : visible(key);
}

function help(pending: PendingApproval, offered: readonly (readonly [string, string])[]): string {
  const keys = offered.map(([key]) => key).join(', ');
  const rules =
    offered.length > 0
      ? `${keys} also ${offered.length === 1 ? 'keeps' : 'keep'} a rule; it is shown first.`
      : 'It can only be allowed once: no rule is suggested for it.';
  return `  y runs this command, this time only. ${rules}
  n, Enter and Esc deny. d denies and tells the agent why. Ctrl-C denies, and ends hardshell.
  From another terminal: hardshell approve ${pending.code}, hardshell deny ${pending.code}
`;
}
