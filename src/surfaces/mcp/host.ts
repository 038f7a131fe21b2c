// Shared by all conversations of the process: the shell tool, the broker with its surfaces, the profile.
// The socket for other terminals is opened with the first question.

import {
  type ApprovalSocket,
  type Broker,
  type CompleteRunOptions,
  createBroker,
  createMetrics,
  createShell,
  defined,
  describeError,
  findSurroundings,
  headlineOf,
  openApprovalSocket,
  openRecording,
  openSessionChanges,
  type PendingApproval,
  type Profile,
  profileHere,
  profileOf,
  type SessionChanges,
  type ShellSession,
  type ShellTool,
  type Surroundings,
  visible,
} from '../../host.ts';
import { SessionRules } from './approval/keeping.ts';
import { createMcpSurface, type McpSurface } from './approval/mcp-surface.ts';
import { ANSWER_WITHIN_MS, type McpOptions } from './options.ts';

export interface Host {
  readonly profile: Profile;
  readonly shell: ShellTool;
  readonly broker: Broker;
  readonly surface: McpSurface;
  /** In the text format of Prometheus. */
  showMetrics(): string;
  readonly answerWithinMs: number;
  openSession(cwd: string, id: string): ShellSession;
  /** What its commands changed. */
  openChanges(session: ShellSession): SessionChanges;
  /** Drops its grants and everything known about it. */
  closeSession(id: string): void;
  /** Detects what the sandbox can do here in advance, and warns if there is none; other failures are reported to the first caller. */
  warmUp(cwd: string): void;
  /** What is actually enforced there, for descriptions. */
  look(cwd: string): Promise<Surroundings>;
  /** Ends foreground commands, but no tasks. */
  close(): Promise<void>;
}

function logUnrecorded(error: unknown): void {
  log(`Recording failed: ${describeError(error)}`);
}

export function log(message: string): void {
  process.stderr.write(`hardshell mcp: ${visible(message)}\n`);
}

export function createHost(options: McpOptions): Host {
  const profile = findProfile(options);
  const sessionRules = new SessionRules(options.settingsFile, logUnrecorded);
  const broker = createBroker({
    onProblem: log,
    saveRule: (scope, rule, { session }) => sessionRules.save(scope, rule, session),
  });
  const socket = prepareSocket(broker);
  const surface = createMcpSurface({
    canBeAnsweredElsewhere: socket.open,
    describe: (pending) => sessionRules.describe(pending),
  });
  broker.attach(surface);
  broker.attach(socket.standIn);
  const { settingsFile, sandbox, mode } = options;
  const recording = openRecording({ cwd: options.cwd, settingsFile, onAlertProblem: log }, logUnrecorded);
  const metrics = createMetrics();
  recording.watch({ metrics });
  const shell = createShell({
    // A named profile holds for each session, by the settings of the moment.
    ...(options.profile === undefined ? profile.engine : {}),
    broker,
    recording,
    observers: [metrics.observer, sessionRules.observer],
    ...defined({ settingsFile }),
  });
  const contextOf = (cwd: string): CompleteRunOptions => ({
    cwd,
    ...defined({ profile: options.profile, mode }),
    ...(sandbox === undefined ? {} : { sandbox: { name: sandbox } }),
  });
  const look = (cwd: string) => findSurroundings(shell, contextOf(cwd), { project: cwd, settingsFile });
  return {
    profile,
    shell,
    broker,
    surface,
    showMetrics: () => {
      recording.countMarks(metrics);
      return metrics.prometheus();
    },
    answerWithinMs: options.answerWithinMs ?? ANSWER_WITHIN_MS,
    openSession(cwd, session) {
      sessionRules.begin(session, cwd);
      return shell.session({ ...contextOf(cwd), session });
    },
    openChanges: ({ id, originalCwd }) =>
      openSessionChanges({ session: id, cwd: originalCwd, settingsFile, by: 'mcp' }),
    closeSession(session) {
      broker.revoke(session);
      sessionRules.end(session);
    },
    warmUp: (cwd) => void look(cwd).then(warnWithoutSandbox, () => {}),
    look,
    async close() {
      broker.close();
      await socket.close();
      await shell.close();
    },
  };
}

/** Nothing to say if the settings chose to have none. */
function warnWithoutSandbox({ sandbox, enforcement, unavailable }: Surroundings): void {
  if (unavailable !== undefined) log(`Warning: every command will be refused. ${unavailable}`);
  else if (enforcement.tier === 'none' && sandbox !== 'unrestricted')
    log(`Warning: commands run unrestricted, only with the safety checks: ${enforcement.missing[0]?.why}.`);
}

/** Settings that cannot be read are reported to the caller of each tool, and no command runs: a server must be there for that. */
function findProfile({ profile, cwd, settingsFile }: McpOptions): Profile {
  const name = profile ?? null;
  try {
    return profileHere(name, { cwd, settingsFile });
  } catch (error) {
    log(describeError(error));
    return profileOf(name);
  }
}

function prepareSocket(broker: Broker) {
  let opening: Promise<ApprovalSocket | null> | null = null;
  const open = async (): Promise<boolean> => {
    opening ??= openApprovalSocket(broker).catch((error: Error) => {
      log(`Other terminals cannot answer questions: ${error.message}`);
      return null;
    });
    return (await opening) !== null;
  };
  return {
    open,
    /** A placeholder until the first question: the broker shows pending questions to surfaces attached then. */
    standIn: {
      name: 'other' as const,
      async present({ code, request }: PendingApproval) {
        if (!(await open())) throw new Error('no other terminal can answer');
        log(`waiting for approval. ${headlineOf(request).line}`);
        process.stderr.write(`  hardshell approve ${code}   or   hardshell deny ${code}\n`);
      },
      withdraw() {},
    },
    close: async () => (await opening)?.close(),
  };
}
