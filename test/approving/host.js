// A process that asks: `host.js COMMAND…` opens a socket, asks about each command and prints what happens, one JSON per line.
// With --terminal it asks on its own terminal too; with --save it can save rules (it prints them).

import { createBroker, openApprovalSocket } from '../../dist/host.js';

const args = process.argv.slice(2);
const flags = args.filter((arg) => arg.startsWith('--'));
const commands = args.filter((arg) => !arg.startsWith('--'));
const flag = (name) => flags.find((text) => text.startsWith(`--${name}`))?.split('=')[1] ?? flags.includes(`--${name}`);
const say = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);

const broker = createBroker({
  ...(flag('save') ? { saveRule: (scope, rule) => say({ saved: { scope, rule } }) } : {}),
  // Every host then gives the same code.
  ...(flag('same-code') ? { random: () => 0 } : {}),
});

let surface = null;
if (flag('terminal')) {
  const { terminalSurface } = await import('../../dist/surfaces/cli/approvals/prompt.js');
  surface = terminalSurface({ graceMs: Number(flag('grace') || 0), output: process.stderr });
  broker.attach(surface);
}
const socket = flag('no-socket') ? null : await openApprovalSocket(broker);

const asked = commands.map(async (command) => {
  const answer = await broker.ask({
    command,
    display: command,
    cwd: '/w/p',
    session: 's1',
    user: null,
    profile: null,
    risk: 'high',
    findings: [
      {
        id: 'force-push',
        layer: 'safety',
        verdict: 'ask',
        severity: 'high',
        message: 'This overwrites the history of the remote branch.',
        instead: 'Use --force-with-lease.',
        span: [command.length - 2, command.length],
        command: 0,
        rule: null,
        confidence: null,
      },
    ],
    suggestions: flag('two-rules')
      ? ['Bash(git push:*)', 'Bash(git fetch:*)']
      : flag('no-rule')
        ? []
        : ['Bash(git push:*)'],
    effects: {
      reads: [],
      writes: [{ path: '/w/p/out' }],
      deletes: [],
      network: [{ host: 'example.com' }],
      executes: [],
      privilege: false,
      changes: [],
      discloses: [],
      unknown: [],
    },
  });
  say({ command, answer });
});
say({ ready: { socket: socket?.path, codes: broker.pending().map(({ code }) => code) } });
if (flag('crash')) process.kill(process.pid, 'SIGKILL');
await Promise.all(asked);
say({ grants: broker.grants('s1').map(({ text }) => text) });
surface?.close();
await socket?.close();
