// Standard input → single keys on a terminal, otherwise the first character of a line.
// Ignores keys that were typed or pasted before the question could be read: they were meant for something else.

import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { visible } from '../show/visible.ts';

export const CTRL_C = '\x03';
/** A paste or an arrow key: several characters at once. */
export const SEVERAL = '\0';
export const CTRL_D = '\x04';
const CTRL_U = '\x15';
const BACKSPACES = ['\x7f', '\b'];
const MAX_WAITING_LINES = 100;
const MAX_TEXT = 1_000;

export interface KeyInput extends Readable {
  readonly isTTY?: boolean;
  setRawMode?(mode: boolean): unknown;
}

export interface Keys {
  /** Takes over the terminal; keys count from a moment later. */
  open(): void;
  /** A key; `''` for Enter; `SEVERAL`; `null` if the input has ended. */
  next(): Promise<string | null>;
  /** A line of text, shown while it is typed; `null` if it was cancelled or the input has ended. */
  text(): Promise<string | null>;
  /** Releases the terminal. */
  close(): void;
  hasEnded(): boolean;
}

export interface KeyOptions {
  readonly input: KeyInput;
  readonly write: (text: string) => void;
  readonly graceMs: number;
}

export function createKeys(options: KeyOptions): Keys {
  return options.input.isTTY === true ? createRawKeys(options) : createLineKeys(options);
}

function createRawKeys({ input, write, graceMs }: KeyOptions): Keys {
  let isEnded = false;
  let isReady = false;
  let timer: NodeJS.Timeout | undefined;
  let deliver: ((chunk: string | null) => void) | null = null;
  const onData = (chunk: Buffer | string): void => {
    if (isReady) deliver?.(chunk.toString());
  };
  const onEnd = (): void => {
    isEnded = true;
    deliver?.(null);
  };
  input.once('end', onEnd);
  input.once('error', onEnd);
  const chunk = (): Promise<string | null> =>
    isEnded
      ? Promise.resolve(null)
      : new Promise((resolve) => {
          deliver = resolve;
        });
  return {
    hasEnded: () => isEnded,
    open() {
      isReady = graceMs === 0;
      timer = setTimeout(() => {
        isReady = true;
      }, graceMs);
      input.setRawMode?.(true);
      input.on('data', onData);
      input.resume();
    },
    close() {
      clearTimeout(timer);
      deliver = null;
      input.removeListener('data', onData);
      input.setRawMode?.(false);
      input.pause();
    },
    async next() {
      const keys = await chunk();
      if (keys === null) return null;
      if (keys === '\r' || keys === '\n') return '';
      return [...keys].length === 1 ? keys : SEVERAL;
    },
    async text() {
      let text = '';
      for (;;) {
        const keys = await chunk();
        if (keys === null) return null;
        for (const key of keys) {
          if (key === CTRL_C || key === CTRL_D || key === '\x1b') return null;
          if (key === '\r' || key === '\n') return text;
          if (key === CTRL_U) text = '';
          else if (BACKSPACES.includes(key)) text = [...text].slice(0, -1).join('');
          else if (key >= ' ' && text.length < MAX_TEXT) text += key;
        }
        // Redraws the line from its start: simpler than tracking the width of each character.
        write(`\r\x1b[K${visible(text)}`);
      }
    },
  };
}

/** Lines may be buffered: a script that pipes its answers writes them before it is asked. */
function createLineKeys({ input }: KeyOptions): Keys {
  const lines: string[] = [];
  let isEnded = false;
  let deliver: (() => void) | null = null;
  let reader: ReturnType<typeof createInterface> | null = null;
  const open = (): void => {
    if (reader !== null) return;
    reader = createInterface({ input, terminal: false });
    reader.on('line', (line) => {
      lines.push(line);
      if (lines.length >= MAX_WAITING_LINES) reader?.pause();
      deliver?.();
    });
    reader.on('close', () => {
      isEnded = true;
      deliver?.();
    });
  };
  const line = async (): Promise<string | null> => {
    if (lines.length === 0 && !isEnded) {
      reader?.resume();
      await new Promise<void>((resolve) => {
        deliver = resolve;
      });
    }
    return lines.shift() ?? null;
  };
  return {
    hasEnded: () => isEnded && lines.length === 0,
    open,
    close() {
      deliver = null;
      reader?.pause();
    },
    async next() {
      const text = await line();
      return text === null ? null : ([...text.trim()][0] ?? '');
    },
    text: line,
  };
}
