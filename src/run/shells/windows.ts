// PowerShell and cmd: command text → argv. PowerShell reports its end folder, cmd does not.
// Refuses what the shell would silently truncate: lines after the first in cmd, and command lines beyond the system's limit.

import { HardshellError } from '../../core/errors.ts';
import { type BuiltCommand, type CommandRequest, checkCwdFile, refuseNul, type ShellProvider } from './provider.ts';

const CMD_LIMIT = 8_191;
const WINDOWS_LIMIT = 32_767;
/** PowerShell treats each of these as a single quote. */
const SINGLE_QUOTES = /['\u2018\u2019\u201a\u201b]/g;

function quoteText(text: string): string {
  return `'${text.replace(SINGLE_QUOTES, '$&$&')}'`;
}

export class PowerShellProvider implements ShellProvider {
  readonly kind = 'powershell';
  readonly shellPath: string;

  constructor(shellPath: string) {
    this.shellPath = shellPath;
  }

  // UTF-16LE in base64: no quoting rule on the way can change the text.
  buildCommand({ command, cwdFile }: CommandRequest): BuiltCommand {
    refuseNul(command, 'The command');
    const script = cwdFile === undefined ? command : trackedScript(command, cwdFile);
    const encoded = Buffer.from(script, 'utf16le').toString('base64');
    const name = this.shellPath.split(/[\\/]/).at(-1) ?? 'pwsh';
    if (this.shellPath.includes('\\') && encoded.length > WINDOWS_LIMIT - 300) refuseLength('PowerShell');
    return {
      file: this.shellPath,
      argv: [name, '-NoLogo', '-NoProfile', '-NonInteractive', '-EncodedCommand', encoded],
      env: { POWERSHELL_TELEMETRY_OPTOUT: '1', POWERSHELL_UPDATECHECK: 'Off' },
      tellsFolder: cwdFile !== undefined,
      isVerbatim: false,
    };
  }
}

/**
 * The command is data for `Create`, so an extra brace in it is its own syntax error. `finally` also runs after
 * `exit`. The exit code of the last program is passed on; PowerShell alone would turn it into 1.
 */
function trackedScript(command: string, cwdFile: string): string {
  checkCwdFile(cwdFile);
  const file = quoteText(cwdFile);
  return [
    'try {',
    `. ([scriptblock]::Create(${quoteText(command)}))`,
    '$hardshellSucceeded = $?',
    '} finally {',
    `[System.IO.File]::WriteAllText(${file}, (Get-Location -PSProvider FileSystem).ProviderPath + "\`n")`,
    '}',
    'if ($hardshellSucceeded) { exit 0 } elseif ($LASTEXITCODE) { exit $LASTEXITCODE } else { exit 1 }',
  ].join('\n');
}

export class CmdProvider implements ShellProvider {
  readonly kind = 'cmd';
  readonly shellPath: string;

  constructor(shellPath: string) {
    this.shellPath = shellPath;
  }

  // /d: no AutoRun from the registry. /s: the outermost quotes are removed and the rest is read unchanged.
  buildCommand({ command }: CommandRequest): BuiltCommand {
    refuseNul(command, 'The command');
    if (/[\r\n]/.test(command))
      throw new HardshellError('invalid-argument', 'cmd reads only one line, and would ignore the rest.', {
        hint: 'Join the commands with `&&`, or use PowerShell.',
      });
    if (command.length > CMD_LIMIT - 100) refuseLength('cmd');
    return {
      file: this.shellPath,
      argv: ['cmd.exe', '/d', '/s', '/c', `"${command}"`],
      env: {},
      tellsFolder: false,
      isVerbatim: true,
    };
  }
}

function refuseLength(shell: string): never {
  throw new HardshellError('too-long', `The command is longer than Windows can pass to ${shell}.`, {
    hint: 'Write it to a script file and run that.',
  });
}
