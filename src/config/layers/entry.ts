// A valid settings file → its values one by one, each with its key, its position and its source.

import type { Node } from 'jsonc-parser';
import { type Document, listProperties, readData } from '../document/document.ts';
import type { Notice } from '../settings.ts';
import type { KeyRule } from './key-rule.ts';
import { findPattern, joinKey, keyRules } from './keys.ts';
import type { Place } from './places.ts';

export interface Source extends Place {
  /** In a folder that is not trusted, a file can only tighten. */
  readonly isTrusted: boolean;
}

/** One single value, or one list with its items. */
export interface Entry {
  readonly source: Source;
  /** `users.anna.allow` */
  readonly key: string;
  readonly path: readonly string[];
  readonly pattern: string;
  readonly rule: KeyRule;
  readonly value: unknown;
  readonly line: number;
  readonly column: number;
  /** The items of a list. */
  readonly items: readonly Item[];
}

export interface Item {
  readonly key: string;
  readonly value: unknown;
  readonly line: number;
  readonly column: number;
}

export function listEntries(document: Document, source: Source): Entry[] {
  return walk(document.root, []);

  function walk(node: Node, path: readonly string[]): Entry[] {
    const pattern = findPattern(path);
    const rule = Object.hasOwn(keyRules(), pattern) ? keyRules()[pattern] : undefined;
    if (rule === undefined) return listProperties(node).flatMap(([key, value]) => walk(value, [...path, key.value]));
    const key = joinKey(path);
    const items = (node.type === 'array' ? (node.children ?? []) : []).map((item, index) => ({
      key: `${key}[${index}]`,
      value: readData(item),
      ...document.lines.find(item.offset),
    }));
    return [{ source, key, path, pattern, rule, value: readData(node), ...document.lines.find(node.offset), items }];
  }
}

export function noticeAt(source: Place, item: Item, why: string, hint: string | null): Notice {
  const { layer, file } = source;
  return { layer, file, line: item.line, column: item.column, key: item.key, why, hint };
}
