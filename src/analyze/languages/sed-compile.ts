// One parsed sed command → the data to run it: matchers, replacement, letters of `y`; and the execution of `s`.
// Throws `Doubt` for commands with effects outside the edited file.

import { Doubt } from './regex/char-set.ts';
import { type Budget, RegexMatcher } from './regex/posix-match.ts';
import { compileRegex } from './regex/posix-program.ts';
import { expandReplacement, parseReplacement, type Replacement } from './sed-replacement.ts';
import type { SedAddress, SedCommand, SedRegex, SedSubstitution } from './sed-script.ts';

export interface CompiledSedCommand {
  readonly command: SedCommand;
  readonly first: RegexMatcher | null;
  readonly second: RegexMatcher | null;
  readonly regex: RegexMatcher | null;
  readonly replacement: Replacement | null;
  readonly letters: ReadonlyMap<string, string> | null;
  range: 'inactive' | 'active' | 'closed';
  /** Last line of an active `addr,+N`. */
  rangeEnd: number;
}

interface CompileContext {
  readonly extended: boolean;
  /** The content has characters whose other case is an ASCII letter. */
  readonly foldsOddly: boolean;
  readonly budget: Budget;
}

const UNSUPPORTED = new Set(['e', 'F', 'l', 'L', 'r', 'R', 'w', 'W', 'v']);
/** As a delimiter these can be escaped in a regular expression without being an operator in any version. */
const PLAIN_DELIMITER = /^[/,#@:!%~=;_" -]$/;

export function compileSedCommand(command: SedCommand, context: CompileContext): CompiledSedCommand {
  if (UNSUPPORTED.has(command.name)) throw new Doubt(`the command ${command.name}`);
  if ((command.name === 'i' || command.name === 'c') && command.text === '') throw new Doubt('no text to insert');
  // If the first line is itself a multiple of N, manual and program disagree.
  if (command.second?.kind === 'multiple') throw new Doubt('an address ~N');
  const substitution = command.name === 's' ? command : null;
  if (substitution?.evaluate || substitution?.file) throw new Doubt('s with e or w');
  const regex = compileMatcher(substitution?.regex, context);
  const replacement = substitution && parseReplacement(substitution.replacement);
  if (regex && replacement) checkGroups(regex, replacement);
  return {
    command,
    first: compileMatcher(regexOf(command.first), context),
    second: compileMatcher(regexOf(command.second), context),
    regex,
    replacement,
    letters: command.name === 'y' ? pairLetters(command.from, command.to) : null,
    range: command.first?.kind === 'line' && command.first.line === 0 ? 'active' : 'inactive',
    rangeEnd: 0,
  };
}

function compileMatcher(regex: SedRegex | undefined, context: CompileContext): RegexMatcher | null {
  if (regex === undefined || regex.source === '') return null;
  if (regex.multiline) throw new Doubt('the M flag');
  if (regex.ignoreCase && context.foldsOddly) throw new Doubt('case of non-ASCII characters');
  if (regex.escapedDelimiter !== null && !PLAIN_DELIMITER.test(regex.escapedDelimiter)) {
    throw new Doubt('an escaped delimiter that is also an operator');
  }
  const program = compileRegex(regex.source, { extended: context.extended, ignoreCase: regex.ignoreCase });
  return new RegexMatcher(program, context.budget);
}

function regexOf(address: SedAddress | null): SedRegex | undefined {
  return address?.kind === 'regex' ? address.regex : undefined;
}

function checkGroups(regex: RegexMatcher, replacement: Replacement): void {
  const { groups, uncertainGroups } = regex.program;
  if (replacement.highestGroup > groups) throw new Doubt('a reference to a group that does not exist');
  if (replacement.pieces.some((piece) => uncertainGroups.has(piece.group))) throw new Doubt('a repeated group is used');
}

function pairLetters(from: string, to: string): ReadonlyMap<string, string> {
  const targets = Array.from(to);
  const pairs = new Map<string, string>();
  Array.from(from).forEach((ch, index) => {
    if (pairs.has(ch)) throw new Doubt('y lists a character twice');
    pairs.set(ch, targets[index] ?? ch);
  });
  return pairs;
}

/** The text after `s`, or `null` if nothing was replaced. */
export function substitute(
  text: string,
  regex: RegexMatcher,
  replacement: Replacement,
  { occurrence, global }: SedSubstitution,
): string | null {
  checkGroups(regex, replacement);
  const wanted = occurrence ?? 1;
  let out = '';
  let from = 0;
  let lastEnd = 0;
  let count = 0;
  let done = false;
  for (let more = true; more && from <= text.length; ) {
    const match = regex.find(text, from, replacement.highestGroup > 0);
    if (match === null) break;
    const { start, end } = match;
    out += text.slice(from, start);
    from = end;
    // An empty match directly after another match does not count.
    const counts = end > start || count === 0 || start > lastEnd;
    if (counts && ++count >= wanted) {
      out += expandReplacement(replacement, text.slice(start, end), match.groups);
      done = true;
      more = global;
    } else if (end > start) {
      out += text.slice(start, end);
    } else {
      if (start >= text.length) break;
      const ch = text.charAt(start);
      // sed skips one byte here, and continues in the middle of the character.
      if (ch > '\x7f') throw new Doubt('empty match before a non-ASCII character');
      out += ch;
      from = start + 1;
    }
    lastEnd = end;
  }
  return done ? out + text.slice(from) : null;
}
