// `hardshell hook AGENT`: an event on standard input → the agent's answer on standard output.
// The attack: make it fail, and the agent runs the command, since most treat a failed hook as no opinion. So every failure
// is answered with a refusal that says why, and exit code 2, which is itself a refusal.

import { statSync } from 'node:fs';
import {
  type CheckResult,
  checkForAll,
  HardshellError,
  isStricterMode,
  type LoadedSettings,
  loadPolicy,
  type Mode,
  type Policy,
  policyWith,
  type Verdict,
} from '../../../host/deciding.ts';
import { describeError } from '../../../host/values.ts';
import { decodeUtf8, inheritedVariables, readStandardInput } from '../input.ts';
import { print, readAtOnce } from '../plain-output.ts';
import { process } from '../process.ts';
import { visible } from '../show/visible.ts';
import { type HookAgent, isConfinedAgent } from './agents.ts';
import { type Asked, BadEvent, createRefusal, DIALECTS } from './dialects.ts';
import type { HandOver } from './hand-over.ts';
import { textsFor } from './reason.ts';

export interface HookOptions {
  readonly onAsk: 'deny' | 'pass';
  /** Hands commands to `hardshell run`, in its sandbox. */
  readonly confine?: true;
}

const REFUSED = 2;
const MAX_EVENT_BYTES = 1 << 20;
/** After 30 seconds most agents run the command: it is refused before that. */
const ANSWER_WITHIN_MS = 20_000;

/** `onJudged` is called if there was a command and it could be checked. */
export async function answerHook(
  agent: HookAgent,
  options: HookOptions,
  onJudged: () => void = () => {},
): Promise<number> {
  const dialect = DIALECTS[agent];
  let hasAnswered = false;
  /** Once: a second answer would make the first one unreadable. */
  const say = (answer: object): void => {
    if (hasAnswered) return;
    hasAnswered = true;
    print(`${JSON.stringify(answer)}\n`);
  };
  const refuse = (error: unknown): void => {
    const text = `hardshell could not check this command, so it was blocked: ${visible(messageOf(error))}`;
    say(createRefusal(agent, text));
    process.stderr.write(`${text}\n`);
  };
  process.on('exit', (code) => {
    if (code !== 0) process.exitCode = REFUSED;
  });
  process.on('uncaughtException', (error) => {
    refuse(error);
    process.exit(REFUSED);
  });
  const timer = setTimeout(() => {
    refuse(new Error(`it took longer than ${ANSWER_WITHIN_MS / 1_000} s`));
    process.exit(REFUSED);
  }, ANSWER_WITHIN_MS).unref();
  try {
    const asked = dialect.read(parseEvent(await readEvent()));
    if (asked === null) {
      say({});
      return 0;
    }
    const handOver = options.confine ? await openHandOver(agent, asked) : null;
    const { facts, verdict, audit } = checkAsked(asked, handOver);
    onJudged();
    const cannotAsk = verdict.decision === 'ask' && !dialect.canAsk;
    const isPassed = cannotAsk && options.onAsk === 'pass';
    const said = cannotAsk && !isPassed ? 'deny' : verdict.decision;
    const texts = textsFor(verdict, asked.command, { canAsk: dialect.hasUser() });
    // Without a user, the agent refuses a question by itself.
    const isRefused = said === 'deny' || (said === 'ask' && !dialect.hasUser());
    const input = isRefused ? null : (handOver?.rewrite({ facts, verdict }) ?? null);
    const answer =
      input !== null && dialect.answerWith !== undefined
        ? dialect.answerWith(input, said, texts)
        : isPassed
          ? {}
          : dialect.answer(said, texts);
    // Before the answer: a command that cannot be recorded must not run, and a sent answer cannot be withdrawn. A run
    // records itself.
    if (input === null && audit.hook === true && audit.enabled !== false) {
      const { recordHook } = await import('./recording.ts');
      await recordHook({ agent, asked, audit, checked: { facts, verdict: { ...verdict, decision: said } } });
    }
    say(answer);
    return 0;
  } catch (error) {
    refuse(error);
    return REFUSED;
  } finally {
    clearTimeout(timer);
  }
}

async function readEvent(): Promise<string> {
  const { bytes, isWhole } = readAtOnce(MAX_EVENT_BYTES);
  return isWhole ? decodeUtf8(bytes) : readStandardInput(bytes);
}

function messageOf(error: unknown): string {
  const message = describeError(error);
  // Several problems of a settings file are on separate lines; an agent shows one.
  const text = (error instanceof BadEvent ? `the event cannot be read: ${message}` : message).replace(/\s*\n\s*/g, ' ');
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function parseEvent(text: string): Record<string, unknown> {
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch {
    throw new BadEvent('standard input is not JSON. Agents call this verb; see docs/agents.md');
  }
  if (typeof event !== 'object' || event === null || Array.isArray(event)) throw new BadEvent('it is not an object');
  return event as Record<string, unknown>;
}

/** Agents name the open project in their environment, and start the hook there: the model chooses neither. */
const PROJECT_VARIABLES = ['CLAUDE_PROJECT_DIR', 'CURSOR_PROJECT_DIR', 'GEMINI_PROJECT_DIR'];

/** The first is the one in which the agent was started. */
function projectsOf({ projects }: Asked): readonly [string, ...string[]] {
  const named = PROJECT_VARIABLES.flatMap((name) => process.env[name] ?? []).filter((folder) => folder.startsWith('/'));
  const [first = process.cwd()] = named;
  return [first, ...new Set([process.cwd(), ...projects, ...named].filter((folder) => folder !== first))];
}

async function openHandOver(agent: HookAgent, asked: Asked): Promise<HandOver | null> {
  if (!isConfinedAgent(agent))
    throw new HardshellError('usage', `A hook of ${agent} cannot change commands: omit --confine`);
  const { createHandOver } = await import('./hand-over.ts');
  return createHandOver(agent, asked, projectsOf(asked));
}

function checkAsked(asked: Asked, handOver: HandOver | null): CheckResult & Pick<LoadedSettings, 'audit'> {
  const { command, cwd, mode } = asked;
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) throw new BadEvent(`not a directory: ${cwd}`);
  const projects = projectsOf(asked);
  const settings = loadPolicy({ cwd, projects });
  const stricter = strictMode(settings.policy, mode);
  if (handOver !== null) return { ...handOver.check(stricter), audit: settings.audit };
  const request = {
    cwd,
    shell: 'bash' as const,
    variables: inheritedVariables(),
    policy: stricter === null ? settings.policy : policyWith(settings, cwd, { mode: stricter }),
  };
  const { facts, verdict } = checkForAll(command, request, projects);
  return { facts, verdict: withoutEnvironment(verdict), audit: settings.audit };
}

/** A laxer mode of the agent does not loosen the settings. */
function strictMode(policy: Policy, mode: Mode | null): Mode | null {
  return mode !== null && isStricterMode(mode, policy.mode) ? mode : null;
}

/** Some verdicts require variables that hardshell itself would set; the agent's own shell does not set them. */
function withoutEnvironment(verdict: Verdict): Verdict {
  const names = Object.keys(verdict.environment);
  if (verdict.decision !== 'allow' || names.length === 0) return verdict;
  return {
    ...verdict,
    decision: 'ask',
    findings: [
      {
        id: 'needs-environment',
        layer: 'repository',
        verdict: 'ask',
        severity: 'medium',
        message: `This is safe only with variables that the agent does not set (${names.slice(0, 3).join(', ')}).`,
        instead: "Use the tools of hardshell's MCP server, if you have them.",
        span: null,
        command: null,
        rule: null,
        confidence: null,
      },
    ],
    suggestions: [],
  };
}
