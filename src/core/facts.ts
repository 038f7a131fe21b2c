// The vocabulary of analysis: what `analyze` reports about a command.
// Data only. Missing knowledge is always explicit (`null`, `unknown`, a reason), never a default.

/** Half-open range of UTF-16 offsets in the text that was analyzed. */
export type Span = readonly [start: number, end: number];

/** Commands for the last two can be run, but not analyzed: it is never known what they do. */
export const SHELLS = ['bash', 'sh', 'zsh', 'powershell', 'cmd'] as const;
export type Shell = (typeof SHELLS)[number];

export type AnalyzedShell = Exclude<Shell, 'powershell' | 'cmd'>;

export function isAnalyzed(shell: Shell): shell is AnalyzedShell {
  return shell !== 'powershell' && shell !== 'cmd';
}

/** Why the answer is not certain. The list is closed: policies and audit records refer to it. */
export const REASON_IDS = [
  'syntax',
  'too-long',
  'too-deep',
  'too-many-commands',
  'too-complex',
  'nul',
  'confusable-character',
  'unsupported-syntax',
  'dialect',
  'dynamic-command',
  'pattern-command',
  'dynamic-code',
  'code-from-input',
  'sourced-file',
  'written-then-run',
  'wrapper-arguments',
  'arithmetic-evaluates',
  'indirect-expansion',
  'prompt-expansion',
  'shell-option',
  'aliases',
  'lookup-changed',
  'trap-changes-state',
  'exported-function',
  'recursion',
  'dynamic-name',
] as const;
export type ReasonId = (typeof REASON_IDS)[number];

export interface Reason {
  readonly id: ReasonId;
  readonly message: string;
  readonly span: Span;
}

/** One word of an argv, as far as it is known before the command runs. */
export type WordValue =
  | { readonly kind: 'literal'; readonly value: string; readonly span: Span }
  /** An unquoted glob: one or more words, decided by the files that exist. */
  | { readonly kind: 'pattern'; readonly glob: string; readonly head: string; readonly span: Span }
  /**
   * `head` is the literal text the value certainly starts with; `many` means zero or more words;
   * `isPlain`: it is a number or a hash, so that none of its words begins with `-`.
   */
  | {
      readonly kind: 'dynamic';
      readonly head: string;
      readonly many: boolean;
      readonly isPlain?: true;
      readonly span: Span;
    };

/** A file or folder; `path` is absolute if the working directory is known, `null` if the value is not. */
export interface PathEffect {
  readonly path: string | null;
  readonly glob?: true;
  /** Includes the whole tree below it. */
  readonly recursive?: true;
  /** Before `..` was folded, if folding may differ from how the kernel resolves symlinks. */
  readonly unfolded?: string;
}

export interface NetworkEffect {
  /** `null`: a host that is not literal text. */
  readonly host: string | null;
  readonly port?: number;
  readonly url?: string;
}

export type ExecuteKind = 'shell' | 'program' | 'file' | 'code' | 'hook';

export interface ExecuteEffect {
  /** `shell`: shell text; `program`: a named program; `file`: a script; `code`: another language; `hook`: configuration decides. */
  readonly kind: ExecuteKind;
  readonly text: string | null;
}

export interface Effects {
  readonly reads: readonly PathEffect[];
  readonly writes: readonly PathEffect[];
  readonly deletes: readonly PathEffect[];
  readonly network: readonly NetworkEffect[];
  readonly executes: readonly ExecuteEffect[];
  /** Runs with different privileges (sudo, setuid changes, namespaces). */
  readonly privilege: boolean;
  /** Changes without a path: processes, services, packages, remote state, the shell itself. */
  readonly changes: readonly string[];
  /** Secrets that may be printed: `environment`, `process-environment`. */
  readonly discloses: readonly string[];
  /** Why there may be more effects than listed here; empty if the list is complete. */
  readonly unknown: readonly string[];
}

export type RedirectKind =
  | 'read'
  | 'write'
  | 'append'
  | 'read-write'
  | 'duplicate'
  | 'close'
  | 'heredoc'
  | 'herestring';

export interface RedirectFact {
  readonly kind: RedirectKind;
  readonly operator: string;
  readonly fd: number | string | null;
  readonly target: WordValue | null;
  readonly span: Span;
}

/** `name=value` before a command, or an assignment that stays in the shell. */
export interface AssignmentFact {
  readonly name: string;
  readonly value: string | null;
  readonly span: Span;
}

export const COMMAND_CLASSES = [
  'neutral',
  'list',
  'search',
  'read',
  'network',
  'write',
  'delete',
  'execute',
  'privilege',
  'unknown',
] as const;
/** Ordered from harmless to most serious: a script has the most serious class of its parts. */
export type CommandClass = (typeof COMMAND_CLASSES)[number];

/** An in-place edit of a file by `sed -i`, in a form that can be previewed and applied. */
export interface EditFact {
  readonly file: string;
  readonly script: string;
  readonly extended: boolean;
  readonly backupSuffix: string | null;
}

/** One option as it was given; `value` is `null` if there is none, or it is not known. */
export interface OptionFact {
  /** Every spelling of it in the table: `-i`, `--in-place`. An option that is not in the table has only the one used. */
  readonly names: readonly string[];
  readonly value: string | null;
  /** It only changes the output format, or the folder that the command works on. */
  readonly isPlain: boolean;
}

/** The words of a command, as its row in the table parses them. */
export interface Invocation {
  /** The program and its subcommands, without the options between them: `git`, `push`. */
  readonly path: readonly string[];
  /** Options that came before the last subcommand. */
  readonly leading: readonly OptionFact[];
  readonly options: readonly OptionFact[];
  /** `null` stands for any number of words whose values are not known. */
  readonly operands: readonly (string | null)[];
  /** False if an unknown word, or an option that is not in the table, may be parsed in another way. */
  readonly isCertain: boolean;
}

export interface CommandFact {
  /** Index of the command whose words, wrapper or code started this one; `null` at the top. */
  readonly parent: number | null;
  /** `null` stands for any number of words whose values are not known. Empty for a bare redirect. */
  readonly argv: readonly (string | null)[];
  readonly words: readonly WordValue[];
  /** The program's base name (`/usr/bin/rm` → `rm`), or `null`. */
  readonly name: string | null;
  readonly kind: 'builtin' | 'function' | 'program' | 'redirect';
  readonly summary: string | null;
  /** `null` for a command that is not in the table. */
  readonly invocation: Invocation | null;
  /** Commands with the same number exchange data through pipes. */
  readonly pipeline: number | null;
  readonly assignments: readonly AssignmentFact[];
  readonly redirects: readonly RedirectFact[];
  /** Folders in which it may run; `null` when not known. */
  readonly cwd: readonly string[] | null;
  /** Where it would run if not on this machine: `ssh host`, `docker exec web`. */
  readonly elsewhere: string | null;
  readonly effects: Effects;
  readonly readOnly: boolean;
  readonly class: CommandClass;
  /** From the outermost to the innermost: `sudo`, `bash -c`, `$( )`, `function f` … */
  readonly via: readonly string[];
  readonly span: Span;
  readonly edits: readonly EditFact[];
}

/**
 * - `processes` starts processes without limit
 * - `many-processes` starts a number of processes at once that is unknown or large
 * - `input` reads to the end of an endless input
 * - `file` writes to a file without limit
 * - `loop` a loop that is not known to end, and that never waits
 */
export type EndlessKind = 'processes' | 'many-processes' | 'input' | 'file' | 'loop';

/** Something that would never end, or would use more and more resources. */
export interface EndlessFact {
  readonly kind: EndlessKind;
  /** The command, or `a loop`, `a substitution`. */
  readonly what: string;
  readonly span: Span;
}

export interface Facts {
  readonly command: string;
  readonly shell: Shell;
  readonly status: 'understood' | 'cannot-tell';
  readonly reasons: readonly Reason[];
  readonly commands: readonly CommandFact[];
  readonly endless: readonly EndlessFact[];
  /** All effects of the commands that run here, combined. */
  readonly effects: Effects;
  readonly readOnly: boolean;
  readonly class: CommandClass;
  readonly display: string;
}
