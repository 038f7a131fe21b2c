// Shared by all adapters: a shell tool with one conversation, and calls of a profile's tools in it.
// Everything that a model sends is answered, never thrown; only invalid options of the caller are.

import {
  type ChecksOf,
  callback,
  checkOptions,
  defined,
  describeError,
  findSurroundings,
  HardshellError,
  milliseconds,
  offeredTools,
  oneOf,
  openSessionChanges,
  orNull,
  PROFILES,
  type Profile,
  type ProfileConfiguration,
  type ProfileName,
  type ProfileTool,
  profileHere,
  quoteWord,
  type RunContext,
  type ShellEvent,
  type ShellSession,
  type ShellTool,
  type ToolAnswer,
  text,
  unchecked,
} from '../../host.ts';

export interface AdapterOptions {
  readonly shell: ShellTool;
  /** The conversation: a session, or the options for a new one, such as `{ cwd }`. Default: a new one of the shell tool. */
  readonly session?: ShellSession | RunContext;
  /** Called with events while a command runs. */
  readonly onEvent?: (event: ShellEvent) => void | Promise<void>;
}

export interface ProfileToolOptions extends AdapterOptions {
  /** The profile. Default: hardshell's own tools. */
  readonly profile?: ProfileName | null;
  readonly configuration?: ProfileConfiguration;
  /** One of the profile's tools by its name. Default: the first, which runs commands. */
  readonly tool?: string;
  /** A command that takes longer is reported as running, with its task id. */
  readonly answerWithin?: number;
  /** The settings file of the shell tool, for the description. */
  readonly settingsFile?: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal | null | undefined;
}

export interface Conversation {
  readonly shell: ShellTool;
  readonly session: ShellSession;
}

/** The shell tool and the session are checked when they are used. */
const ADAPTER_OPTIONS: ChecksOf<AdapterOptions> = { shell: unchecked, session: unchecked, onEvent: callback };

export const DESCRIPTION_OPTIONS = { ...ADAPTER_OPTIONS, settingsFile: text, answerWithin: milliseconds };

export const PROFILE_TOOL_OPTIONS: ChecksOf<ProfileToolOptions> = {
  ...DESCRIPTION_OPTIONS,
  profile: orNull(oneOf(PROFILES)),
  configuration: unchecked,
  tool: text,
};

/** For adapters of frameworks that can ask the user. */
export const FRAMEWORK_OPTIONS = { ...PROFILE_TOOL_OPTIONS, approvals: oneOf(['framework', 'broker']) };

/** `checks`: the options of the adapter. */
export function converse<Options extends AdapterOptions>(
  options: Options,
  {
    profile = null,
    checks = ADAPTER_OPTIONS,
  }: {
    readonly profile?: ProfileName | null;
    readonly checks?: ChecksOf<AdapterOptions>;
  } = {},
): Conversation {
  const { shell, session = {} } = options ?? {};
  if (typeof shell?.session !== 'function' || typeof session !== 'object' || session === null)
    throw new HardshellError('invalid-argument', 'An adapter needs a shell tool.', {
      hint: 'Pass { shell: createShell() }.',
    });
  checkOptions(options, checks);
  const chosen = profile === null ? {} : { profile };
  if (!('complete' in session)) return { shell, session: shell.session({ ...chosen, ...session }) };
  if (profile === null) return { shell, session };
  // The same session for every adapter that uses it, so that all of them share its state.
  const wrapped = session.with(chosen);
  STATES.set(wrapped, openState(session));
  return { shell, session: wrapped };
}

const STATES = new WeakMap<ShellSession, Map<string, unknown>>();

/** State that tools keep for later calls of the same session, shared by all adapters. */
export function openState(session: ShellSession): Map<string, unknown> {
  const state = STATES.get(session) ?? new Map<string, unknown>();
  STATES.set(session, state);
  return state;
}

export interface ToolCall extends CallOptions {
  readonly conversation: Conversation;
  readonly options: Pick<ProfileToolOptions, 'onEvent' | 'answerWithin' | 'settingsFile'>;
  /** The user has already approved this call; denied commands stay denied. */
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
      state: openState(session),
      changes: openChanges(session, options),
      ...(signal ? { signal } : {}),
      ...defined({ onEvent, answerWithin }),
    });
  } catch (error) {
    const problem = `The tool failed: ${describeWithHint(error)}`;
    return { text: problem, data: { error: problem }, isError: true, image: null };
  }
}

function openChanges(session: ShellSession, { settingsFile }: Pick<ProfileToolOptions, 'settingsFile'>) {
  return openSessionChanges({ session: session.id, cwd: session.originalCwd, settingsFile, by: 'adapter' });
}

/** Whether this call needs approval; for frameworks that ask the user themselves. */
export function wouldAsk(tool: ProfileTool, input: unknown, { shell, session }: Conversation): boolean {
  if (tool.annotations.readOnlyHint || typeof input !== 'object' || input === null) return false;
  const fields = input as Readonly<Record<string, unknown>>;
  if (typeof fields.command !== 'string') return false;
  const { without_sandbox, dangerouslyDisableSandbox, enable_sandbox } = fields;
  const leaves = without_sandbox === true || dangerouslyDisableSandbox === true || enable_sandbox === false;
  try {
    const { text, args } = wordsOf(fields, fields.command, session.complete().profile);
    const options = { ...defined({ args }), ...(leaves ? { withoutSandbox: true } : {}) };
    return shell.check(text, session.complete(options)).verdict.decision === 'ask';
  } catch {
    // If it cannot be checked, the call itself answers with the reason.
    return false;
  }
}

/** The command as the tool runs it: LAYER's is a program unless shell features are enabled, and words may be passed apart. */
function wordsOf(
  { args, enable_shell_features }: Readonly<Record<string, unknown>>,
  command: string,
  profile: ProfileName | undefined,
): { readonly text: string; readonly args?: readonly string[] } {
  const words = Array.isArray(args) ? args.map(String) : [];
  if (profile === 'layered' && enable_shell_features === true)
    return { text: [command, ...words.map(quoteWord)].join(' ') };
  return profile === 'layered' || words.length > 0 ? { text: command, args: words } : { text: command };
}

export interface Described {
  readonly tool: ProfileTool;
  readonly description: string;
}

/** The tools of a profile, with descriptions that say what is actually enforced here. */
export async function describeTools(
  options: ProfileToolOptions,
  { shell, session }: Conversation,
): Promise<readonly Described[]> {
  const { tools } = profileHere(options.profile ?? null, {
    cwd: session.originalCwd,
    settingsFile: options.settingsFile,
    configuration: options.configuration,
  });
  const surroundings = await findSurroundings(shell, session.complete(), {
    project: session.originalCwd,
    cwd: session.cwd,
    settingsFile: options.settingsFile,
  });
  return offeredTools(tools, openChanges(session, options)).map((tool) => ({
    tool,
    description: tool.describe(surroundings),
  }));
}

export function pickTool<Tool extends { readonly name: string }>(tools: readonly Tool[], name?: string): Tool {
  const tool = name === undefined ? tools[0] : tools.find((each) => each.name === name);
  if (tool !== undefined) return tool;
  throw new HardshellError('invalid-argument', `The profile has no tool ${JSON.stringify(name)}.`, {
    hint: `It has ${tools.map((each) => each.name).join(', ')}.`,
  });
}

export function findTool(profile: Profile, name: string): ProfileTool {
  return pickTool(profile.tools, name);
}

export function describeWithHint(error: unknown): string {
  if (error instanceof HardshellError && error.hint !== null) return `${error.message} ${error.hint}`;
  return describeError(error);
}
