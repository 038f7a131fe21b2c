// The line that shows the elapsed time and memory of a command, below its output, until something else is written.
// Never in the middle of a line of the command, and never again once the command moves the cursor itself.

import type { Terminal } from '../../show/terminal.ts';
import { columns, fitColumns, visible } from '../../show/visible.ts';

const ESC = 0x1b;
const NEWLINE = 0x0a;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const ASCII_FRAMES = ['|', '/', '-', '\\'];
// Drawn only at the start of a line. Colors are saved and restored for the command.
const SAVE = '\r\x1b7\x1b[0m';
const RESTORE = '\x1b8';

export interface StatusLine {
  /** Call it with everything that the command writes to the terminal. */
  observe(bytes: Uint8Array): void;
  /** The characters that draw it; empty if it must not be drawn now. */
  draw(now: { readonly elapsedMs: number; readonly memoryBytes: number | null; readonly width: number }): string;
  /** The characters that remove it; empty if it is not shown. */
  erase(): string;
  /** The last line of the command is incomplete. */
  isMidLine(): boolean;
}

export function createStatusLine(display: string, terminal: Terminal): StatusLine {
  const { glyphs, colors } = terminal;
  const frames = glyphs.rule === '-' ? ASCII_FRAMES : FRAMES;
  const cursor = createCursor();
  let isDrawn = false;
  let frame = 0;
  return {
    observe: (bytes) => cursor.observe(bytes),
    draw({ elapsedMs, memoryBytes, width }) {
      if (!cursor.isAtLineStart()) return '';
      isDrawn = true;
      frame = (frame + 1) % frames.length;
      const facts = [seconds(elapsedMs), ...(memoryBytes === null ? [] : [size(memoryBytes)])];
      const tail = ` ${glyphs.dot} ${facts.join(` ${glyphs.dot} `)}`;
      // One column stays free: a full line would make the terminal wrap.
      const room = width - 1 - columns(tail) - 2;
      const text = fitColumns(`Running: ${visible(display)}`, room, glyphs.ellipsis);
      return `${SAVE}\x1b[2K${colors.dim(`${frames[frame]} ${text}${tail}`)}${RESTORE}`;
    },
    erase() {
      if (!isDrawn) return '';
      isDrawn = false;
      return `${SAVE}\x1b[2K${RESTORE}`;
    },
    isMidLine: () => cursor.isMidLine(),
  };
}

/** Where the command left the cursor, as far as its output shows. */
interface Cursor {
  observe(bytes: Uint8Array): void;
  isMidLine(): boolean;
  /** And may be used by others. */
  isAtLineStart(): boolean;
}

function createCursor(): Cursor {
  let last = NEWLINE;
  let isSteered = false;
  let sequence: 'none' | 'escape' | 'parameters' = 'none';
  return {
    observe(bytes) {
      if (bytes.length === 0) return;
      last = bytes[bytes.length - 1] as number;
      if (isSteered || (sequence === 'none' && !bytes.includes(ESC))) return;
      for (const byte of bytes) {
        if (sequence === 'none') {
          if (byte === ESC) sequence = 'escape';
        } else if (sequence === 'escape') {
          sequence = byte === 0x5b ? 'parameters' : 'none';
          if (byte !== 0x5b) isSteered = true;
        } else if (byte >= 0x40 && byte <= 0x7e) {
          sequence = 'none';
          // Colors (`m`) move nothing; everything else may.
          if (byte !== 0x6d) isSteered = true;
        }
      }
    },
    isMidLine: () => last !== NEWLINE,
    isAtLineStart: () => last === NEWLINE && !isSteered && sequence === 'none',
  };
}

function seconds(ms: number): string {
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const whole = Math.floor(ms / 1_000);
  const minutes = Math.floor(whole / 60);
  const rest = `${String(whole % 60).padStart(2, '0')} s`;
  if (minutes < 60) return `${minutes} min ${rest}`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

function size(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  if (bytes < 1_000_000_000) return `${Math.round(bytes / 1_000_000)} MB`;
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}
