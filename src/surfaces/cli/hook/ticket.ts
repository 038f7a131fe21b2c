// A command that a hook has let pass → a ticket for one run of exactly this command, in this folder.
// The attacks: the model writes `hardshell run --ticket` itself, changes the command, or uses a ticket twice. Tickets are in
// the state folder, which no sandbox shows; a ticket is deleted when it is used, and by any use that does not match.

import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { HardshellError, type Mode, type Verdict } from '../../../host/deciding.ts';
import { createWhole, makeTicketsFolder } from '../../../host/tickets.ts';
import type { ConfinedAgent } from './agents.ts';

export interface Ticket {
  readonly agent: ConfinedAgent;
  /** SHA-256 of the command. */
  readonly digest: string;
  /** With links resolved. */
  readonly cwd: string;
  /** Where the agent works: its settings apply, wherever the command runs. */
  readonly project: string;
  /** Of the agent, if it is stricter than the settings. */
  readonly mode: Mode | null;
  readonly session: string | null;
  /** `ask`: the agent runs it only after its user's yes. */
  readonly decision: 'allow' | 'ask';
  /** What its user was asked about. */
  readonly questions: readonly string[];
  /** What hardshell's sandbox must hold: that of the agent is not known to. */
  readonly reliesOn: Verdict['reliesOn'];
  /** The end folder is written next to the ticket, for the agent's shell. */
  readonly tellsFolder: boolean;
  /** Of the hook: in another one, the agent has confined the command itself. */
  readonly mountNamespace: string | null;
}

type Issued = Omit<Ticket, 'digest' | 'cwd' | 'mountNamespace'> & { readonly command: string; readonly cwd: string };

const ID = /^[0-9a-f]{16}$/;
/** A user may take long to answer. */
const VALID_MS = 24 * 3_600_000;

/** Returns its id. */
export function issueTicket({ command, cwd, ...rest }: Issued): string {
  const folder = makeTicketsFolder();
  removeOld(folder);
  const id = randomBytes(8).toString('hex');
  const ticket: Ticket = {
    ...rest,
    digest: digestOf(command),
    cwd: realpathSync.native(cwd),
    mountNamespace: mountNamespace(),
  };
  createWhole(join(folder, id), JSON.stringify(ticket));
  return id;
}

/** Where the run of a ticket writes the folder in which it ended. */
export function endFolderFile(id: string): string {
  return join(makeTicketsFolder(), `${id}.folder`);
}

export interface Claimed {
  readonly ticket: Ticket;
  /** The agent's own sandbox holds the command, and keeps hardshell from its state folder. */
  readonly isHeldByAgent: boolean;
}

/** Throws if there is no such ticket, or if it is for something else. It can be claimed once. */
export function claimTicket(id: string, command: string, cwd: string): Claimed {
  const path = join(makeTicketsFolder(), id);
  const text = ID.test(id) ? readTicket(path) : null;
  if (text === null) throw refused('the ticket does not exist, or was used before');
  const isHeldByAgent = takeAway(path) === 'read-only';
  const ticket = JSON.parse(text.content) as Ticket;
  if (ticket.digest !== digestOf(command)) throw refused('the ticket is for another command');
  if (ticket.cwd !== realpathSync.native(cwd)) throw refused(`the ticket is for the folder ${ticket.cwd}`);
  if (Date.now() - text.issuedAt > VALID_MS) throw refused('the ticket has expired');
  if (isHeldByAgent && ticket.reliesOn.length > 0)
    throw refused(`the mode auto counts on hardshell's sandbox, and the agent uses its own`);
  if (isHeldByAgent && !isConfinedSince(ticket)) throw refused('its ticket cannot be deleted: the folder is read-only');
  return { ticket, isHeldByAgent };
}

/** The questions of a verdict, in a form that can be compared. */
export function questionsOf({ findings }: Pick<Verdict, 'findings'>): readonly string[] {
  return findings.flatMap(({ id, verdict, message }) => (verdict === 'allow' ? [] : [`${id} ${message}`]));
}

function refused(why: string): HardshellError {
  return new HardshellError('invalid-argument', `The command was not run: ${why}.`, {
    hint: "Tickets are made by hardshell's hook, for one run. Send the original command again, as it was.",
  });
}

function readTicket(path: string): { readonly content: string; readonly issuedAt: number } | null {
  try {
    return { content: readFileSync(path, 'utf8'), issuedAt: statSync(path).mtimeMs };
  } catch {
    return null;
  }
}

/** Only one of several processes can delete it. */
function takeAway(path: string): 'deleted' | 'read-only' {
  try {
    unlinkSync(path);
    return 'deleted';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EROFS') return 'read-only';
    throw refused('the ticket was used before');
  }
}

/**
 * The hook could write where this process cannot, in another mount namespace and without a way to more rights: the agent
 * has put the command into a sandbox of its own since.
 */
function isConfinedSince({ mountNamespace: before }: Ticket): boolean {
  const now = mountNamespace();
  if (before === null || now === null || before === now) return false;
  return /^NoNewPrivs:\s*1$/m.test(readFileSync('/proc/self/status', 'utf8'));
}

function mountNamespace(): string | null {
  try {
    return readlinkSync('/proc/self/ns/mnt');
  } catch {
    return null;
  }
}

function digestOf(command: string): string {
  return createHash('sha256').update(command).digest('hex');
}

/** Of commands that were not run, because the user said no, and end folders. */
function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > VALID_MS) rmSync(path, { force: true });
  }
}
