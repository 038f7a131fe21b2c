// `hardshell dashboard`: names and options only; the server is loaded when it is used.

import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { listenForSignals, readFolder, toPort } from '../serving.ts';

interface DashboardVerbOptions {
  readonly port?: number;
  readonly open?: true;
  readonly cwd?: string;
  readonly settings?: string;
  readonly json?: true;
}

const HELP = `
It prints a link that lets one browser in, once. The page shows what waits for approval and lets you answer,
what runs, what ran, and what the policy says. It is served on 127.0.0.1 only and needs nothing from outside.
It goes on until Ctrl-C. More: docs/dashboard.md

Examples:
  hardshell dashboard                  print the link
  hardshell dashboard --open           and open it in the browser
  hardshell dashboard --port 0 --json  any free port; the link as JSON, for a program`;

export function registerDashboard(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('dashboard')
    .description('show questions, running commands and history in a browser, and answer questions')
    .addOption(new Option('--port <n>', 'the port (7347, or any free one if it is in use)').argParser(toPort))
    .option('--open', 'open the link in the browser')
    .option('--cwd <dir>', 'folder whose settings the policy page shows')
    .option('--settings <file>', 'settings in addition to those of the user, the project and the machine')
    .option('--json', 'print the link as JSON')
    .addHelpText('after', HELP)
    .action(async ({ port, open, cwd, settings, json }: DashboardVerbOptions) => {
      const folder = readFolder(cwd);
      const { serveDashboard } = await import('../../dashboard/serve.ts');
      setExitCode(
        await serveDashboard(
          {
            cwd: folder,
            port: port ?? null,
            isOpening: open === true,
            isJson: json === true,
            ...(settings === undefined ? {} : { settingsFile: resolve(settings) }),
          },
          listenForSignals(),
        ),
      );
    });
}
