// The form of a command specification: one row of data defines the meaning of a command's words.
// Rows are next to this file, one file per family; nothing here runs anything.

import type { CommandClass } from '../../core/facts.ts';

/**
 * The kind of an option value or an operand.
 *
 * - `value` plain text without effect
 * - `read` `write` `delete` `edit` a path (`edit` = read and written in place); a trailing `/` as in `read/` means the whole tree below
 * - `move` a path that is read and then gone (mv's sources)
 * - `chdir` the working folder for the rest of the command
 * - `program` a program that will be run, arguments unknown; `shell` text given to a shell; `file` a script that is run
 * - `code` text in another language that is run; `library` a file that is loaded as code
 * - `command` this word and all that follow are a command line that is run
 * - `host` a host name (`user@host:port` allowed); `url` an address; `remote-read` / `remote-write` a local path or `host:path`
 * - `change` a value whose presence changes something that has no path; `network` one whose presence contacts some host
 * - `hook` a value through which configuration may run code; `secret` one whose presence prints secrets
 * - `unknown` a value that makes the effects unknown
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
 * `+role` means no value: the flag itself has that effect (`+change`, `+network`, `+hook`, `+secret`, `+unknown`).
 */
export type OptionForm = Role | `${Role}?` | `+${'change' | 'network' | 'hook' | 'secret' | 'unknown' | 'privilege'}`;

/**
 * Effects of a command for any options; several are separated by blanks: `does: 'change network'`.
 *
 * - `change` changes something that has no path (packages, services, processes, remote state, a repository)
 * - `network` contacts hosts; `fetch` only reads from the service that the user configured (`gh pr view`, `kubectl get`):
 *   that counts as read-only, unless the command itself names a host. A host that a file of the project chooses is `network`
 * - `execute` runs code from configuration or a file (`make`, `npm test`); `privilege` runs with different privileges
 * - `secret` prints secrets (`printenv`); `unknown` has unknown effects
 */
export const ALWAYS = ['change', 'network', 'fetch', 'execute', 'privilege', 'secret', 'unknown'] as const;

/**
 * Overrides if one of the options in `has` is given (any spelling).
 * The first matching variant wins; omitted fields are those of the command.
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
  /** Its class if no option or operand makes it more serious. */
  readonly class: CommandClass;
  /**
   * Option syntax:
   * `gnu` (default) `-abc`, `-ofile`, `--long=value`, abbreviations of long options, options after operands;
   * `posix` the same, but options stop at the first operand (wrappers, `ssh`, `git` itself);
   * `words` single-dash words as in `find`, `go`, `terraform`: `-name x`, `-name=x`;
   * `bundle` as `gnu`, but the first operand may be a bundle without dash (`tar xzf`, `ps aux`);
   * `none` no options: every word is an operand (`echo`, `true`).
   */
  readonly style?: 'gnu' | 'posix' | 'words' | 'bundle' | 'none';
  /** It handles each operand as it comes, or takes no options after one: there an option has a meaning beyond the table. */
  readonly optionsFirst?: true;
  /** Long options cannot be abbreviated (most programs that do not use getopt_long). */
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
   * Operands by position: roles separated by blanks; at most one has `*` (any number) or `+` (one or more), any can have `?`.
   * `'value read*'` grep, `'read+ write'` cp, `'command*'` nohup. Default: `'unknown*'`.
   */
  readonly operands?: string;
  readonly does?: string;
  readonly variants?: readonly Variant[];
  /** Words after the options select another row: `git status`. Options of this row come before them. */
  readonly subcommands?: Readonly<Record<string, CommandSpec | string>>;
  /** Without operands it runs interactively or does something else: the `does` of that case. */
  readonly alone?: string;
  /** `-` is an ordinary name here, not a standard stream (mkdir, cp, tee). */
  readonly dashIsName?: true;
  /** A file to write that is called `-` is standard output (gpg, pandoc, tcpdump); otherwise it is a file of that name. */
  readonly dashIsStream?: true;
  /** A shell builtin: if it is started as a program, any program with that name may run. */
  readonly shellOnly?: true;
  /** It keeps files of its own in the home or the temporary folder (`~/.npm/_logs`), even if it only reads. */
  readonly ownState?: true;
  /** Name of the analyzer in `analyze/programs/` for commands that do not fit a table. */
  readonly program?: string;
  readonly examples: {
    readonly readOnly: readonly string[];
    readonly notReadOnly: readonly string[];
  };
}

/** Rows of one family, by command name; a string is another name for a row in the same family. */
export type CommandFamily = Readonly<Record<string, CommandSpec | string>>;
