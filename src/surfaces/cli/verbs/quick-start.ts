// Where the quick file begins: the same program as main.ts with the quick verbs alone. The two plainest forms, which
// agents use for every command, do not even load what reads options; a test compares them with the whole program.

import { reportFailure } from '../failure.ts';
import { isHookAgent } from '../hook/agents.ts';
import { QUICK_VERBS } from './quick.ts';

export async function main(argv: readonly string[]): Promise<void> {
  const work = plainForm(argv);
  if (work === null) {
    const { start } = await import('./program.ts');
    return start(argv, QUICK_VERBS);
  }
  try {
    process.exitCode = await work();
  } catch (error) {
    process.exitCode = reportFailure(error, { json: false });
  }
}

/** `check COMMAND` and `hook AGENT`, without any option. */
function plainForm(argv: readonly string[]): (() => Promise<number>) | null {
  const [verb, word, ...more] = argv;
  if (word === undefined || word.startsWith('-') || more.length > 0) return null;
  if (verb === 'check') {
    return async () => (await import('../check.ts')).checkOne(word, { shell: 'bash', color: true });
  }
  if (verb === 'hook' && isHookAgent(word)) {
    return async () => (await import('../hook/verb.ts')).answerHook(word, { onAsk: 'deny' });
  }
  return null;
}
