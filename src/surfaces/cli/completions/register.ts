// The verb `completions`: its argument and help only; the rest is loaded when it is used.

import { Argument } from 'commander';
import type { Register, Verbs } from '../program.ts';
import { SHELLS, type ShellName } from './options.ts';

const HELP = `
Examples:
  source <(hardshell completions bash)              in this terminal
  hardshell completions bash >> ~/.bash_completion  in every new one
  hardshell completions zsh > "\${fpath[1]}/_hardshell"
  hardshell completions fish > ~/.config/fish/completions/hardshell.fish`;

/** `verbs`: what it completes, given from outside since this verb is one of them. */
export const registerCompletions =
  (verbs: Verbs): Register =>
  (program, setExitCode) => {
    program
      .command('completions')
      .description('print the completion script of a shell for the verbs and options of hardshell')
      .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
      .addHelpText('after', HELP)
      .action(async (shell: ShellName) => {
        const { printCompletions } = await import('./verb.ts');
        setExitCode(await printCompletions(shell, verbs));
      });
  };
