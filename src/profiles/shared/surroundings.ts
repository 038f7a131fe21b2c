// Where commands run and what holds them → the sentences of a tool's description. Only what is held is promised:
// whatever the sandbox of this machine does not hold is named as such.

import type { ConfineGuarantee, MissingGuarantee } from '../../core/confinement.ts';
import type { Surroundings } from '../profile.ts';

/** One sentence or two per line. */
export function describeSurroundings(surroundings: Surroundings): string {
  const { cwd } = surroundings;
  return [`Commands start in the working directory ${shown(cwd)}.`, ...describeSandbox(surroundings)].join('\n');
}

/** A folder whose name holds a line of its own must not speak to the model. */
export function shown(path: string): string {
  return path.replace(/\p{Cc}/gu, '?');
}

export function describeSandbox(surroundings: Surroundings): readonly string[] {
  const { enforcement, sandbox } = surroundings;
  if (enforcement.tier === 'none')
    return [
      `Sandbox: none. Nothing but the checks before the start keeps a command from files and the network${reasonOf(surroundings)}.`,
    ];
  const held = new Set(enforcement.held);
  const lines = [`Sandbox: ${sandbox}, enforced by the kernel (${enforcement.tier}). Do not try to work around it.`];
  lines.push(`- ${describeWrites(surroundings, held)}`);
  lines.push(`- ${describeNetwork(surroundings, held)}`);
  if (held.has('hidden-content')) lines.push('- Keys and other secrets of this user cannot be read.');
  if (held.has('signals-outside')) lines.push('- Processes outside the sandbox cannot be signalled.');
  if (held.has('privileges')) lines.push('- sudo and setuid programs do not work.');
  lines.push(
    '- What is refused fails with "Permission denied" (EACCES), "Operation not permitted" (EPERM) or a read-only error.',
  );
  const absent = enforcement.missing.filter(isAboutAbsent);
  if (absent.length > 0)
    lines.push(
      '- Protected names that do not exist yet (such as .envrc) can be made, and are then taken away and reported.',
    );
  const rest = enforcement.missing.filter((each) => !isAboutAbsent(each));
  const missing = rest.map(({ guarantee, why }) => `${NAMES[guarantee]} (${why})`);
  if (missing.length > 0) lines.push(`- Not held on this machine: ${missing.join('; ')}.`);
  return lines;
}

/** Of nearly every project some names are absent: a list of them would tell a model nothing. */
function isAboutAbsent({ guarantee, why }: MissingGuarantee): boolean {
  return guarantee === 'protected-absent' && /do not exist yet/.test(why);
}

/** The same for a tool that only reads: it runs in the stricter sandbox, wherever there is one. */
export function describeReading(surroundings: Surroundings): string {
  const { enforcement } = surroundings;
  const missing = enforcement.missing.filter(({ guarantee }) => !guarantee.startsWith('protected-'));
  return describeSurroundings({ ...surroundings, sandbox: 'restricted', enforcement: { ...enforcement, missing } });
}

function reasonOf({ enforcement, sandbox }: Surroundings): string {
  if (sandbox === 'unrestricted') return ': the settings ask for none';
  const why = [...new Set(enforcement.missing.map((each) => each.why))];
  return why.length === 1 ? `: ${why[0]}` : '';
}

function describeWrites(surroundings: Surroundings, held: ReadonlySet<ConfineGuarantee>): string {
  const { sandbox, writable, enforcement } = surroundings;
  if (!held.has('writes-outside')) return 'Files: changes are not confined.';
  // Where commands share the disk's view with everybody, their temporary folder is another one.
  const temporary = enforcement.tier === 'landlock' || enforcement.tier === 'seatbelt' ? '$TMPDIR' : '/tmp';
  if (sandbox === 'restricted' || writable.length === 0)
    return `Files: everything is read-only; only temporary files in ${temporary} can be changed.`;
  const protectedToo = held.has('protected-existing')
    ? ' Protected files in them (such as .git/hooks) stay as they are.'
    : '';
  const places = [...new Set([...writable.map(shown), temporary])];
  return `Files: changes are possible only below ${places.join(', ')}.${protectedToo}`;
}

function describeNetwork({ sandbox, domains }: Surroundings, held: ReadonlySet<ConfineGuarantee>): string {
  if (!held.has('network')) return 'Network: not confined.';
  if (sandbox === 'restricted') return 'Network: none.';
  if (domains.length === 0) return 'Network: none, except hosts that an approved command names.';
  return `Network: only ${domains.join(', ')}, through the proxy in HTTP_PROXY and HTTPS_PROXY.`;
}

const NAMES: Readonly<Record<ConfineGuarantee, string>> = {
  'writes-outside': 'changes of files outside',
  'metadata-outside': 'changes of modes, owners and times outside',
  'hidden-content': 'secrets stay unread',
  'hidden-names': 'names of secrets stay unseen',
  'protected-existing': 'protected files stay as they are',
  'protected-absent': 'protected names are not made',
  devices: 'devices',
  network: 'network',
  'unix-sockets': 'local sockets',
  'signals-outside': 'signals to processes outside',
  'processes-unseen': 'other processes stay unseen',
  'shared-ipc': 'shared memory',
  terminals: 'terminals',
  privileges: 'privileges',
  'kernel-surface': 'rare system calls',
};
