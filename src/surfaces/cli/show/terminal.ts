// What the reader's terminal can show: colour, characters beyond ASCII, columns.

import pc from 'picocolors';
import { process } from '../process.ts';

export interface Terminal {
  readonly colors: ReturnType<typeof pc.createColors>;
  readonly glyphs: Glyphs;
  readonly width: number;
  /** False for a file or a pipe: then nothing is cut to the width. */
  readonly isTerminal: boolean;
}

export interface Glyphs {
  readonly branch: string;
  readonly last: string;
  readonly pass: string;
  readonly dot: string;
  readonly ellipsis: string;
  readonly micro: string;
  readonly arrow: string;
  readonly rule: string;
}

const UNICODE: Glyphs = {
  branch: '├─ ',
  last: '└─ ',
  pass: '│  ',
  dot: '·',
  ellipsis: '…',
  micro: 'µs',
  arrow: '→',
  rule: '─',
};
const ASCII: Glyphs = {
  branch: '|- ',
  last: '`- ',
  pass: '|  ',
  dot: '-',
  ellipsis: '...',
  micro: 'us',
  arrow: '->',
  rule: '-',
};

const MIN_WIDTH = 40;
const MAX_WIDTH = 120;

export function createTerminal(
  options: { readonly color: boolean },
  env = process.env,
  out: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'> = process.stdout,
): Terminal {
  const color = options.color && wantsColor(env, out.isTTY === true);
  const width = out.columns ?? (Number(env.COLUMNS) || 100);
  return {
    colors: pc.createColors(color),
    glyphs: isUtf8(env) ? UNICODE : ASCII,
    width: Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)),
    isTerminal: out.isTTY === true,
  };
}

function wantsColor(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return isTerminal && env.TERM !== 'dumb';
}

function isUtf8(env: NodeJS.ProcessEnv): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  return /utf-?8/i.test(locale) || (process.platform === 'darwin' && locale === '') || env.WT_SESSION !== undefined;
}
