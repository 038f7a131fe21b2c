// A runner → the same one, which has begun to try what confines here. The trial runs `true`, and knows no command of anyone.
// Whoever asks for that trial later gets the one that was begun.

import { findKernelSupport } from '../confine/kernel-support.ts';
import { attemptConfinement } from '../run/confinement-attempt.ts';
import type { RunHandle, Runner, RunRequest } from '../run/port.ts';

export function tryAhead(runner: Runner): Runner {
  const begun = new Map<string, RunHandle>();
  const begin = (request: RunRequest): RunHandle => {
    const handle = runner.start(request);
    begun.set(JSON.stringify(request), handle);
    return handle;
  };
  const guarantees = () => runner.guarantees();
  const close = () => runner.close();
  // A failure is reported to whoever asks for it.
  findKernelSupport(attemptConfinement({ start: begin, guarantees, close })).catch(() => {});
  return {
    start(request, listener) {
      const isTrial = listener === undefined && request.spool === undefined;
      const trial = isTrial ? begun.get(JSON.stringify(request)) : undefined;
      return trial ?? runner.start(request, listener);
    },
    guarantees,
    close,
  };
}
