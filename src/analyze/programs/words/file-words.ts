// Words that name files, as file commands build them: this folder, an entry of a folder, a name with another suffix.

import type { WordValue } from '../../../core/facts.ts';
import type { ParsedArguments } from '../program.ts';
import { headOf, lastSpan, unknownWord } from './wrapper-words.ts';

/** The values of an option, in order; every spelling that is separate in the table must be listed. */
export function valuesOf(args: ParsedArguments, names: string): readonly WordValue[] {
  const wanted = names.split(' ');
  const values: WordValue[] = [];
  for (const { name, value } of args.options) if (value && wanted.includes(name)) values.push(value);
  return values;
}

export function currentFolder(words: readonly WordValue[]): WordValue {
  return { kind: 'literal', value: '.', span: lastSpan(words) };
}

/** For programs that treat `-` as an ordinary file name. */
export function plainName(word: WordValue): WordValue {
  return word.kind === 'literal' && word.value === '-' ? { ...word, value: './-' } : word;
}

/** It may expand to one or more words. */
export function mayBeSeveral(word: WordValue): boolean {
  return word.kind === 'pattern' || (word.kind === 'dynamic' && word.many);
}

/** Every file whose name starts like this. */
export function startingWith(prefix: WordValue): WordValue {
  if (prefix.kind === 'literal')
    return { kind: 'pattern', glob: `${prefix.value}*`, head: prefix.value, span: prefix.span };
  return unknownWord(prefix.span, prefix.head, 'many');
}

/** The same name with a changed suffix, if the suffix is known. */
export function renamed(word: WordValue, change: (name: string) => string): WordValue {
  if (word.kind === 'literal') return { ...word, value: change(word.value) };
  if (word.kind === 'pattern') return { ...word, glob: change(word.glob) };
  return word;
}

/** The name of a file after it was put into a folder. */
export function entryOf(folder: WordValue, source: WordValue): WordValue {
  if (folder.kind !== 'literal' || source.kind === 'dynamic') return unknownWord(folder.span, headOf(folder), 'many');
  const base = folder.value === '' || folder.value.endsWith('/') ? folder.value : `${folder.value}/`;
  const name = lastName(source.kind === 'literal' ? source.value : source.glob);
  if (name === null) return folder;
  if (source.kind === 'literal') return { kind: 'literal', value: base + name, span: folder.span };
  return { kind: 'pattern', glob: base + name, head: base, span: folder.span };
}

function lastName(path: string): string | null {
  const name = path.replace(/\/+$/, '').split('/').at(-1) ?? '';
  return name === '' || name === '.' || name === '..' ? null : name;
}

/** By its text alone this can only be a folder. */
export function isFolderName(word: WordValue): boolean {
  return word.kind === 'literal' && /(?:^|\/)\.{0,2}$/.test(word.value) && word.value !== '';
}
