// Options of `hardshell dashboard`.

export interface DashboardOptions {
  /** Absolute: the folder whose settings the policy page shows, and where tried commands would start. */
  readonly cwd: string;
  readonly settingsFile?: string;
  /** `null`: the default port, or any free one if that is in use. */
  readonly port: number | null;
  /** Opens the link in the browser of this machine. */
  readonly isOpening: boolean;
  readonly isJson: boolean;
}
