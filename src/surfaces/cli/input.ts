// Arguments and standard input → a command and a folder, or an error that says what to do.
// Refuses bytes that are not UTF-8: a lossy copy is not the command that would run.

import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { analyze, type Facts, HardshellError, MAX_COMMAND_LENGTH, parse, type Shell } from '../../host/deciding.ts';
import type { Failure } from './failure.ts';
import { process } from './process.ts';
import { typedVerb } from './show/typed.ts';

const MAX_INPUT_BYTES = 1 << 20;

export async function readCommand(argument: string | undefined): Promise<string> {
  if (argument === undefined) {
    throw new HardshellError('usage', 'No command was given.', {
      hint: `Pass it as one quoted argument, or - to read it from standard input: hardshell ${typedVerb()} 'ls -l'`,
    });
  }
  if (argument === '-') return (await readStandardInput()).replace(/\r?\n$/, '');
  // Node replaces bytes that are not UTF-8 by U+FFFD before we see them.
  if (argument.includes('\ufffd')) {
    throw new HardshellError('invalid-utf8', 'The command contains U+FFFD: it is not valid UTF-8, or was damaged.', {
      hint: `If that character is intended, pass the command on standard input: hardshell ${typedVerb()} - < file`,
    });
  }
  return argument;
}

/** `head`: the part that was already read. */
export async function readStandardInput(head: Buffer = Buffer.alloc(0)): Promise<string> {
  const chunks = [head];
  let size = head.length;
  refuseLongInput(size);
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    refuseLongInput(size);
    chunks.push(chunk);
  }
  return decodeUtf8(Buffer.concat(chunks));
}

function refuseLongInput(size: number): void {
  if (size <= MAX_INPUT_BYTES) return;
  throw new HardshellError('too-long', 'Standard input is larger than 1 MiB.', { hint: TOO_LONG });
}

export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new HardshellError('invalid-utf8', 'Standard input is not valid UTF-8.', {
      hint: `Convert it first, for example: iconv -f latin1 -t utf-8 file | hardshell ${typedVerb()} -`,
      cause,
    });
  }
}

/** `name`: the option that names the folder; `null` if it is an argument. */
export function readFolder(folder: string | undefined, name: string | null = '--cwd'): string {
  if (folder === undefined) return currentFolder();
  const path = resolve(currentFolder(), folder);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return path;
  const what = stats === undefined ? 'does not exist' : 'is not a directory';
  throw new HardshellError('no-such-folder', `${name === null ? '' : `${name}: `}${folder} ${what}.`, {
    hint: 'Pass an existing folder.',
  });
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new HardshellError('no-such-folder', 'The current folder no longer exists.', {
      hint: 'Change to another folder.',
      cause,
    });
  }
}

/** What the shell would inherit, and what every path with `~` depends on. */
export function inheritedVariables(): Record<string, string> {
  const home = homedir();
  return home.startsWith('/') ? { HOME: home } : {};
}

const TOO_LONG = 'Put the script into a file and name the file, or split the command.';

/** Text that is not a command is reported before anyone is asked about it. */
export function findMistake(command: string, cwd: string, shell: Shell): Failure | null {
  if (parse(command).problem === null && command.trim() !== '') return null;
  return findInputFailure(analyze(command, { cwd, shell, variables: inheritedVariables() }));
}

/** Facts about text that is not a command: an error for the caller, in addition to "cannot tell". */
export function findInputFailure(facts: Facts): Failure | null {
  const { command } = facts;
  if (command.trim() === '') {
    return {
      code: 'empty',
      message: 'The command is empty.',
      hint: `Pass a command, for example: hardshell ${typedVerb()} 'ls -l'`,
    };
  }
  for (const reason of facts.reasons) {
    if (reason.id === 'too-long') {
      const limit = MAX_COMMAND_LENGTH.toLocaleString('en');
      const message = `The command has ${command.length.toLocaleString('en')} characters; the limit is ${limit}.`;
      return { code: 'too-long', message, hint: TOO_LONG };
    }
    if (reason.id === 'nul') {
      const message = `The command contains a NUL character (character ${reason.span[0] + 1}), which no shell accepts.`;
      return { code: 'nul', message, hint: "Remove it, for example with: tr -d '\\0'" };
    }
    // Invalid text for an inner shell is a fact about the command, not an error of the caller.
    if (reason.id === 'syntax' && parse(command).problem?.id === 'syntax') {
      const message = `Invalid or incomplete bash: ${reason.message} (character ${reason.span[0] + 1}).`;
      return {
        code: 'syntax',
        message,
        hint: 'Check the quotes, brackets and keywords; bash -n shows what bash itself says.',
      };
    }
  }
  return null;
}
