// Commands that name files and show nothing of their content: names, sizes, dates or checksums are not reads.

import type { CommandFact } from '../../core/facts.ts';
import { wordSet } from '../../core/values/once.ts';

const SHOWS_NO_CONTENT =
  wordSet(`ls dir vdir stat du tree test [ realpath readlink basename dirname file wc cksum sum md5sum sha1sum sha224sum sha256sum
  sha384sum sha512sum b2sum find fd fdfind locate plocate exa eza lsd rm rmdir unlink chmod chown chgrp touch mkdir namei
  lsattr getfacl setfacl cmp ssh-keygen`);
/** With these, lines of a file are used as names and printed in messages. */
const READS_NAMES_FROM = wordSet(
  '-f --files-from --files0-from -files0-from -c --check --fromfile --fromtabfile --infofile --gitfile -b --print-bytes',
);

/** Letters that mean something else in these programs: a format, a sum of sizes, a kind of name. */
const HARMLESS: Readonly<Record<string, ReturnType<typeof wordSet>>> = {
  '-c': wordSet('stat wc du ls dir vdir chmod chown chgrp touch'),
  '-f': wordSet('stat ls dir vdir readlink rm chmod chown chgrp tree'),
  '-b': wordSet('du ls dir vdir file'),
};

export function showsNoContent({ name, class: kind, invocation }: CommandFact): boolean {
  if (name === null || !(SHOWS_NO_CONTENT.has(name) || kind === 'list')) return false;
  // `cmp -l FILE /dev/zero` prints every byte.
  const isTelling = (option: string): boolean =>
    (READS_NAMES_FROM.has(option) && HARMLESS[option]?.has(name) !== true) ||
    (name === 'cmp' && (option === '-l' || option === '--verbose'));
  return !(invocation?.options ?? []).some(({ names }) => names.some(isTelling));
}
