// `hardshell completions SHELL`: the script for one shell, from the program itself.

import { EXIT } from '../failure.ts';
import { process } from '../process.ts';
import { createProgram, type Verbs } from '../program.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import type { ShellName } from './options.ts';
import { listNodes } from './words.ts';
import { zshScript } from './zsh.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

export async function printCompletions(shell: ShellName, verbs: Verbs): Promise<number> {
  const program = await createProgram(verbs, undefined, () => {});
  process.stdout.write(SCRIPTS[shell](listNodes(program)));
  return EXIT.ok;
}
