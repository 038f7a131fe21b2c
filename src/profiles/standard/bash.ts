// `bash` and `bash_readonly`: run a command in the session; the second runs only commands that provably change nothing.

import { HardshellError } from '../../core/errors.ts';
import type { SessionOptions } from '../../core/running.ts';
import type { Calling, ProfileTool, Surroundings, ToolAnswer } from '../profile.ts';
import { createTool, MAY_DO_ANYTHING, ONLY_LOOKS, objectSchema, runAsked } from '../shared/call.ts';
import type { Fields } from '../shared/input.ts';
import { describeReading, describeSurroundings } from '../shared/surroundings.ts';
import { invalidInput, RESULT_SCHEMA, resultAnswer } from './result.ts';

export const DEFAULT_TIMEOUT_MS = 120_000;
export const MAX_TIMEOUT_MS = 600_000;

const COMMAND = { type: 'string', minLength: 1, description: 'The command, as bash reads it.' };
const DESCRIPTION = {
  type: 'string',
  description: 'What it does, in five to ten words. The user sees it when asked to approve the command.',
};
const TIMEOUT = {
  type: 'integer',
  minimum: 1,
  maximum: MAX_TIMEOUT_MS,
  default: DEFAULT_TIMEOUT_MS,
  description: `Timeout in milliseconds; then the command and every process that it started are ended. Default ${DEFAULT_TIMEOUT_MS}.`,
};

export const BASH: ProfileTool = createTool({
  name: 'bash',
  title: 'Run a shell command',
  inputSchema: objectSchema(
    {
      command: COMMAND,
      description: DESCRIPTION,
      timeout_ms: TIMEOUT,
      run_in_background: {
        type: 'boolean',
        default: false,
        description: 'Start it and return at once with a task_id. For servers, watchers and long builds.',
      },
      keep_input_open: {
        type: 'boolean',
        default: false,
        description: 'With run_in_background: its input stays open for task_input.',
      },
      stdin: { type: 'string', description: 'Text for its standard input. Default: empty.' },
      hold_changes: {
        type: 'boolean',
        default: false,
        description:
          'Hold its changes to files until the user has looked at them, if this machine can. Not with run_in_background.',
      },
      without_sandbox: {
        type: 'boolean',
        default: false,
        description: 'Ask to run it outside of the sandbox. Works only if the settings allow such requests.',
      },
    },
    ['command'],
  ),
  outputSchema: RESULT_SCHEMA,
  annotations: MAY_DO_ANYTHING,
  describe: describeBash,
  perform: performBash,
  refuse: (problem) => invalidInput(problem),
});

function describeBash(surroundings: Surroundings): string {
  return `Runs a command with bash and returns its output (stdout and stderr in order) and how it ended.

- The working directory persists between calls (cd is remembered); variables and functions do not.
- There is no terminal: commands that ask questions need a flag such as --yes, or stdin.
- A command is ended after timeout_ms (default ${DEFAULT_TIMEOUT_MS}, at most ${MAX_TIMEOUT_MS}). If it takes longer than the client waits, the answer is "running" with a task_id: read the rest with task_output.
- Each command is checked before it runs. A refusal names the reason and, if there is one, a safer alternative: use that, or ask the user. explain_command checks a command without running it.
- Only the beginning of long output is shown; all of it is in output_file.

${describeSurroundings(surroundings)}`;
}

async function performBash(input: Fields, calling: Calling): Promise<ToolAnswer> {
  const { command, description, timeout_ms, run_in_background, keep_input_open, stdin } = input;
  const { hold_changes, without_sandbox } = input;
  const isBackground = run_in_background === true;
  if (keep_input_open === true && !isBackground)
    return invalidInput('"keep_input_open" needs "run_in_background": true.', calling.session.cwd);
  if (hold_changes === true && isBackground)
    return invalidInput('"hold_changes" cannot be combined with "run_in_background".', calling.session.cwd);
  const options: SessionOptions = {
    ...(description === undefined ? {} : { description: description as string }),
    ...(timeout_ms === undefined ? {} : { timeout: timeout_ms as number }),
    // A model can ask for more than the settings say, never for less.
    ...(hold_changes === true ? { staging: 'review' } : {}),
    ...(keep_input_open === true ? { isInputOpen: true } : {}),
    ...(stdin === undefined ? {} : { input: stdin as string }),
    ...(without_sandbox === true ? { withoutSandbox: true } : {}),
  };
  const asked = { command: command as string, options, isBackground, holdsTimeout: timeout_ms !== undefined };
  const result = await runAsked(calling, asked);
  return resultAnswer(result, { canUndo: result.changes !== null && calling.changes?.allowed().has('undo') === true });
}

export const BASH_READONLY: ProfileTool = createTool({
  name: 'bash_readonly',
  title: 'Run a read-only shell command',
  inputSchema: objectSchema({ command: COMMAND, description: DESCRIPTION, timeout_ms: TIMEOUT }, ['command']),
  outputSchema: RESULT_SCHEMA,
  // It may read files anywhere on this machine, but it contacts no hosts.
  annotations: ONLY_LOOKS,
  describe: (
    surroundings,
  ) => `Runs a command with bash that provably changes nothing: ls, cat, grep, rg, find, git log, git diff and similar, also in pipes. Anything else is refused; use bash for it.

- It never needs approval, and runs in parallel with other read-only commands.
- The working directory persists between calls (cd is remembered).

${describeReading(surroundings)}`,
  perform: performReadOnly,
  refuse: (problem) => invalidInput(problem),
});

async function performReadOnly(input: Fields, calling: Calling): Promise<ToolAnswer> {
  const { shell, session } = calling;
  const command = input.command as string;
  // The analysis decides first; then the mode of the engine and, if available, the kernel enforce it.
  const { facts, verdict } = shell.check(command, session.complete({ mode: 'plan' }));
  if (!facts.readOnly || !verdict.readOnly) {
    const why = facts.status === 'cannot-tell' ? ` ${facts.reasons.map(({ message }) => message).join(' ')}` : '';
    return invalidAsWrite(
      `The command was not run: it is not provably read-only.${why} Use the tool bash for it.`,
      calling,
    );
  }
  const options: SessionOptions = {
    mode: 'plan',
    ...(await restricted(calling)),
    ...(input.description === undefined ? {} : { description: input.description as string }),
    ...(input.timeout_ms === undefined ? {} : { timeout: input.timeout_ms as number }),
  };
  return resultAnswer(await runAsked(calling, { command, options, holdsTimeout: input.timeout_ms !== undefined }));
}

const RESTRICTED = { sandbox: { name: 'restricted' } } as const;
const KEY = 'bash_readonly.restricted';

/** If the machine cannot enforce it, only the analysis counts, as for every command there. Checked once per session. */
async function restricted(calling: Calling): Promise<Pick<SessionOptions, 'sandbox'>> {
  const { state } = calling;
  if (!state.has(KEY)) state.set(KEY, await canRestrict(calling));
  return state.get(KEY) === true ? RESTRICTED : {};
}

async function canRestrict({ shell, session }: Calling): Promise<boolean> {
  try {
    return (await shell.enforcement(session.complete(RESTRICTED))).tier !== 'none';
  } catch (error) {
    if (error instanceof HardshellError) return false;
    throw error;
  }
}

function invalidAsWrite(problem: string, { session }: Calling): ToolAnswer {
  const { data, ...rest } = invalidInput(problem, session.cwd);
  const error = { type: 'command_not_allowed', message: problem, suggestions: ['Use the tool bash.'] };
  return { ...rest, data: { ...data, status: 'denied', error } };
}
