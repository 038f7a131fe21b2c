// The folder of outputs and records, made when it is first needed and tidied now and then.

import { existsSync } from 'node:fs';
import { makeTaskFolder } from '../local/state-folders.ts';
import { pruneTasks } from './pruning.ts';
import { deleteOrphans } from './registry.ts';

/** How often a process that lives long looks for what is old. */
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
    // Made again if somebody has deleted it in the meantime.
    if (this.#path === null || !existsSync(this.#path)) {
      this.#path = makeTaskFolder(this.#given);
      this.#tidiedAt = 0;
    }
    if (Date.now() - this.#tidiedAt > TIDY_MS) this.#tidy(this.#path);
    return this.#path;
  }

  /** A server may run for months: what is old is looked for again and again, not only at its start. */
  #tidy(folder: string): void {
    this.#tidiedAt = Date.now();
    try {
      deleteOrphans(folder);
      pruneTasks(folder);
      this.#tidyMore();
    } catch {
      // A disk that is full or read-only is told by what needs it.
    }
  }
}
