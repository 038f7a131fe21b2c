// Values that count, but probably not as intended: expired rules, paths that only look absolute, files others can write.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseUntil } from '../document/validate.ts';
import type { Notice, RuleEntry } from '../settings.ts';
import { type Entry, type Item, noticeAt } from './entry.ts';
import type { Place } from './places.ts';

export function warnWritable({ layer, file }: Place, writableBy: string): Notice {
  const why = `This file can be changed by ${writableBy}, who can therefore change every verdict.`;
  return { layer, file, line: 1, column: 1, key: '', why, hint: `chmod go-w ${file}` };
}

export function warnEnded(entries: readonly Entry[], now: number): Notice[] {
  const hint = 'Remove it, or set a later date.';
  return entries.flatMap(({ source, items }) =>
    items.flatMap((item) => {
      const until = (item.value as RuleEntry | null)?.until;
      const end = until === undefined ? null : parseUntil(until);
      if (end === null || end > now) return [];
      return [noticeAt(source, item, `This rule expired: it was valid until ${until}.`, hint)];
    }),
  );
}

const ROOTS: ReadonlySet<string> = new Set(['roots', 'users.*.roots']);

/**
 * `/etc` means a folder next to the settings. If only the absolute one exists, that is probably not what was meant; a root
 * that does not exist opens nothing.
 */
export function warnPaths(entries: readonly Entry[], cwd: string): Notice[] {
  return entries.flatMap(({ source, rule, pattern, items }) =>
    items.flatMap((item) => {
      if (rule.isAbsoluteWithSlash === true) return [];
      const path = rule.isPath === true ? (item.value as string) : pathOfRule(item);
      const top = path === null ? null : /^\/[^/]+/.exec(path)?.[0];
      if (path === null || !top) return [];
      // Rules of files without a folder start at the current one.
      const base = rule.isPath === true || source.folder !== null ? source.base : cwd;
      const meant = join(base, path);
      const isMissing = ROOTS.has(pattern) && !existsSync(meant);
      if (!isMissing && (existsSync(join(base, top)) || !existsSync(top))) return [];
      const why = `${path} means ${meant} here${isMissing ? ', which does not exist' : ''}.`;
      return [noticeAt(source, item, why, `For the absolute path, write /${path}`)];
    }),
  );
}

/** Only whole names are compared: a pattern or a name with arguments excludes nothing. */
export function warnPrograms(entries: readonly Entry[]): Notice[] {
  const hint = 'Write the name of a program, such as "docker", or remove it.';
  return entries.flatMap(({ source, key, items }) =>
    key !== 'sandbox.excludedCommands'
      ? []
      : items
          .filter(({ value }) => !isProgramName(value as string))
          .map((item) =>
            noticeAt(source, item, `${item.value} is not the name of a program, so it has no effect.`, hint),
          ),
  );
}

export function isProgramName(text: string): boolean {
  return !/[\s*]/.test(text);
}

function pathOfRule({ value }: Item): string | null {
  const text = typeof value === 'string' ? value : (value as RuleEntry | null)?.rule;
  return /^(?:Read|Edit|Write)\((\/[^/].*)\)$/s.exec(text ?? '')?.[1] ?? null;
}
