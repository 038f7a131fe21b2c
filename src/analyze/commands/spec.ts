// The form of a command specification: one row of data answers what a command's words mean.
// Rows live beside this file, one file per family; nothing here runs anything.

import type { CommandClass } from '../../core/facts.ts';

/**
 * What the value of an option, or an operand, is.
 *
 * - `value` plain text without effect
 * - `read` `write` `delete` `edit` a path (`edit` = read and written in place); a trailing `/` as in `read/` means the whole tree below
 * - `move` a path that is read and then gone (mv's sources)
 * - `chdir` the folder in which the rest of the command works
 * - `program` a program that will be run, arguments unknown; `shell` text given to a shell; `file` a script that is run
 * - `code` text in another language that is run; `library` a file that is loaded as code
 * - `command` this word and all that follow are a command line that is run
 * - `host` a host name (`user@host:port` allowed); `url` an address; `remote-read` / `remote-write` a local path or `host:path`
 * - `change` a value whose presence changes something that no path names; `network` one whose presence contacts some host
 * - `hook` a value through which configuration may run code; `secret` one whose presence prints secrets
 * - `unknown` a value with which the effects are not known
 */
export type Role =
  | 'value'
  | 'read'
  | 'read/'
  | 'write'
  | 'write/'
  | 'delete'
  | 'delete/'
  | 'edit'
  | 'edit/'
  | 'move'
  | 'chdir'
  | 'program'
  | 'shell'
  | 'file'
  | 'code'
  | 'library'
  | 'command'
  | 'host'
  | 'url'
  | 'remote-read'
  | 'remote-write'
  | 'change'
  | 'network'
  | 'hook'
  | 'secret'
  | 'unknown';

/**
 * How an option takes its value. A bare role means that a value is required (`-o f`, `-of`, `--output f`, `--output=f`).
 * `role?` means an optional value, which only counts when attached (`-i.bak`, `--color=auto`).
 * `+role` means no value at all: the flag itself has that effect (`+change`, `+network`, `+hook`, `+secret`, `+unknown`).
 */
export type OptionForm = Role | `${Role}?` | `+${'change' | 'network' | 'hook' | 'secret' | 'unknown' | 'privilege'}`;

/**
 * What a command does whatever its options are; several are separated by blanks: `does: 'change network'`.
 *
 * - `change` changes something that no path names (packages, services, processes, remote state, a repository)
 * - `network` contacts hosts; `fetch` contacts hosts only to read, and counts as read-only (`gh pr view`, `curl -I`)
 * - `execute` runs code that configuration or a file decides (`make`, `npm test`); `privilege` runs with other rights
 * - `secret` prints secrets (`printenv`); `unknown` has effects that are not known
 */
export const ALWAYS = ['change', 'network', 'fetch', 'execute', 'privilege', 'secret', 'unknown'] as const;

/**
 * What changes when one of the options in `has` is given (any spelling).
 * The first variant that matches wins; fields that it leaves out are the command's own.
 */
export interface Variant {
  readonly has: string;
  readonly operands?: string;
  readonly does?: string;
  readonly class?: CommandClass;
}

export interface CommandSpec {
  /** One short phrase for a person: "list files". */
  readonly summary: string;
  /** Its class when nothing that it is given makes it more than that. */
  readonly class: CommandClass;
  /**
   * How its options look:
   * `gnu` (default) `-abc`, `-ofile`, `--long=value`, abbreviations of long options, options after operands;
   * `posix` the same, but options stop at the first operand (wrappers, `ssh`, `git` itself);
   * `words` single-dash words as in `find`, `go`, `terraform`: `-name x`, `-name=x`;
   * `bundle` as `gnu`, but the first operand may be a bundle without dash (`tar xzf`, `ps aux`);
   * `none` no options at all: every word is an operand (`echo`, `true`).
   */
  readonly style?: 'gnu' | 'posix' | 'words' | 'bundle' | 'none';
  /** It handles each operand as it comes, or takes no options after one: there an option is more than the table knows. */
  readonly optionsFirst?: true;
  /** Long options may not be abbreviated (most programs that do not use getopt_long). */
  readonly exactLong?: true;
  /** Harmless options without a value: `'-a --all -l'`. */
  readonly flags?: string;
  /** Harmless options with a required value: `'-n --lines'`. */
  readonly values?: string;
  /** Harmless options with an optional attached value: `'--color'`. */
  readonly optional?: string;
  /** `-5`, `-20` are options (head, tail, git log). */
  readonly numeric?: true;
  /** Everything else, by its spellings: `{ '-o --output': 'write' }`. */
  readonly options?: Readonly<Record<string, OptionForm>>;
  /**
   * Operands by position: roles separated by blanks; at most one carries `*` (any number) or `+` (one or more), any may carry `?`.
   * `'value read*'` grep, `'read+ write'` cp, `'command*'` nohup. Default: `'unknown*'`.
   */
  readonly operands?: string;
  readonly does?: string;
  readonly variants?: readonly Variant[];
  /** Words after the options choose another row: `git status`. Options of this row come before them. */
  readonly subcommands?: Readonly<Record<string, CommandSpec | string>>;
  /** With no operand at all it runs interactively or does something else: the `does` of that case. */
  readonly alone?: string;
  /** `-` is an ordinary name here, not a standard stream (mkdir, cp, tee). */
  readonly dashIsName?: true;
  /** A command of the shell itself: started as a program, whatever has that name runs. */
  readonly shellOnly?: true;
  /** Name of the analyser in `analyze/programs/` that reads what a table cannot say. */
  readonly program?: string;
  readonly examples: {
    readonly readOnly: readonly string[];
    readonly notReadOnly: readonly string[];
  };
}

/** Rows of one family, by command name; a string is another name for a row in the same family. */
export type CommandFamily = Readonly<Record<string, CommandSpec | string>>;
