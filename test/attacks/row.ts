// One attempt from inside: a script that ends with 0 when it worked. Names in capitals are the subject's, see subject.ts.

import type { ConfineGuarantee } from '../../src/core/confinement.ts';

export interface Row {
  readonly name: string;
  /** The names that subject.ts gives to policies; `workspace` when absent. */
  readonly policy?: 'workspace' | 'restricted' | 'ports' | 'open-port' | 'sockets';
  readonly script: string;
  readonly expect: 'blocked' | 'works';
  /** For `blocked`: the guarantee that blocks it. Where the enforcement lists it as missing, only that is asserted. */
  readonly guarantee?: ConfineGuarantee;
  /** Without it the script is first run unconfined, where it must work: else the row would prove nothing. */
  readonly control?: 'dangerous' | 'none';
  /** Where it matters who does it. */
  readonly as?: 'root' | 'user';
  readonly tier?: 'namespaces' | 'landlock';
  /** What only the keeper offers. */
  readonly backend?: 'keeper';
}

type Attempt = readonly [name: string, script: string, extra?: Partial<Row>];

export function blocked(guarantee: ConfineGuarantee, attempts: readonly Attempt[]): Row[] {
  return attempts.map(([name, script, extra]) => ({ name, script, guarantee, expect: 'blocked', ...extra }));
}

export function works(attempts: readonly Attempt[]): Row[] {
  return attempts.map(([name, script, extra]) => ({ name, script, expect: 'works', ...extra }));
}
