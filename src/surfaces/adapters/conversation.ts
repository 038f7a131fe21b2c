// What every adapter shares: a shell tool with one conversation, and a way to call a profile's tool in it.
// Whatever a model sends is answered, never thrown; only a caller's wrong options are.

import {
  defined,
  describeError,
  findSurroundings,
  HardshellError,
  type Profile,
  type ProfileConfiguration,
  type ProfileName,
  type ProfileTool,
  profileOf,
  type RunContext,
  refuseRenamed,
  type ShellEvent,
  type ShellSession,
  type ShellTool,
  type ToolAnswer,
} from '../../host.ts';

export interface AdapterOptions {
  readonly shell: ShellTool;
  /** The conversation: a session, or what one is made with, such as `{ cwd }`. Default: a new one of the shell tool. */
  readonly session?: ShellSession | RunContext;
  /** Told what happens while a command runs. */
  readonly onEvent?: (event: ShellEvent) => void | Promise<void>;
}

export interface ProfileToolOptions extends AdapterOptions {
  /** Whose tools. Default: hardshell's own. */
  readonly profile?: ProfileName | null;
  readonly configuration?: ProfileConfiguration;
  /** One of the profile's tools by its name. Default: the first, which runs commands. */
  readonly tool?: string;
  /** A command that takes longer is answered as running, with the id of its task. */
  readonly answerWithin?: number;
  /** The file that the shell tool was made with, for the description. */
  readonly settingsFile?: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal | null | undefined;
}

export interface Conversation {
  readonly shell: ShellTool;
  readonly session: ShellSession;
}

export function converse(options: AdapterOptions, profile: ProfileName | null = null): Conversation {
  const { shell, session = {} } = options ?? {};
  if (typeof shell?.session !== 'function' || typeof session !== 'object' || session === null)
    throw new HardshellError('invalid-argument', 'An adapter needs a shell tool.', {
      hint: 'Pass { shell: createShell() }.',
    });
  refuseRenamed(options);
  if ('complete' in session) return { shell, session };
  return { shell, session: shell.session({ ...(profile === null ? {} : { profile }), ...session }) };
}

const STATES = new WeakMap<ShellSession, Map<string, unknown>>();

/** What tools leave for later calls of the same session, whichever adapter they come through. */
export function stateOf(session: ShellSession): Map<string, unknown> {
  const state = STATES.get(session) ?? new Map<string, unknown>();
  STATES.set(session, state);
  return state;
}

export interface ToolCall extends CallOptions {
  readonly conversation: Conversation;
  readonly options: Pick<ProfileToolOptions, 'onEvent' | 'answerWithin'>;
  /** A person has said yes to this call already; a refusal stays one. */
  readonly isApproved?: boolean;
}

export async function callTool(tool: ProfileTool, input: unknown, call: ToolCall): Promise<ToolAnswer> {
  const { conversation, signal, options, isApproved = false } = call;
  const { shell, session } = conversation;
  const { onEvent, answerWithin } = options;
  try {
    return await tool.call(input, {
      shell,
      session: isApproved ? session.with({ assumeYes: true }) : session,
      state: stateOf(session),
      ...(signal ? { signal } : {}),
      ...defined({ onEvent, answerWithin }),
    });
  } catch (error) {
    const problem = `The tool failed: ${messageOf(error)}`;
    return { text: problem, data: { error: problem }, isError: true, image: null };
  }
}

/** Whether a person would be asked about this call; for the frameworks that ask by themselves. */
export function wouldAsk(tool: ProfileTool, input: unknown, { shell, session }: Conversation): boolean {
  if (tool.annotations.readOnlyHint || typeof input !== 'object' || input === null) return false;
  const { command, without_sandbox, dangerouslyDisableSandbox } = input as Readonly<Record<string, unknown>>;
  if (typeof command !== 'string') return false;
  const withoutSandbox = without_sandbox === true || dangerouslyDisableSandbox === true;
  try {
    const { verdict } = shell.check(command, session.complete(withoutSandbox ? { withoutSandbox } : {}));
    return verdict.decision === 'ask';
  } catch {
    // What cannot be checked is answered by the call, with the reason.
    return false;
  }
}

export interface Described {
  readonly tool: ProfileTool;
  readonly description: string;
}

/** The tools of a profile, with descriptions that say what really holds commands here. */
export async function describeTools(
  options: ProfileToolOptions,
  { shell, session }: Conversation,
): Promise<readonly Described[]> {
  const { tools } = profileOf(options.profile ?? null, options.configuration);
  const surroundings = await findSurroundings(shell, session.complete(), {
    project: session.originalCwd,
    cwd: session.cwd,
    settingsFile: options.settingsFile,
  });
  return tools.map((tool) => ({ tool, description: tool.describe(surroundings) }));
}

export function pickTool<Tool extends { readonly name: string }>(tools: readonly Tool[], name?: string): Tool {
  const tool = name === undefined ? tools[0] : tools.find((each) => each.name === name);
  if (tool !== undefined) return tool;
  throw new HardshellError('invalid-argument', `The profile has no tool ${JSON.stringify(name)}.`, {
    hint: `It has ${tools.map((each) => each.name).join(', ')}.`,
  });
}

export function toolOf(profile: Profile, name: string): ProfileTool {
  return pickTool(profile.tools, name);
}

export function messageOf(error: unknown): string {
  if (error instanceof HardshellError && error.hint !== null) return `${error.message} ${error.hint}`;
  return describeError(error);
}
