// A shell command in a setting of git → the words in it that may be paths, and whether it may run others.
// Does not interpret the shell: every word that could be a path is one.

const PROJECT =
  /\$\{?PWD\}?(?![A-Za-z0-9_])|\$\(\s*git\s+rev-parse\s+--show-toplevel\s*\)|`git\s+rev-parse\s+--show-toplevel`/g;
/** Positional parameters are written by the user each time. */
const PARAMETER = /\$(?:[\d@*#?!-]|\{[\d@*#?!-][^}]*\})/g;
const SEPARATORS = /[\s;&|(){}<>"'`=,:]+/;

/** @param project the folder in which git starts it */
export function wordsIn(command: string, project: string): readonly string[] {
  const text = command.replace(PROJECT, project);
  const plain = text.replace(/["']/g, '');
  const quoted = [...text.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, a, b]) => a ?? b ?? '');
  // `'my dir'/t`: blanks in quotes do not end a word.
  const joined = text.replace(/"[^"]*"|'[^']*'/g, (part) => part.slice(1, -1).replace(/\s/g, '\0')).split(SEPARATORS);
  const escaped = plain.includes('\\') ? plain.split(/(?<!\\)[\s;&|(){}<>]+/).map(withoutEscapes) : [];
  // `$DIR/tools/t`: the part after the variable may be a path of the project.
  const words = [
    ...text.split(SEPARATORS),
    ...plain.split(SEPARATORS),
    ...quoted,
    ...escaped,
    ...joined.map(withBlanks),
  ];
  const ends = words.filter((word) => word.includes('$')).map((word) => word.replace(/^.*\$\w*\/?/s, ''));
  return [...new Set([...words, ...ends])].filter((word) => word !== '');
}

function withBlanks(word: string): string {
  return word.replaceAll('\0', ' ');
}

function withoutEscapes(word: string): string {
  return word.replace(/\\(.)/gs, '$1');
}

/** Whether a variable or the output of a program may be what runs, or a part of its path. */
export function runsUnknown(command: string, project: string): boolean {
  const text = command.replace(PROJECT, project).replace(PARAMETER, '').replace(/["']/g, '');
  if (/`|\$\(|(?:^|[\s;&|(])eval\s/.test(text)) return true;
  if (/\$\w*\{?\w*\}?\/|\/[^\s;&|]*\$/.test(text)) return true;
  return /(?:^|[;&|({]|\b(?:then|do|else|exec|env|nice|nohup|command|sh|bash)\s)\s*\$/.test(text);
}
