// Checks of option values at run time: calls may come from programs without types, and an option of the wrong type must not
// be ignored. A check throws an error that names the option.

import { isAbsolute } from 'node:path';
import { HardshellError } from './errors.ts';
import { refuseUnknown } from './option-names.ts';
import { findNearest } from './values/nearest.ts';
import { MAX_TIMER_MS } from './values/timers.ts';

/** `name`: how the caller finds the value, such as `sandbox.allowWrite`. */
export type Check = (name: string, value: unknown) => void;

/** A check for each option of a type, so that none is forgotten. */
export type ChecksOf<Options> = { readonly [Name in keyof Options]-?: Check };

/** The options of a function: an object whose names are known, with valid values. `undefined` values are left out. */
export function checkOptions(options: unknown, checks: Readonly<Record<string, Check>>): void {
  if (!isPlain(options)) throw wrong('The options must be an object.');
  checkEach(options, checks, null);
}

function checkEach(value: object, checks: Readonly<Record<string, Check>>, within: string | null): void {
  refuseUnknown(value, Object.keys(checks), within);
  for (const [name, each] of Object.entries(value))
    if (each !== undefined) checks[name]?.(within === null ? name : `${within}.${name}`, each);
}

export function wrong(message: string, hint?: string): HardshellError {
  return new HardshellError('invalid-argument', message, hint === undefined ? {} : { hint });
}

/** Checked by the code that uses it. */
export const unchecked: Check = () => {};

export const text: Check = (name, value) => {
  if (typeof value !== 'string') throw wrong(`${name} must be a string.`);
};

export const flag: Check = (name, value) => {
  if (typeof value !== 'boolean') throw wrong(`${name} must be true or false.`);
};

export const callback: Check = (name, value) => {
  if (typeof value !== 'function') throw wrong(`${name} must be a function.`);
};

export const folder: Check = (name, value) => {
  if (typeof value !== 'string' || !isAbsolute(value) || value.includes('\0'))
    throw wrong(`${name} must be an absolute path.`, 'Use path.resolve(…) for a relative one.');
};

export const milliseconds: Check = (name, value) => {
  if (!Number.isSafeInteger(value) || (value as number) <= 0 || (value as number) > MAX_TIMER_MS)
    throw wrong(`${name} must be a whole number of milliseconds, from 1 to ${MAX_TIMER_MS}.`);
};

/** A time since 1970. */
export const moment: Check = (name, value) => {
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw wrong(
      `${name} must be a number of milliseconds since 1970.`,
      'For example Date.now() - 86_400_000, a day ago.',
    );
};

export const count: Check = (name, value) => {
  if (!Number.isSafeInteger(value) || (value as number) <= 0)
    throw wrong(`${name} must be a whole number greater than 0.`);
};

export const countOrZero: Check = (name, value) => {
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw wrong(`${name} must be a whole number, 0 or greater.`);
};

export const port: Check = (name, value) => {
  if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > 65_535)
    throw wrong(`${name}: ${String(value)} is not a port.`);
};

/** `process.env`, or an object like it. */
export const environment: Check = (name, value) => {
  if (!isPlain(value)) throw wrong(`${name} must be an object, such as process.env.`);
};

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Variables for a command: names that every shell accepts, and texts. */
export const variables: Check = (name, value) => {
  if (!isPlain(value)) throw wrong(`${name} must be an object of variables, such as { CI: '1' }.`);
  for (const [each, content] of Object.entries(value)) {
    const isValid = process.platform === 'win32' ? each !== '' && !/[=\0]/.test(each) : VARIABLE.test(each);
    if (!isValid)
      throw wrong(
        `${name}: ${JSON.stringify(each)} is not the name of a variable.`,
        'Use letters, digits and _; the first character is not a digit.',
      );
    if (content !== undefined && typeof content !== 'string') throw wrong(`${name}.${each} must be a string.`);
  }
};

export const signal: Check = (name, value) => {
  if (typeof (value as AbortSignal | null)?.aborted !== 'boolean') throw wrong(`${name} must be an AbortSignal.`);
};

export function between(least: number, most: number): Check {
  return (name, value) => {
    if (typeof value !== 'number' || !(value >= least && value <= most))
      throw wrong(`${name} must be a number from ${least} to ${most}.`);
  };
}

export function oneOf(choices: readonly (string | boolean | null)[]): Check {
  return (name, value) => {
    if (choices.includes(value as string)) return;
    const near =
      typeof value === 'string'
        ? findNearest(
            value,
            choices.filter((each) => typeof each === 'string'),
          )
        : null;
    const hint = near === null ? undefined : `Did you mean ${near}?`;
    throw wrong(`${name} must be ${choices.length === 1 ? '' : 'one of '}${choices.join(', ')}.`, hint);
  };
}

export function orNull(check: Check): Check {
  return (name, value) => {
    if (value !== null) check(name, value);
  };
}

export function listOf(check: Check, what?: string): Check {
  return (name, value) => {
    if (!Array.isArray(value)) throw wrong(`${name} must be a list${what === undefined ? '' : ` of ${what}`}.`);
    for (const each of value) check(name, each);
  };
}

export const texts: Check = (name, value) => {
  if (!Array.isArray(value) || value.some((each) => typeof each !== 'string'))
    throw wrong(`${name} must be a list of strings.`);
};

/** An object with any names. */
export function mapOf(check: Check): Check {
  return (name, value) => {
    if (!isPlain(value)) throw wrong(`${name} must be an object.`);
    for (const [key, each] of Object.entries(value)) check(`${name}.${key}`, each);
  };
}

/** An object with these names, each of them optional. */
export function recordOf(checks: Readonly<Record<string, Check>>, hint?: string): Check {
  return (name, value) => {
    if (!isPlain(value)) throw wrong(`${name} must be an object.`, hint);
    checkEach(value, checks, name);
  };
}

/** An object with these methods; others are its own business. */
export function objectWith(methods: readonly string[], hint: string): Check {
  return (name, value) => {
    const has = (method: string) => typeof (value as Record<string, unknown> | null)?.[method] === 'function';
    if (typeof value !== 'object' || !methods.every(has)) throw wrong(`${name} is not valid.`, hint);
  };
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
