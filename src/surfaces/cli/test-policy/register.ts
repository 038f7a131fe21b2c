// The verb `test`: its arguments and options only; the rest is loaded when it is used.

import { type Command, Option } from 'commander';
import { MODE_NAMES, SHELL_NAMES } from '../options.ts';
import type { TestOptions } from './options.ts';
import type { PolicyTools } from './tools.ts';

const EXAMPLES = `
Exit code: 0 every case holds; 1 some do not; 2 a file cannot be read.

Examples:
  hardshell test policy/*.jsonc
  hardshell test --require-coverage policy/*.jsonc   also: each rule is hit
  hardshell test --json policy/*.jsonc > result.json`;

export function registerTest(
  program: Command,
  setExitCode: (code: number) => void,
  loadTools: () => Promise<PolicyTools> = async () => (await import('./engine.ts')).policyTools,
): void {
  program
    .command('test')
    .description('check that the settings decide as fixture files expect')
    .argument('<files...>', 'JSONC files with a list of {"command", "expect", "because"?}')
    .addOption(new Option('--cwd <dir>', 'folder in which the commands would run').argParser(String))
    .addOption(new Option('--shell <shell>', 'shell that would run them').choices(SHELL_NAMES).default('bash'))
    .addOption(new Option('--mode <mode>', 'mode for all cases; overrides theirs').choices(MODE_NAMES))
    .option('--settings <file>', 'settings file for all cases; overrides theirs')
    .option('--coverage', 'list the rules of the settings that no case hits')
    .option('--require-coverage', 'the same, and fail if there is such a rule')
    .option('--json', 'print one JSON object')
    .option('--no-color', 'plain text')
    .addHelpText('after', EXAMPLES)
    .action(async (files: string[], options: TestOptions) => {
      const [{ testPolicies }, tools] = await Promise.all([import('./verb.ts'), loadTools()]);
      setExitCode(testPolicies(files, options, tools));
    });
}
