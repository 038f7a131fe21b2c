// Where the quick file begins: the same program as main.ts with the quick verbs alone. The two plainest forms, which
// agents use for every command, do not even load what reads options; a test compares them with the whole program.

import { reportFailure } from '../failure.ts';
import { isHookAgent } from '../hook/agents.ts';
import { QUICK_VERBS } from './quick.ts';

let hasDecided = false;

/** Whether this run went through what most runs go through: its compiled form is worth keeping then. */
export function isTypical(): boolean {
  return hasDecided;
}

export async function main(argv: readonly string[]): Promise<void> {
  const work = plainForm(argv);
  if (work === null) {
    const { start } = await import('./program.ts');
    await start(argv, QUICK_VERBS);
    hasDecided = !argv.includes('--help') && !argv.includes('-h');
    return;
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
    return async () => {
      const { checkOne } = await import('../check.ts');
      const code = await checkOne(word, { shell: 'bash', color: true });
      hasDecided = true;
      return code;
    };
  }
  if (verb === 'hook' && isHookAgent(word)) {
    return async () => {
      const { answerHook } = await import('../hook/verb.ts');
      return answerHook(word, { onAsk: 'deny' }, () => {
        hasDecided = true;
      });
    };
  }
  return null;
}
