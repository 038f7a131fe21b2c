// `hardshell pending`: open questions of all processes of this user, once or as they come.

import { headlineOf, type ListedApproval, listPending, type WatchEvent, watchPending } from '../../../host.ts';
import { EXIT } from '../failure.ts';
import { SCHEMA_VERSION, toLine } from '../json.ts';
import { process } from '../process.ts';
import { createTerminal, type Terminal } from '../show/terminal.ts';
import { visible } from '../show/visible.ts';
import { describeAnswer } from './answer-text.ts';
import { drawRequest } from './drawing.ts';
import type { PendingOptions } from './options.ts';

export async function pending(options: PendingOptions): Promise<number> {
  const listing = await listPending();
  if (options.json) {
    process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, ...listing }));
  } else if (listing.pending.length === 0) {
    process.stdout.write('No commands are waiting for approval.\n');
  } else {
    const terminal = createTerminal({ color: true });
    process.stdout.write(listing.pending.map((one) => draw(one, terminal)).join('\n'));
  }
  for (const problem of listing.problems) process.stderr.write(`hardshell: ${visible(problem)}\n`);
  return EXIT.ok;
}

export async function watch(options: PendingOptions): Promise<number> {
  const terminal = createTerminal({ color: true });
  if (!options.json) process.stderr.write('Waiting for questions. Press Ctrl-C to stop.\n');
  await watchPending(
    (event) => {
      const text = options.json ? toLine({ schemaVersion: SCHEMA_VERSION, ...event }) : describeEvent(event, terminal);
      process.stdout.write(text);
    },
    { signal: new AbortController().signal },
  );
  return EXIT.ok;
}

function describeEvent(event: WatchEvent, terminal: Terminal): string {
  switch (event.is) {
    case 'pending':
      return `${draw(event.approval, terminal)}\n`;
    case 'answered':
      return `${visible(event.code)}  ${describeAnswer(event.answer)}\n`;
    case 'gone':
      return `Process ${event.host.pid} has ended.\n`;
    case 'problem':
      return `${visible(event.message)}\n`;
    default:
      return event satisfies never;
  }
}

function draw(one: ListedApproval, terminal: Terminal): string {
  const { colors } = terminal;
  const left = Math.max(0, Math.round((one.deadline - Date.now()) / 1_000));
  const title = `${colors.bold(`${visible(one.code)}  ${headlineOf(one.request).line}`)}  ${colors.dim(`process ${one.host.pid}, denied in ${left} s`)}`;
  const how = `hardshell approve ${one.code}   hardshell deny ${one.code}`;
  const lines = [...drawRequest(one, terminal), '', colors.dim(how)];
  return `${title}\n${lines.map((line) => (line === '' ? '\n' : `  ${line}\n`)).join('')}`;
}
