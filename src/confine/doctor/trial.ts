// Attempts × a confinement → which guarantees hold: each attempt runs without confinement first, since one that fails there
// proves nothing, and then inside. A guarantee is held only if some attempt proves it.

import { type ConfineGuarantee, type Enforcement, GUARANTEES } from '../../core/confinement.ts';
import type { Attempt } from './attempts.ts';
import type { AttemptFinding, GuaranteeFinding } from './diagnosis.ts';
import type { Scene } from './scene.ts';

export interface Ended {
  /** Null if it was killed, for example by a timeout. */
  readonly exitCode: number | null;
  readonly output: string;
  readonly hasTimedOut?: boolean;
}

/** Runs a script of the scene with bash. */
export type RunScript = (script: string, where: 'unconfined' | 'confined') => Promise<Ended>;

export async function tryAll(
  attempts: readonly Attempt[],
  scene: Scene,
  run: RunScript,
): Promise<ReadonlyMap<ConfineGuarantee, readonly AttemptFinding[]>> {
  const found = new Map<ConfineGuarantee, AttemptFinding[]>(GUARANTEES.map((guarantee) => [guarantee, []]));
  for (const attempt of attempts) {
    if (attempt.as === 'root' && process.getuid?.() !== 0) continue;
    found.get(attempt.guarantee)?.push(await tryOne(attempt, scene, run));
  }
  return found;
}

async function tryOne({ tried, script, seen }: Attempt, scene: Scene, run: RunScript): Promise<AttemptFinding> {
  const attemptIt = async (where: 'unconfined' | 'confined') => {
    scene.refresh();
    const { exitCode, output, hasTimedOut = false } = await run(script, where);
    const wasTried = /^tried$/m.test(output);
    return {
      // On a slow machine the attempt itself may not have been reached.
      wasTried: wasTried && !hasTimedOut,
      hasWorked: seen === undefined ? wasTried && exitCode === 0 : seen(scene),
      said: hasTimedOut ? 'it did not end in time' : lastWords(output),
    };
  };
  const control = await attemptIt('unconfined');
  if (!control.hasWorked) return { tried, unconfined: 'failed', confined: 'not-tried', said: control.said };
  const inside = await attemptIt('confined');
  const confined = inside.hasWorked ? 'worked' : inside.wasTried ? 'stopped' : 'not-tried';
  return { tried, unconfined: 'worked', confined, said: inside.said };
}

/** The part of `bash: line 1: /x: Read-only file system` that comes from the kernel. */
function lastWords(output: string): string {
  const lines = output.split('\n').filter((line) => line !== '' && line !== 'tried');
  const words = (lines.at(-1) ?? '')
    .replace(/^.*: /, '')
    .replace(/^\(\d+\) - /, '')
    .trim();
  return words.slice(0, 100);
}

export function judge(
  enforcement: Enforcement,
  found: ReadonlyMap<ConfineGuarantee, readonly AttemptFinding[]>,
): GuaranteeFinding[] {
  return GUARANTEES.map((guarantee) => {
    const attempts = found.get(guarantee) ?? [];
    const reasons = enforcement.missing.filter((missing) => missing.guarantee === guarantee).map(({ why }) => why);
    const base = { guarantee, meaning: MEANINGS[guarantee], attempts };
    if (reasons.length > 0) return { ...base, verdict: 'missing', why: reasons.join('; ') };
    const escaped = attempts.filter(({ confined }) => confined === 'worked').map(({ tried }) => tried);
    if (escaped.length > 0)
      return { ...base, verdict: 'broken', why: `these attempts worked inside the sandbox: ${escaped.join(', ')}` };
    if (attempts.some(({ confined }) => confined === 'stopped')) return { ...base, verdict: 'held', why: null };
    const why = attempts.some(({ unconfined }) => unconfined === 'worked')
      ? 'no attempt could be completed inside, so nothing proves it'
      : 'no attempt works on this machine even without confinement, so none proves anything';
    return { ...base, verdict: 'not-proven', why };
  });
}

/** What each guarantee means, in a few words for people. */
const MEANINGS: Readonly<Record<ConfineGuarantee, string>> = {
  'writes-outside': 'files outside the writable folders cannot be changed',
  'metadata-outside': 'their modes, owners and times cannot be changed',
  'hidden-content': 'hidden files cannot be read',
  'hidden-names': 'their names and sizes cannot be seen',
  'protected-existing': 'hooks and settings in the project cannot be changed',
  'protected-absent': 'hooks and settings cannot be created',
  devices: 'only a few harmless devices',
  network: 'no connections except through the sandbox',
  'unix-sockets': 'no sockets of other programs',
  'signals-outside': 'other processes cannot be signalled',
  'processes-unseen': 'other processes cannot be seen',
  'shared-ipc': 'no shared memory of other programs',
  terminals: 'no terminals of other programs',
  privileges: 'privileges cannot be gained',
  'kernel-surface': 'rarely used system calls are blocked',
};
