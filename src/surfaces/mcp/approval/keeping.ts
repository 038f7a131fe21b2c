// Additional information for a question: where a rule would be saved, and which commands of the same client it would have
// matched. In memory, and dropped with the client.

import { homedir } from 'node:os';
import {
  createMatcher,
  filesForAnswers,
  type PendingApproval,
  recordSettingsChange,
  SETTINGS_VALIDATORS,
  type ShellObserver,
  saveAnswer,
} from '../../../host.ts';

const MAX_COMMANDS = 100;
const MAX_LENGTH = 2_000;

export interface RuleReach {
  /** Other commands of this client that the rule would have matched, latest first. */
  readonly matched: readonly string[];
  /** How many there were. */
  readonly of: number;
}

/** Where a rule would be saved, and what else it would allow. */
export interface RuleKeeping {
  /** Files in which a rule would be saved; `null` if it cannot be, or would have no effect. */
  readonly files: Readonly<Record<'project' | 'user', string | null>>;
  readonly reach: ReadonlyMap<string, RuleReach>;
}

interface Known {
  readonly cwd: string;
  /** Command → the folder in which it was last requested. */
  readonly commands: Map<string, string>;
}

export class SessionRules {
  readonly #settingsFile: string | undefined;
  readonly #onUnrecorded: (error: unknown) => void;
  readonly #sessions = new Map<string, Known>();

  constructor(settingsFile: string | undefined, onUnrecorded: (error: unknown) => void) {
    this.#settingsFile = settingsFile;
    this.#onUnrecorded = onUnrecorded;
  }

  begin(session: string, cwd: string): void {
    this.#sessions.set(session, { cwd, commands: new Map() });
  }

  end(session: string): void {
    this.#sessions.delete(session);
  }

  readonly observer: ShellObserver = {
    onVerdict: ({ session, command, cwd }) => {
      const commands = session === null ? undefined : this.#sessions.get(session)?.commands;
      if (commands === undefined || command.length > MAX_LENGTH) return;
      commands.delete(command);
      commands.set(command, cwd);
      const [oldest] = commands.keys();
      if (commands.size > MAX_COMMANDS && oldest !== undefined) commands.delete(oldest);
    },
  };

  /** The project folder is the one in which the client started, wherever it has gone since. */
  async save(scope: 'project' | 'user', rule: string, session: string | null): Promise<string | undefined> {
    const known = session === null ? undefined : this.#sessions.get(session);
    if (known === undefined) throw new Error('the client has disconnected');
    const { cwd } = known;
    // The file has already been changed: a recording failure is only reported.
    return await saveAnswer(scope, rule, this.#where(cwd), (saved) =>
      recordSettingsChange(saved, { cwd }).catch((error) => this.#onUnrecorded(error)),
    );
  }

  describe({ request }: Pick<PendingApproval, 'request'>): RuleKeeping {
    const known = request.session === null ? undefined : this.#sessions.get(request.session);
    if (known === undefined) return { files: { project: null, user: null }, reach: new Map() };
    const others = [...known.commands].filter(([command]) => command !== request.command).reverse();
    return {
      files: filesForAnswers(this.#where(known.cwd)),
      reach: new Map(request.suggestions.map((rule) => [rule, reachOf(rule, others)])),
    };
  }

  #where(cwd: string) {
    return { ...SETTINGS_VALIDATORS, cwd, home: homedir(), settingsFile: this.#settingsFile };
  }
}

function reachOf(rule: string, commands: readonly (readonly [command: string, cwd: string])[]): RuleReach {
  const isMatched = createMatcher(rule);
  return {
    matched: commands.filter(([command, cwd]) => isMatched(command, cwd)).map(([text]) => text),
    of: commands.length,
  };
}
