// What `install` changes: a place in a file of an agent, and the text of that file.

/** `null` stands for a file that is not there. */
export type Text = string | null;

/** Where the user's files are; tests use another home. */
export interface Surroundings {
  readonly home: string;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The root of machine-wide files; `/` except in tests. */
  readonly root?: string;
}

/** What is put where. `json`: a value at a path; `json-list`: an item of a list at a path; `toml`: a table; `file`: a file. */
export type Target =
  | {
      readonly form: 'json';
      readonly file: string;
      readonly path: readonly string[];
      readonly value: (argv: readonly string[]) => object;
    }
  | {
      readonly form: 'json-list';
      readonly file: string;
      readonly path: readonly string[];
      readonly value: (command: string) => object;
      /** The fallback answer; `null`: the agent itself refuses if the hook fails. */
      readonly refusal: object | null;
      /** Other keys that the file must have, such as a version. */
      readonly besides?: Readonly<Record<string, unknown>>;
    }
  | {
      readonly form: 'toml';
      readonly file: string;
      readonly table: readonly string[];
      /** Further keys, as written in TOML. */
      readonly more: Readonly<Record<string, string>>;
    }
  | {
      readonly form: 'file';
      readonly file: string;
      /** All of it is ours. */
      readonly content: (argv: readonly string[]) => string;
    };
