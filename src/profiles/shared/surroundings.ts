// Where commands run and how they are confined → the sentences of a tool's description. Only enforced guarantees are
// promised; those that the sandbox of this machine lacks are named.

import type { ConfineGuarantee, MissingGuarantee } from '../../core/confinement.ts';
import type { Surroundings } from '../profile.ts';

/** One sentence or two per line. */
export function describeSurroundings(surroundings: Surroundings): string {
  const { cwd } = surroundings;
  return [`Commands start in the working directory ${shown(cwd)}.`, ...describeSandbox(surroundings)].join('\n');
}

/** A folder name with line breaks must not add lines for the model. */
export function shown(path: string): string {
  return path.replace(/\p{Cc}/gu, '?');
}

export function describeSandbox(surroundings: Surroundings): readonly string[] {
  const { enforcement, sandbox, unavailable } = surroundings;
  if (unavailable !== undefined)
    return [`Sandbox: ${sandbox}. It is not available on this machine, so every command is refused: ${unavailable}`];
  if (enforcement.tier === 'none')
    return [`Sandbox: none. Only the checks before the start protect files and the network${reasonOf(surroundings)}.`];
  const held = new Set(enforcement.held);
  const lines = [`Sandbox: ${sandbox}, enforced by the kernel (${enforcement.tier}). Do not try to work around it.`];
  lines.push(`- ${describeWrites(surroundings, held)}`);
  lines.push(`- ${describeNetwork(surroundings, held)}`);
  if (held.has('hidden-content')) lines.push('- Keys and other secrets of this user cannot be read.');
  if (held.has('signals-outside')) lines.push('- Processes outside the sandbox cannot be signalled.');
  if (held.has('privileges')) lines.push('- sudo and setuid programs do not work.');
  lines.push(
    '- Refused operations fail with "Permission denied" (EACCES), "Operation not permitted" (EPERM) or a read-only error.',
  );
  const absent = enforcement.missing.filter(isAboutAbsent);
  if (absent.length > 0)
    lines.push(
      '- Protected names that do not exist yet (such as .envrc) can be created, but are then removed and reported.',
    );
  const rest = enforcement.missing.filter((each) => !isAboutAbsent(each));
  const missing = rest.map(({ guarantee, why }) => `${NAMES[guarantee]} (${why})`);
  if (missing.length > 0) lines.push(`- Not restricted on this machine: ${missing.join('; ')}.`);
  return lines;
}

/** Nearly every project lacks some of these names: a list of them would not help a model. */
function isAboutAbsent({ guarantee, why }: MissingGuarantee): boolean {
  return guarantee === 'protected-absent' && /do not exist yet/.test(why);
}

/** The same for a read-only tool: it runs in the stricter sandbox, if there is one. */
export function describeReading(surroundings: Surroundings): string {
  const { enforcement } = surroundings;
  const missing = enforcement.missing.filter(({ guarantee }) => !guarantee.startsWith('protected-'));
  return describeSurroundings({ ...surroundings, sandbox: 'restricted', enforcement: { ...enforcement, missing } });
}

function reasonOf({ enforcement, sandbox }: Surroundings): string {
  if (sandbox === 'unrestricted') return ': the settings disable it';
  const why = [...new Set(enforcement.missing.map((each) => each.why))];
  return why.length === 1 ? `: ${why[0]}` : '';
}

function describeWrites(surroundings: Surroundings, held: ReadonlySet<ConfineGuarantee>): string {
  const { sandbox, writable, enforcement } = surroundings;
  if (!held.has('writes-outside')) return 'Files: changes are not confined.';
  // Without a mount namespace, commands use another temporary folder.
  const temporary = enforcement.tier === 'landlock' || enforcement.tier === 'seatbelt' ? '$TMPDIR' : '/tmp';
  if (sandbox === 'restricted' || writable.length === 0)
    return `Files: everything is read-only; only temporary files in ${temporary} can be changed.`;
  const protectedToo = held.has('protected-existing')
    ? ' Protected files in them (such as .git/hooks) cannot be changed.'
    : '';
  const places = [...new Set([...writable.map(shown), temporary])];
  return `Files: only files below ${places.join(', ')} can be changed.${protectedToo}`;
}

function describeNetwork({ sandbox, domains }: Surroundings, held: ReadonlySet<ConfineGuarantee>): string {
  if (!held.has('network')) return 'Network: not confined.';
  if (sandbox === 'restricted') return 'Network: none.';
  if (domains.length === 0) return 'Network: none, except hosts that an approved command names.';
  return `Network: only ${domains.join(', ')}, through the proxy in HTTP_PROXY and HTTPS_PROXY.`;
}

const NAMES: Readonly<Record<ConfineGuarantee, string>> = {
  'writes-outside': 'file changes outside',
  'metadata-outside': 'mode, owner and time changes outside',
  'hidden-content': 'reading of secrets',
  'hidden-names': 'names of secrets',
  'protected-existing': 'changes of protected files',
  'protected-absent': 'creation of protected names',
  devices: 'devices',
  network: 'network',
  'unix-sockets': 'local sockets',
  'signals-outside': 'signals to processes outside',
  'processes-unseen': 'visibility of other processes',
  'shared-ipc': 'shared memory',
  terminals: 'terminals',
  privileges: 'privileges',
  'kernel-surface': 'rare system calls',
};
