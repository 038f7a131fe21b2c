// find: start points are read, tests are inert, actions write, delete or run.
// Refuses to guess: a word that may be part of the expression makes the effects unknown.

import type { WordValue } from '../../../core/facts.ts';
import { wordSet } from '../../../core/values/once.ts';
import { type EffectSink, literal, type ProgramAnalyser } from '../program.ts';
import { currentFolder, plainName } from '../words/file-words.ts';
import { unknownWord } from '../words/wrapper-words.ts';
import { readAction } from './find-actions.ts';
import { type FindWords, takeValue, warnOfExpression } from './find-words.ts';

const PLAIN = wordSet(
  '-print -print0 -ls -prune -quit -true -false -empty -readable -writable -executable -nouser -nogroup -mount -xdev -x -depth -d -follow -daystart -noleaf -ignore_readdir_race -noignore_readdir_race -warn -nowarn -not -a -and -o -or ! ( ) , -help --help -version --version',
);
const WITH_VALUE = wordSet(
  '-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -mtime -mmin -atime -amin -ctime -cmin -perm -user -group -uid -gid -links -inum -fstype -maxdepth -mindepth -regextype -used -context -printf -flags -Bmin -Bmtime -Btime',
);
const WITH_READ = new Set(['-newer', '-anewer', '-cnewer', '-samefile', '-files0-from', '-Bnewer']);

export const find: ProgramAnalyser = (args, sink) => {
  const { words } = args;
  const startsAt = skipGlobalOptions(words);
  let next = startsAt;
  while (next < words.length && isStartPoint(words[next] as WordValue)) next++;
  const given = words.slice(startsAt, next);
  const reading: FindWords = { words, starts: given.length > 0 ? given : [currentFolder(words)], next };
  for (const start of given) warnOfExpression(start, sink, words.slice(words.indexOf(start) + 1));
  const readsNames = words.some((word) => literal(word) === '-files0-from');
  for (const start of reading.starts) sink.path('read', plainName(start), { recursive: true });
  if (readsNames) sink.path('read', unknownWord([0, 0], '', 'many'), { recursive: true });
  while (reading.next < words.length) readPrimary(reading, sink);
};

function skipGlobalOptions(words: readonly WordValue[]): number {
  let index = 0;
  for (; index < words.length; index++) {
    const text = literal(words[index]);
    if (text === '-D') index++;
    else if (text === null || !/^-(?:[HLPXsxdE]+|O[0-9]*|-)$/.test(text)) break;
  }
  return Math.min(index, words.length);
}

function isStartPoint(word: WordValue): boolean {
  const text = literal(word);
  return text === null || !(text.startsWith('-') || ['(', ')', '!', ','].includes(text));
}

function readPrimary(reading: FindWords, sink: EffectSink): void {
  const word = reading.words[reading.next++] as WordValue;
  const text = literal(word);
  if (text === null) warnOfExpression(word, sink, reading.words.slice(reading.next));
  else if (PLAIN.has(text)) return;
  else if (WITH_VALUE.has(text)) takeValue(reading, sink);
  else if (WITH_READ.has(text)) readFile(reading, sink);
  else if (/^-newer[aBcmM][aBcmMt]$/.test(text)) {
    if (text.endsWith('t')) takeValue(reading, sink);
    else readFile(reading, sink);
  } else if (!readAction(text, reading, sink)) sink.unknown(`find: ${text} is unknown`);
}

function readFile(reading: FindWords, sink: EffectSink): void {
  const file = takeValue(reading, sink);
  if (file) sink.path('read', file);
}
