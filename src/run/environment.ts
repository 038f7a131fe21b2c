// The environment of a command: the host's variables and options → a clean environment, and the names that were withheld.
// Pure. Always refuses variables by which a shell, the loader or git would run something before the command.

import { isSecretName } from '../core/names/secret-names.ts';

export interface EnvironmentInputs {
  /** The host's own variables. */
  readonly host: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** Private to this user and writable for the command. */
  readonly temporaryFolder: string;
  readonly home?: string;
  readonly user?: string;
  readonly shellPath?: string;
  readonly path?: PathWishes;
  /** Names to inherit; `LC_*` means all with that prefix. A secret is kept only by its full name. */
  readonly keep?: readonly string[];
  /** Names to leave out, in the same form; wins over `keep` and `preserveEnvironment`. */
  readonly drop?: readonly string[];
  /** Inherit everything except secrets and variables that can run something. */
  readonly preserveEnvironment?: boolean;
  /**
   * `auto` sets nothing: without a terminal programs print no color, and tests that check colors are not affected.
   * `never` sets NO_COLOR.
   */
  readonly color?: 'auto' | 'never';
  /** From settings, written by a person: only variables of the shell and the loader are refused. */
  readonly set?: Readonly<Record<string, string>>;
  /** From the request, so from a model: nothing that would run another program than the one that was checked. */
  readonly request?: Readonly<Record<string, string>>;
  /** From the verdict: hardshell's own, merged last, never withheld. */
  readonly verdict?: Readonly<Record<string, string>>;
}

export interface PathWishes {
  /** Which folders of the host's PATH are kept: `all` in their order, or those named. */
  readonly keep?: 'all' | readonly string[];
  /** Folders that a command may write: a program planted there would be found by name. */
  readonly refuseBelow?: readonly string[];
}

export type WithheldReason = 'executes' | 'secret' | 'invalid' | 'dropped';

export interface BuiltEnvironment {
  readonly env: Readonly<Record<string, string>>;
  /** Names only, sorted: the values may be secrets. Variables that were not requested are not listed. */
  readonly withheld: readonly { readonly name: string; readonly reason: WithheldReason }[];
}

const TRUSTED_PATH = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
const TRUSTED_WINDOWS_PATH = [
  'C:\\Windows\\System32',
  'C:\\Windows',
  'C:\\Windows\\System32\\Wbem',
  'C:\\Windows\\System32\\WindowsPowerShell\\v1.0',
];

/** Harmless, and programs misbehave without them. */
const INHERITED = ['HOME', 'USER', 'LOGNAME', 'LANG', 'LANGUAGE', 'LC_*', 'TZ', 'CLAUDECODE'];
const INHERITED_ON_WINDOWS = [
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'COMSPEC',
  'PATHEXT',
  'OS',
  'NUMBER_OF_PROCESSORS',
  'PROCESSOR_ARCHITECTURE',
  'USERPROFILE',
  'USERNAME',
  'HOMEDRIVE',
  'HOMEPATH',
  'APPDATA',
  'LOCALAPPDATA',
  'PROGRAMDATA',
  'PROGRAMFILES',
];

/** Variables that the shell, the loader or libc act on by themselves, regardless of the command text. */
const NEVER =
  /^(?:BASH_.*|ENV|SHELLOPTS|BASHOPTS|PS[0-4]|PROMPT_COMMAND|IFS|CDPATH|GLOBIGNORE|EXECIGNORE|POSIXLY_CORRECT|TMOUT|FIGNORE|INPUTRC|ZDOTDIR|FPATH|PSMODULEPATH|LD_.*|DYLD_.*|GCONV_PATH|GETCONF_DIR|GLIBC_TUNABLES|HOSTALIASES|LOCALDOMAIN|LOCPATH|MALLOC_.*|NIS_PATH|NLSPATH|RESOLV_HOST_CONF|RES_OPTIONS|TZDIR|TERMINFO.*|TERMCAP|HIST(?:FILE|SIZE|FILESIZE|CONTROL|IGNORE|TIMEFORMAT))$/;
/** Of git's variables, only these do not affect what runs or where git looks. */
const PLAIN_GIT = /^GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|MERGE_VERBOSITY|ADVICE)$/;

/** Ordinary programs run or load what these name. A person may want that, so their full name in `keep` is enough. */
const EXECUTES =
  /^(?:.*(?:EDITOR|PAGER|BROWSER|ASKPASS)|VISUAL|LESS.*|NODE_(?:OPTIONS|PATH)|PYTHON(?:STARTUP|PATH|HOME|BREAKPOINT|INSPECT)|PERL5?(?:LIB|OPT|DB)|RUBY(?:LIB|OPT)|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|MAKE(?:FLAGS|FILES)|GNUMAKEFLAGS|RIPGREP_CONFIG_PATH|FZF_DEFAULT_.*|TAR_OPTIONS|GREP_OPTIONS|RSYNC_.*|MANOPT|VIMINIT|EXINIT|OPENSSL_(?:CONF|ENGINES|MODULES)|XDG_RUNTIME_DIR|DBUS_.*|NPM_.*|INIT_CWD|TMUX.*|STY|CLAUDE.*|FORCE_COLOR|CLICOLOR_FORCE)$/;

const CLOUD =
  /^(?:AWS|AZURE|ARM|GOOGLE|GCP|GCLOUD|CLOUDSDK|DIGITALOCEAN|HCLOUD|HEROKU|ALIBABA|ALICLOUD|OCI|IBMCLOUD|LINODE|VULTR|SCW|OS|TF_VAR|VAULT|CONSUL|NOMAD|CLOUDFLARE|FASTLY|STRIPE|TWILIO|SENDGRID|OPENAI|ANTHROPIC|MISTRAL|COHERE|HF|HUGGINGFACE|SLACK|DISCORD|TELEGRAM|SENTRY|DATADOG|DD|NEWRELIC|ACTIONS|KUBE|DOCKER|SNYK|SONAR)_|^KUBECONFIG$|^SSH_/;
/** A password inside a URL, or a well-known token prefix. */
const SECRET_VALUE =
  /:\/\/[^/\s:@]{0,256}:[^/\s@]{1,256}@|^(?:gh[pousr]_|github_pat_|glpat-|sk-|xox[abprs]-|AKIA|ASIA|npm_|eyJ)[\w-]{8}|-----BEGIN /;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export function buildEnvironment(inputs: EnvironmentInputs): BuiltEnvironment {
  const isWindows = inputs.platform === 'win32';
  const env = new Map<string, string>();
  const withheld = new Map<string, WithheldReason>();
  const base = isWindows ? [...INHERITED, ...INHERITED_ON_WINDOWS] : INHERITED;
  const { keep = [], drop = [] } = inputs;
  const isDropped = matcher(drop, isWindows);
  const isKept = matcher(keep, isWindows);
  const isNamed = matcher(
    keep.filter((name) => !name.endsWith('*')),
    isWindows,
  );
  const isBase = matcher(base, isWindows);

  for (const [name, value] of Object.entries(inputs.host)) {
    if (value === undefined || isPath(name, isWindows)) continue;
    const isAsked = isKept(name) || isBase(name);
    if (!isAsked && inputs.preserveEnvironment !== true) continue;
    const reason = isDropped(name)
      ? 'dropped'
      : (refusalOf(name, value, isWindows) ??
        gitRefusalOf(name) ??
        (isNamed(name) || isBase(name) ? null : riskOf(name, value)));
    if (reason === null) env.set(name, value);
    else withheld.set(name, reason);
  }

  for (const [name, value] of Object.entries(ownVariables(inputs, isWindows))) place(env, name, value, isWindows);
  const add = (variables: Readonly<Record<string, string>> = {}, refuse: (name: string) => WithheldReason | null) => {
    for (const [name, value] of Object.entries(variables)) {
      const reason = refusalOf(name, value, isWindows) ?? refuse(name);
      if (reason === null) place(env, name, value, isWindows);
      else withheld.set(name, reason);
    }
  };
  add(inputs.set, () => null);
  add(inputs.request, requestRefusalOf);
  for (const [name, value] of Object.entries(inputs.verdict ?? {})) place(env, name, value, isWindows);
  return {
    env: Object.fromEntries(env),
    withheld: [...withheld].map(([name, reason]) => ({ name, reason })).sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** Windows variable names are case-insensitive; with two spellings, the host's value could win. */
function place(env: Map<string, string>, name: string, value: string, isWindows: boolean): void {
  if (isWindows) for (const other of env.keys()) if (other.toUpperCase() === name.toUpperCase()) env.delete(other);
  env.set(name, value);
}

/** Variables that no option can allow. `name%%` and similar are how bash exports functions. */
function refusalOf(name: string, value: string, isWindows: boolean): WithheldReason | null {
  const isName = NAME.test(name) || (isWindows && /^[A-Za-z_][\w ()-]*$/.test(name));
  if (!isName || value.includes('\0')) return /^BASH_FUNC_/.test(name) ? 'executes' : 'invalid';
  // A function of an old bash: the text after the name would be run.
  if (/^\(\)\s*\{/.test(value)) return 'executes';
  return NEVER.test(name.toUpperCase()) ? 'executes' : null;
}

function gitRefusalOf(name: string): WithheldReason | null {
  const upper = name.toUpperCase();
  return upper.startsWith('GIT_') && !PLAIN_GIT.test(upper) ? 'executes' : null;
}

/** In the command text these would be checked; in the environment they would go unnoticed. */
function requestRefusalOf(name: string): WithheldReason | null {
  return isPath(name, true) || EXECUTES.test(name.toUpperCase()) ? 'executes' : gitRefusalOf(name);
}

/** Must be requested by its exact name. */
function riskOf(name: string, value: string): WithheldReason | null {
  const upper = name.toUpperCase();
  if (EXECUTES.test(upper)) return 'executes';
  return isSecret(upper, value) ? 'secret' : null;
}

/** By name, and by the form of the value. */
export function isSecret(name: string, value: string): boolean {
  const upper = name.toUpperCase();
  return isSecretName(name) || CLOUD.test(upper) || SECRET_VALUE.test(value);
}

function ownVariables(inputs: EnvironmentInputs, isWindows: boolean): Record<string, string> {
  const { temporaryFolder, home, user, shellPath } = inputs;
  return {
    [isWindows ? 'Path' : 'PATH']: buildPath(inputs, isWindows),
    ...(home !== undefined && { HOME: home }),
    ...(user !== undefined && { USER: user, LOGNAME: user }),
    ...(shellPath !== undefined && { SHELL: shellPath }),
    ...(isWindows ? { TEMP: temporaryFolder, TMP: temporaryFolder } : { TMPDIR: temporaryFolder }),
    TERM: 'dumb',
    HISTFILE: isWindows ? 'NUL' : '/dev/null',
    HISTSIZE: '0',
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    HARDSHELL: '1',
    ...(inputs.color === 'never' && { NO_COLOR: '1' }),
  };
}

function isPath(name: string, isWindows: boolean): boolean {
  return (isWindows ? name.toUpperCase() : name) === 'PATH';
}

/** Folders of the host come first and in their order, so that its choice of versions is kept; the trusted ones follow. */
function buildPath({ host, path = {} }: EnvironmentInputs, isWindows: boolean): string {
  const separator = isWindows ? ';' : ':';
  const { keep = [], refuseBelow = [] } = path;
  const theirs = Object.entries(host)
    .filter(([name]) => isPath(name, isWindows))
    .flatMap(([, value]) => (value ?? '').split(separator));
  const kept = theirs.filter((folder) => keep === 'all' || keep.includes(folder));
  const wanted = [...kept, ...(isWindows ? TRUSTED_WINDOWS_PATH : TRUSTED_PATH)];
  const refused = refuseBelow.map((root) => partsOf(root, isWindows));
  return [...new Set(wanted)].filter((folder) => isSafeFolder(folder, refused, isWindows)).join(separator);
}

/** An empty or relative folder means the current folder of the command; `..` could lead anywhere. */
function isSafeFolder(folder: string, refused: readonly (readonly string[])[], isWindows: boolean): boolean {
  if (!(isWindows ? /^[A-Za-z]:\\/ : /^\//).test(folder) || /[\0\n]/.test(folder)) return false;
  const parts = partsOf(folder, isWindows);
  if (parts.includes('..')) return false;
  return !refused.some((root) => root.every((part, at) => part === parts[at]));
}

function partsOf(folder: string, isWindows: boolean): readonly string[] {
  const text = isWindows ? folder.toLowerCase().replaceAll('/', '\\') : folder;
  return text.split(isWindows ? '\\' : '/').filter((part) => part !== '' && part !== '.');
}

function matcher(patterns: readonly string[], isWindows: boolean): (name: string) => boolean {
  const spell = (name: string) => (isWindows ? name.toUpperCase() : name);
  const exact = new Set(patterns.filter((pattern) => !pattern.endsWith('*')).map(spell));
  const prefixes = patterns.filter((pattern) => pattern.endsWith('*')).map((pattern) => spell(pattern.slice(0, -1)));
  return (name) => exact.has(spell(name)) || prefixes.some((prefix) => spell(name).startsWith(prefix));
}
