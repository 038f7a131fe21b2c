// What `hardshell dashboard` receives.

export interface DashboardOptions {
  /** Absolute: whose settings the policy page shows, and where tried commands would start. */
  readonly cwd: string;
  readonly settingsFile?: string;
  /** `null`: the usual one, or any free one when that is taken. */
  readonly port: number | null;
  /** Opens the link in the browser of this machine. */
  readonly isOpening: boolean;
  readonly isJson: boolean;
}
