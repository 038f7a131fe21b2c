// Facts → what a command does with processes of other commands: they share a room, and its files.

import type { CommandFact, Facts } from '../core/facts.ts';

type Commands = Pick<Facts, 'commands'>;

/** They must be where the processes are: in a room with commands that can change the project. */
const TOOLS = new Set(['ps', 'pgrep', 'pidof', 'pstree', 'top', 'lsof', 'fuser', 'kill', 'pkill', 'killall']);

/** They read the descriptors of other processes. */
const INSPECTORS = new Set(['lsof', 'fuser']);
/** They do so with an option that names a process. */
const DEBUGGERS = new Set(['gdb', 'lldb', 'strace', 'ltrace']);
const ATTACHES = /^(?:-\w*p\d*|--?pid(?:=.*)?|--attach.*|-\w*n|attach.*|\d+)$/s;

export function usesProcesses({ commands }: Commands): boolean {
  return commands.some(({ name }) => name !== null && TOOLS.has(name));
}

/** Whether it looks into processes of other commands, which a command with a layer of its own cannot. */
export function looksIntoProcesses({ commands }: Commands): boolean {
  return commands.some(looksInto);
}

function looksInto({ name, argv }: CommandFact): boolean {
  if (name === null) return false;
  return (
    INSPECTORS.has(name) || (DEBUGGERS.has(name) && argv.slice(1).some((word) => word === null || ATTACHES.test(word)))
  );
}
