// `run COMMAND` and `run --yes COMMAND` without a terminal, as agents use them: without what reads options.
// A test compares it with the other forms.

import { areStreamsFlushed, type Ending, watchStreams } from '../ending.ts';
import { EXIT } from '../failure.ts';
import { process } from '../process.ts';
import { runner } from '../run/live/started-runner.ts';
import { RUN_EXIT } from '../run/options.ts';
import { run } from '../run/verb.ts';

/** `argv` is `run COMMAND`, `run --yes COMMAND` or `run --ticket ID COMMAND`. */
export async function runPlain(argv: readonly string[]): Promise<Ending> {
  process.on('SIGINT', () => process.exit(EXIT.interrupted));
  watchStreams();
  const [command = '', ...options] = argv.slice(1).reverse();
  const [ticket = ''] = options;
  const chosen = options.length === 2 ? { ticket } : ticket === '--yes' ? ({ yes: true } as const) : {};
  try {
    process.exitCode = await run(command, null, { shell: 'bash', color: true, ...chosen, runner });
  } finally {
    await runner.close();
  }
  return { isFlushed: areStreamsFlushed(), isTypical: process.exitCode !== RUN_EXIT.denied };
}
