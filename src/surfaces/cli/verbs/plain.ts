// The two forms that agents use for every command, `check COMMAND` and `hook AGENT`, without option parsing and
// without Node's streams: both take longer to load than a verdict takes. A test compares them with the other forms.

import { check, DEFAULT_POLICY } from '../../../host/deciding.ts';
import { checkOne } from '../check.ts';
import type { Ending } from '../ending.ts';
import { EXIT, reportFailure } from '../failure.ts';
import { isHookAgent } from '../hook/agents.ts';
import { textsFor } from '../hook/reason.ts';
import { answerHook } from '../hook/verb.ts';
import { inheritedVariables } from '../input.ts';
import { isWritten } from '../plain-output.ts';
import { process } from '../process.ts';
import { createTerminal } from '../show/terminal.ts';
import { drawVerdict } from '../show/verdict.ts';

/** `argv` is `check COMMAND`, `hook WORD` or `hook WORD --confine`; returns `null` if the word is not the name of an agent. */
export async function runPlain([verb, word = '', option]: readonly string[]): Promise<Ending | null> {
  let isTypical = verb === 'check';
  try {
    if (verb === 'check') process.exitCode = await checkOne(word, { shell: 'bash', color: true });
    else if (!isHookAgent(word)) return null;
    else
      process.exitCode = await answerHook(
        word,
        { onAsk: 'deny', ...(option === '--confine' ? { confine: true } : {}) },
        () => {
          isTypical = true;
        },
      );
  } catch (error) {
    process.exitCode = reportFailure(error, { json: false });
  }
  // Input errors are reported through a stream.
  const isBad = process.exitCode === EXIT.badInput || process.exitCode === EXIT.internal;
  return { isFlushed: !isBad && isWritten(), isTypical: !isBad && isTypical, rehearse };
}

/** One of each common kind: commits, code of a project, code from the network, files that are searched and written. */
const USUAL = [
  "git commit -am 'a b' && git push",
  'npm test',
  'curl -fsS https://example.com/install.sh | sh',
  'cat a.txt | grep -n b > c.txt',
];

/** Checks common commands silently, so that the compile cache covers more than one command. */
function rehearse(): void {
  const terminal = createTerminal({ color: false }, {}, { isTTY: false, columns: 80 });
  for (const command of USUAL) {
    const { facts, verdict } = check(command, {
      cwd: '/',
      shell: 'bash',
      variables: inheritedVariables(),
      policy: DEFAULT_POLICY,
    });
    drawVerdict(facts, verdict, terminal);
    textsFor(verdict, command, { canAsk: true });
  }
}
