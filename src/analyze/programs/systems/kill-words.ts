// The words of `kill` → the signal and its targets, if bash, procps and util-linux parse them the same way.
// `null` if they parse them differently, and for listing signals.

export interface KillRequest {
  readonly signal: number;
  /** As given: negative for process groups. */
  readonly targets: readonly number[];
}

/** In the order of their numbers on Linux, from 1. */
const NAMES = (
  'HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG ' +
  'XCPU XFSZ VTALRM PROF WINCH IO PWR SYS'
).split(' ');
const MAX_SIGNAL = 64;
const SIGTERM = 15;

/** `words`: those after the name; `null` stands for unknown words. */
export function readKill(words: readonly (string | null)[]): KillRequest | null {
  if (words.length === 0 || !words.every((word) => word !== null)) return null;
  const [first = '', second = ''] = words;
  let signal: number | null = SIGTERM;
  let rest = words;
  if (first === '-s' || first === '-n' || first === '--signal') [signal, rest] = [numberOf(second), words.slice(2)];
  else if (first.startsWith('--signal=')) [signal, rest] = [numberOf(first.slice(9)), words.slice(1)];
  else if (first.startsWith('-') && first !== '--') [signal, rest] = [numberOf(first.slice(1)), words.slice(1)];
  const targets = rest[0] === '--' ? rest.slice(1) : rest;
  if (signal === null || targets.length === 0 || !targets.every((word) => /^-?\d{1,9}$/.test(word))) return null;
  return { signal, targets: targets.map(Number) };
}

function numberOf(text: string): number | null {
  if (/^\d{1,2}$/.test(text)) return Number(text) <= MAX_SIGNAL ? Number(text) : null;
  const at = NAMES.indexOf(text.toUpperCase().replace(/^SIG/, ''));
  return at === -1 ? null : at + 1;
}
