// argv mode: a program and its arguments, without a shell. Nothing in them is ever expanded.

import { HardshellError } from '../../core/errors.ts';
import { type BuiltCommand, refuseNul } from './provider.ts';

export function buildArgvCommand(program: string, args: readonly string[]): BuiltCommand {
  if (program === '') throw new HardshellError('empty', 'No program given.');
  for (const word of [program, ...args]) refuseNul(word, 'An argument');
  return { file: program, argv: [program, ...args], env: {}, tellsFolder: false, isVerbatim: false };
}
