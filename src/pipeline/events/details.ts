// Optional details of a result: parent, observed children, environment.

import { readFileSync } from 'node:fs';
import { isSecretName } from '../../core/names/secret-names.ts';
import type { RunDetails } from '../../core/running.ts';
import type { RunStarted } from '../../run/port.ts';

export class DetailKeeper {
  readonly #children = new Set<number>();

  /** Called periodically while the command runs. */
  look(pid: number): void {
    try {
      const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1');
      for (const child of text.split(' ')) if (child !== '') this.#children.add(Number(child));
    } catch {
      // It has ended, or the system does not provide this.
    }
  }

  of({ supervisorPid }: RunStarted, env: Readonly<Record<string, string>>): RunDetails {
    return {
      parentPid: supervisorPid ?? process.pid,
      environment: Object.fromEntries(
        Object.entries(env).map(([name, value]) => [name, isSecretName(name) ? '(not shown)' : value]),
      ),
      childPids: [...this.#children].sort((a, b) => a - b),
    };
  }
}
