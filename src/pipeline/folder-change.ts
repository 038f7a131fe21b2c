// Facts → whether a command may end in another folder than it started in.

import type { Facts } from '../core/facts.ts';

const FOLDER_CHANGERS: ReadonlySet<string | null> = new Set(['cd', 'pushd', 'popd']);

export function mayChangeFolder(facts: Facts): boolean {
  return facts.status === 'cannot-tell' || facts.commands.some(({ name }) => FOLDER_CHANGERS.has(name));
}
