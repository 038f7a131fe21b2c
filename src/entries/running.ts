// The part of the public API that starts processes: it can be ready before a command is decided about.

export { type ChosenRunner, chooseRunner } from '../run/runner.ts';
