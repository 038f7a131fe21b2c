// The text of a command whose facts have no path → the name of a secret in it, and patterns for hidden files.

import { posix } from 'node:path';
import type { Subject } from '../check.ts';
import { isGlob } from './glob.ts';
import { secretTable, secretWords } from './tables/secret-paths.ts';

const textAnswers = new WeakMap<Subject, string | null>();

/** The facts have no path, so the text is searched for the name of a secret. */
export function secretInText(subject: Subject): string | null {
  let answer = textAnswers.get(subject);
  if (answer === undefined) {
    const { command } = subject.facts;
    const mayBePlain = secretWords().test(command);
    const words = mayBePlain || isGlob(command) ? command.split(/[\s'"`;|&()<>={},:$]+/) : [];
    const isSecret = (word: string) =>
      (isGlob(word) ? TELLING_GLOB.test(word) : mayBePlain) && namesSecret(word, subject.context.home);
    answer = words.find(isSecret) ?? null;
    textAnswers.set(subject, answer);
  }
  return answer;
}

/** A shell pattern with literal characters, not a pattern of grep or sed. */
const TELLING_GLOB = /^(?!.*\.\*.)(?=.*[\w.-]{2})[\w~./*?-]+$/;

/** The same few patterns are frequent. */
const known = new Map<string, boolean>();
const MAX_KNOWN = 1_000;

function namesSecret(word: string, home: string | null): boolean {
  const key = `${home} ${word}`;
  let answer = known.get(key);
  if (answer === undefined) {
    answer = lookUp(word, home);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(key, answer);
  }
  return answer;
}

function lookUp(word: string, home: string | null): boolean {
  const path = word.startsWith('~/') ? `${home ?? '/root'}${word.slice(1)}` : posix.join('/', word);
  const found = isGlob(path) ? secretTable().findInGlob(path, home) : secretTable().find(path, home);
  return found !== null && found.what !== null;
}

const LOOP_WORDS = /\bfor\s+\w+\s+in\s+([^;\n]*)|\bset\s+--\s+([^;\n]*)|\w=\(([^)\n]*)\)/g;
/** A pattern for hidden names, and nothing that the shell would expand further. */
const HIDDEN_GLOB = /^(?:[\w~./*?-]*\/)?\.[\w.-]*[*?[][\w.*?[\]!^-]*$/;

/** Words of loops, positional parameters and arrays. */
export function hiddenGlobsInText(command: string): readonly string[] {
  if (!command.includes('.') || !isGlob(command)) return [];
  return [...command.matchAll(LOOP_WORDS)]
    .flatMap(([, ...groups]) => groups.join(' ').split(/\s+/))
    .filter((word) => HIDDEN_GLOB.test(word));
}
