// The current settings of the folder: the rules with their places, and the verdict on a command.

import { check, type LoadedSettings, loadPolicy, MAX_COMMAND_LENGTH } from '../../../host.ts';
import { Refused } from '../refused.ts';
import type { PolicyView, Understanding } from '../wire.ts';

export class Policies {
  readonly #where: { readonly cwd: string; readonly settingsFile?: string };

  constructor(where: { readonly cwd: string; readonly settingsFile?: string }) {
    const { cwd, settingsFile } = where;
    this.#where = { cwd, ...(settingsFile === undefined ? {} : { settingsFile }) };
  }

  view(): PolicyView {
    const { policy, sources, notices } = this.#load();
    return {
      cwd: this.#where.cwd,
      mode: policy.mode,
      rules: policy.rules,
      sources: sources.map(({ layer, file, isTrusted, settings }) => ({
        layer,
        file,
        isTrusted,
        isThere: settings !== null,
      })),
      notices,
    };
  }

  /** The verdict now; nothing is run. */
  try(command: unknown): Understanding {
    if (typeof command !== 'string' || command.trim() === '') throw new Refused(400, 'Give a command.');
    if (command.length > MAX_COMMAND_LENGTH)
      throw new Refused(400, `The command is longer than ${MAX_COMMAND_LENGTH} characters.`);
    return this.#understand(command, this.#where.cwd);
  }

  /** `null` if the settings cannot be read now: recorded data is shown anyway. */
  understand(command: string, cwd: string): Understanding | null {
    try {
      return this.#understand(command, cwd);
    } catch {
      return null;
    }
  }

  #understand(command: string, cwd: string): Understanding {
    const variables = process.env.HOME === undefined ? {} : { variables: { HOME: process.env.HOME } };
    const { facts, verdict } = check(command, { cwd, policy: this.#load().policy, ...variables });
    return {
      status: facts.status,
      class: facts.class,
      reasons: facts.reasons.map(({ message }) => message),
      commands: facts.commands.map(({ parent, argv, name, summary, via, class: kind, effects }) => ({
        parent,
        argv,
        name,
        summary,
        via,
        class: kind,
        effects,
      })),
      verdict,
    };
  }

  #load(): LoadedSettings {
    return loadPolicy(this.#where);
  }
}
