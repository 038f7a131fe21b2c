// An observer → the same, which never throws. Metrics and alerts must not prevent or delay a command.

import type { ShellObserver } from '../../core/observer.ts';

export function harmless(
  observer: ShellObserver,
  onProblem: (error: unknown) => void = () => {},
): Required<ShellObserver> {
  const guard = <Args extends readonly unknown[]>(step: ((...args: Args) => void | Promise<void>) | undefined) => {
    return (...args: Args): void => {
      try {
        const told = step?.apply(observer, [...args] as never);
        if (told instanceof Promise) told.catch((error) => complain(error));
      } catch (error) {
        complain(error);
      }
    };
  };
  const complain = (error: unknown): void => {
    try {
      onProblem(error);
    } catch {
      // The problem handler itself failed. There is nothing left to report to.
    }
  };
  return {
    onVerdict: guard(observer.onVerdict),
    onAnswer: guard(observer.onAnswer),
    onStart: guard(observer.onStart),
    onViolation: guard(observer.onViolation),
    onOperation: guard(observer.onOperation),
    onEnd: guard(observer.onEnd),
  };
}
