// What `install` changes: a place in a file of an agent, and the text of that file.

/** `null` stands for a file that is not there. */
export type Text = string | null;

/** Where the user's files are; tests give another home. */
export interface Surroundings {
  readonly home: string;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where the files of the whole machine begin; `/` unless a test says otherwise. */
  readonly root?: string;
}

/** What is put where. `json`: a value at a path; `json-list`: an item of a list at a path; `toml`: a table. */
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
      /** The answer that stands for one that does not come; `null`: the agent itself refuses when the hook fails. */
      readonly refusal: object | null;
      /** Keys that the file must have besides, for example a version. */
      readonly besides?: Readonly<Record<string, unknown>>;
    }
  | { readonly form: 'toml'; readonly file: string; readonly table: readonly string[] };
