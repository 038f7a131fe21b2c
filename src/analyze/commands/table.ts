// Name → its row, for all families.

import { archive } from './archive.ts';
import { builtins } from './builtins.ts';
import { coreutils } from './coreutils.ts';
import { coreutilsFiles } from './coreutils-files.ts';
import { coreutilsInfo } from './coreutils-info.ts';
import { crypto } from './crypto.ts';
import { databases } from './databases.ts';
import { forges } from './forges.ts';
import { git } from './git.ts';
import { infra } from './infra.ts';
import { javascript } from './javascript.ts';
import { native } from './native.ts';
import { network } from './network.ts';
import { python } from './python.ts';
import { search } from './search.ts';
import type { CommandFamily, CommandSpec } from './spec.ts';
import { system } from './system.ts';
import { text } from './text.ts';
import { wrappers } from './wrappers.ts';

/** The first family that has a name wins: programs before the shell's own rows. */
const FAMILIES: readonly CommandFamily[] = [
  archive,
  coreutils,
  coreutilsFiles,
  coreutilsInfo,
  crypto,
  databases,
  forges,
  git,
  infra,
  javascript,
  native,
  network,
  python,
  search,
  system,
  text,
  wrappers,
  builtins,
];

const rows = new Map<string, CommandSpec>();

for (const family of FAMILIES) {
  for (const [name, row] of Object.entries(family)) {
    const spec = typeof row === 'string' ? family[row] : row;
    if (spec !== undefined && typeof spec !== 'string' && !rows.has(name)) rows.set(name, spec);
  }
}

export function findCommand(name: string): CommandSpec | null {
  return rows.get(name) ?? null;
}

export function allCommands(): ReadonlyMap<string, CommandSpec> {
  return rows;
}
