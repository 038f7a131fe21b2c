// The folder of outputs and records, created on first use and cleaned up periodically.

import { existsSync } from 'node:fs';
import { makeTaskFolder } from '../local/state-folders.ts';
import { taskFolders } from './names.ts';
import { pruneTasks } from './pruning.ts';
import { deleteOrphans } from './registry.ts';

/** How often a long-lived process cleans up. */
const TIDY_MS = 60 * 60 * 1000;
/** And after how many commands, whatever the time: outputs are limited by their number, too. */
const TIDY_USES = 2_000;

export class TidiedFolder {
  readonly #given: string | undefined;
  readonly #tidyMore: () => void;
  #path: string | null = null;
  #tidiedAt = 0;
  #uses = 0;

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
    this.#uses += 1;
    const isOften = this.#uses >= TIDY_USES;
    if (isOften || Date.now() - this.#tidiedAt > TIDY_MS) this.#tidy(this.#path, isOften);
    return this.#path;
  }

  /** A server may run for months, so it cleans up repeatedly, not only at its start. */
  #tidy(folder: string, isOften: boolean): void {
    this.#tidiedAt = Date.now();
    this.#uses = 0;
    try {
      for (const each of taskFolders(folder)) deleteOrphans(each);
      pruneTasks(folder, isOften ? { everyMs: 0 } : {});
      this.#tidyMore();
    } catch {
      // A full or read-only disk is reported by the operation that needs it.
    }
  }
}
