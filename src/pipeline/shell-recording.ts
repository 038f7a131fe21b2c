// What a shell tool records: as the settings say, as the caller says, or nothing. Opened with the first request.

import type { ShellObserver } from '../core/observer.ts';
import { openRecording } from '../recording/recording.ts';
import type { ShellRecording, ShellSetup } from './shell-options.ts';

export class LazyRecording {
  readonly #setup: ShellSetup;
  #opened: ShellRecording | null;

  constructor(setup: ShellSetup) {
    this.#setup = setup;
    this.#opened = setup.recording || null;
  }

  /** `cwd`: of the request, for a tool without a folder. First the recording: a command that it cannot record does not run. */
  observers({ cwd }: { readonly cwd: string }): readonly ShellObserver[] {
    const { recording, observers = [], settingsFile, defaults } = this.#setup;
    if (recording === false) return observers;
    this.#opened ??= openRecording({ cwd: defaults.cwd ?? cwd, settingsFile, onAlertProblem: warn });
    return [...this.#opened.observers, ...observers];
  }

  async close(): Promise<void> {
    await this.#opened?.close();
  }
}

/** An alert that could not be delivered has no caller to report it to. */
function warn(message: string): void {
  process.emitWarning(message, 'HardshellWarning');
}
