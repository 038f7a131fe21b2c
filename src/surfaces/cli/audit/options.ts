// Options of the verbs of `hardshell audit`, and how filters become a query.

import { resolve } from 'node:path';
import type { AuditFilter } from '../../../api/audit.ts';
import { defined } from '../../../host/values.ts';

export interface PlaceOptions {
  readonly folder?: string;
}

export interface FilterOptions extends PlaceOptions {
  readonly since?: number;
  readonly until?: number;
  readonly verdict?: 'allow' | 'ask' | 'deny';
  readonly risk?: 'low' | 'medium' | 'high' | 'critical';
  readonly type?: readonly string[];
  readonly session?: string;
  readonly task?: string;
  readonly command?: string;
  readonly path?: string;
  readonly exit?: number;
  /** False after --no-color. */
  readonly color: boolean;
  readonly json?: true;
  readonly csv?: true;
}

export interface TailOptions extends FilterOptions {
  readonly follow?: true;
  readonly limit: number;
}

export interface QueryOptions extends FilterOptions {
  readonly limit: number;
  readonly oldest?: true;
  readonly after?: string;
}

export interface ExportOptions extends FilterOptions {
  readonly limit?: number;
  readonly output?: string;
}

export interface VerifyOptions extends PlaceOptions {
  readonly key?: string;
  readonly against?: string;
  readonly json?: true;
  readonly color: boolean;
}

export interface ShowOptions extends PlaceOptions {
  readonly json?: true;
  /** False after --no-color. */
  readonly color: boolean;
}

export interface MarkOptions extends PlaceOptions {
  readonly reason?: string;
  readonly user?: string;
  readonly json?: true;
}

export function readFilter(options: FilterOptions): AuditFilter {
  const { since, until, verdict, risk, type, session, task, command, path, exit } = options;
  return {
    ...defined({ since, until, verdict, risk, types: type, session, task, command }),
    ...(path === undefined ? {} : { path: resolve(path) }),
    ...defined({ exit }),
  };
}

export function readPlace({ folder }: PlaceOptions): { readonly folder?: string } {
  return folder === undefined ? {} : { folder: resolve(folder) };
}
