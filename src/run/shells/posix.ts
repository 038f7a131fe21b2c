// sh and zsh: like bash.ts, but on the first line of the command.
// That is enough here: these shells do not quote the line of a syntax error, and keep no copy of the text.

import { quoteWord } from '../../core/values/shell-words.ts';
import { type BuiltCommand, type CommandRequest, checkCwdFile, refuseNul, type ShellProvider } from './provider.ts';

/** Functions and aliases of the command cannot replace `unset` and `trap`: they are special builtins. */
function buildHook(cwdFile: string, finder: 'command' | 'builtin'): string {
  checkCwdFile(cwdFile);
  const steps = [`\\unset -f ${finder} pwd`, '\\trap "" XFSZ', `\\${finder} pwd -P >|${quoteWord(cwdFile)}`];
  return `{ ${steps.join('; ')}; } >/dev/null 2>&1`;
}

function buildText({ command, cwdFile }: CommandRequest, hookOf: (cwdFile: string) => string): string {
  refuseNul(command, 'The command');
  return cwdFile === undefined ? command : `trap ${quoteWord(hookOf(cwdFile))} EXIT; ${command}`;
}

export class ShProvider implements ShellProvider {
  readonly kind = 'sh';
  readonly shellPath: string;

  constructor(shellPath: string) {
    this.shellPath = shellPath;
  }

  buildCommand(request: CommandRequest): BuiltCommand {
    const text = buildText(request, (cwdFile) => `${buildHook(cwdFile, 'command')} || <&-`);
    const tellsFolder = request.cwdFile !== undefined;
    return { file: this.shellPath, argv: ['sh', '-c', '--', text], env: {}, tellsFolder, isVerbatim: false };
  }
}

export class ZshProvider implements ShellProvider {
  readonly kind = 'zsh';
  readonly shellPath: string;

  constructor(shellPath: string) {
    this.shellPath = shellPath;
  }

  // No start-up files (-f), and none of the system's if supported (-d).
  // A redirection without a command would start a pager in zsh, so the list ends in `:`.
  buildCommand(request: CommandRequest): BuiltCommand {
    const text = buildText(request, (cwdFile) => `${buildHook(cwdFile, 'builtin')} || \\:`);
    const tellsFolder = request.cwdFile !== undefined;
    return {
      file: this.shellPath,
      argv: ['zsh', '-f', '-d', '-c', '--', text],
      env: {},
      tellsFolder,
      isVerbatim: false,
    };
  }
}
