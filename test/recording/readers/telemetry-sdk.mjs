// The smallest SDK of OpenTelemetry: registers itself in the real API and appends the spans that end to $SPANS.

import { appendFileSync } from 'node:fs';
import { trace } from '@opentelemetry/api';

const startSpan = (name, { attributes = {} } = {}) => {
  const span = {
    setAttributes: (more) => Object.assign(attributes, more) && span,
    addEvent: () => span,
    setStatus: () => span,
    end: () => appendFileSync(process.env.SPANS, `${JSON.stringify({ name, attributes })}\n`),
  };
  return span;
};
trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan }) });
