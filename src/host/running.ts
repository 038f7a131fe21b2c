// The part of the internal API that starts processes: it can be ready before a command is decided about.

export { chooseRunner } from '../run/runner.ts';
export { tryAhead } from '../sandbox/trial-ahead.ts';
