// The OpenTelemetry observer, created with the first request after an SDK was registered: before that, every span and
// metric would be dropped, and loading the API would slow down each start of a command.

import type { ShellObserver } from '../../../core/observer.ts';
import { type OtelOptions, otelObserver } from './observer.ts';

/** Where the API, in any copy, stores what an SDK has registered. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

export function lateOtelObserver(options: OtelOptions = {}): ShellObserver {
  let observer: Required<ShellObserver> | null = null;
  let making: Promise<Required<ShellObserver>> | null = null;
  const isRegistered = (): boolean => (globalThis as Record<symbol, unknown>)[REGISTERED] !== undefined;
  return {
    async onVerdict(request, checked) {
      if (observer === null) {
        if (!isRegistered()) return;
        making ??= otelObserver(options);
        observer = await making;
      }
      await observer.onVerdict(request, checked);
    },
    onAnswer: (request, answer) => observer?.onAnswer(request, answer),
    onStart: (request, started) => observer?.onStart(request, started),
    onViolation: (request, violation) => observer?.onViolation(request, violation),
    onOperation: (request, operation) => observer?.onOperation(request, operation),
    onEnd: (request, result) => observer?.onEnd(request, result),
  };
}
