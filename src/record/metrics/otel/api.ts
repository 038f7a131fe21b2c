// The used parts of `@opentelemetry/api`, as own types: users who do not install it do not need its types either.

export type OtelValue = string | number | boolean | string[];
export type OtelAttributes = Record<string, OtelValue>;

export interface OtelSpan {
  setAttributes(attributes: OtelAttributes): unknown;
  addEvent(name: string, attributes?: OtelAttributes): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

export interface OtelTracer {
  startSpan(name: string, options?: { attributes?: OtelAttributes }): OtelSpan;
}

export interface InstrumentOptions {
  description?: string;
  unit?: string;
}

export interface OtelCounter {
  add(value: number, attributes?: OtelAttributes): void;
}

export interface OtelHistogram {
  record(value: number, attributes?: OtelAttributes): void;
}

export interface OtelMeter {
  createCounter(name: string, options?: InstrumentOptions): OtelCounter;
  createUpDownCounter(name: string, options?: InstrumentOptions): OtelCounter;
  createHistogram(name: string, options?: InstrumentOptions): OtelHistogram;
}

/** `import * as api from '@opentelemetry/api'` is one. */
export interface OtelApi {
  readonly trace: { getTracer(name: string, version?: string): OtelTracer };
  readonly metrics: { getMeter(name: string, version?: string): OtelMeter };
  readonly SpanStatusCode: { readonly ERROR: number };
}

/** `null` if it is not installed. */
export async function loadOtelApi(): Promise<OtelApi | null> {
  try {
    return (await import('@opentelemetry/api')) as unknown as OtelApi;
  } catch {
    return null;
  }
}
