// An observer → the same, which never throws. Who counts and reports must not keep a command from running, nor hold it up.

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
      // Whoever hears of problems has one. There is nobody left to tell.
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
