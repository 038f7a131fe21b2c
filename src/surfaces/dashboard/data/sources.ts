// All data sources of the dashboard, opened once and closed together.

import {
  type AuditReader,
  auditPlaces,
  type Diagnosis,
  diagnose,
  openAuditReader,
  openRecording,
  type Recording,
} from '../../../host.ts';
import { Feed } from '../feed.ts';
import type { DashboardOptions } from '../options.ts';
import { Policies } from './policies.ts';
import { Tasks } from './tasks.ts';

export class Sources {
  readonly tasks = new Tasks();
  readonly policies: Policies;
  readonly feed: Feed;
  readonly audit: AuditReader;
  readonly #where: Pick<DashboardOptions, 'cwd' | 'settingsFile'>;
  /** `null`: the settings cannot be read, and the page says so. */
  readonly #recording: Recording | null;
  #diagnosis: Promise<Diagnosis> | null = null;
  #isDiagnosing = false;

  constructor(where: Pick<DashboardOptions, 'cwd' | 'settingsFile'>) {
    const { folder } = auditPlaces();
    this.#where = where;
    this.policies = new Policies(where);
    this.audit = openAuditReader({ folder });
    this.feed = new Feed(this.tasks, { folder, reader: this.audit });
    this.#recording = watchLog(where);
  }

  /** Tries to escape from the sandbox, which takes seconds: one at a time, and the last result is kept. */
  diagnose(options: { readonly isAgain: boolean }): Promise<Diagnosis> {
    if (this.#diagnosis === null || (options.isAgain && !this.#isDiagnosing)) {
      this.#isDiagnosing = true;
      const { cwd, settingsFile } = this.#where;
      const running = diagnose({ cwd, ...(settingsFile === undefined ? {} : { settingsFile }) });
      this.#diagnosis = running;
      const end = (kept: Promise<Diagnosis> | null): void => {
        this.#isDiagnosing = false;
        this.#diagnosis = kept;
      };
      running.then(
        () => end(running),
        () => end(null),
      );
    }
    return this.#diagnosis;
  }

  async close(): Promise<void> {
    await this.feed.close();
    await this.tasks.close();
    this.audit.close();
    await this.#recording?.close();
  }
}

/** The dashboard records nothing, but it is long-lived: it verifies the log periodically. */
function watchLog({ cwd, settingsFile }: Pick<DashboardOptions, 'cwd' | 'settingsFile'>): Recording | null {
  const onAlertProblem = (message: string) => void process.stderr.write(`hardshell: ${message}\n`);
  try {
    const recording = openRecording({ cwd, settingsFile, onAlertProblem });
    recording.watch();
    return recording;
  } catch {
    return null;
  }
}
