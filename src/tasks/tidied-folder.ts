// The folder of outputs and records, created on first use and cleaned up periodically.

import { existsSync } from 'node:fs';
import { makeTaskFolder } from '../local/state-folders.ts';
import { taskFolders } from './names.ts';
import { pruneTasks } from './pruning.ts';
import { deleteOrphans } from './registry.ts';

/** How often a long-lived process cleans up. */
const TIDY_MS = 60 * 60 * 1000;

export class TidiedFolder {
  readonly #given: string | undefined;
  readonly #tidyMore: () => void;
  #path: string | null = null;
  #tidiedAt = 0;

  constructor(given: string | undefined, tidyMore: () => void) {
    this.#given = given;
    this.#tidyMore = tidyMore;
  }

  path(): string {
    // Created again if it was deleted in the meantime.
    if (this.#path === null || !existsSync(this.#path)) {
      this.#path = makeTaskFolder(this.#given);
      this.#tidiedAt = 0;
    }
    if (Date.now() - this.#tidiedAt > TIDY_MS) this.#tidy(this.#path);
    return this.#path;
  }

  /** A server may run for months, so it cleans up repeatedly, not only at its start. */
  #tidy(folder: string): void {
    this.#tidiedAt = Date.now();
    try {
      for (const each of taskFolders(folder)) deleteOrphans(each);
      pruneTasks(folder);
      this.#tidyMore();
    } catch {
      // A full or read-only disk is reported by the operation that needs it.
    }
  }
}
