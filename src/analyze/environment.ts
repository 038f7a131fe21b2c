// Names of environment variables → whether setting them can make a program run something else.
// Unknown names are not classified: the caller decides what that means.

import { wordSet } from '../core/values/once.ts';

const HARMLESS = wordSet(
  'LANG LANGUAGE TZ TERM COLORTERM COLUMNS LINES NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE CI DEBUG VERBOSE ' +
    'NODE_ENV RUST_BACKTRACE RUST_LOG CARGO_TERM_COLOR PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING ' +
    'PYTHONUTF8 PYTHONHASHSEED PIP_DISABLE_PIP_VERSION_CHECK PIP_NO_INPUT GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS ' +
    'GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE ' +
    'GIT_MERGE_AUTOEDIT HUSKY DEBIAN_FRONTEND NPM_CONFIG_LOGLEVEL NPM_CONFIG_COLOR NPM_CONFIG_PROGRESS ' +
    'DOTNET_CLI_TELEMETRY_OPTOUT DOTNET_NOLOGO HOMEBREW_NO_AUTO_UPDATE GREP_COLORS LS_COLORS TIME_STYLE BLOCK_SIZE ' +
    'QUOTING_STYLE SOURCE_DATE_EPOCH USER LOGNAME HOSTNAME GO111MODULE GOOS GOARCH CGO_ENABLED ' +
    'PORT HOST NEXT_TELEMETRY_DISABLED DO_NOT_TRACK KUBECTL_COLOR PGCONNECT_TIMEOUT TF_IN_AUTOMATION TF_INPUT ' +
    'MIX_ENV RAILS_ENV RACK_ENV APP_ENV ENVIRONMENT',
);

/** Harmless only with these values. */
const HARMLESS_VALUES: Readonly<Record<string, readonly string[]>> = {
  PAGER: ['cat', '', '/bin/cat', '/usr/bin/cat'],
  GIT_PAGER: ['cat', '', '/bin/cat', '/usr/bin/cat'],
  MANPAGER: ['cat', ''],
  SYSTEMD_PAGER: ['cat', ''],
  GH_PAGER: ['cat', ''],
  BAT_PAGER: ['cat', ''],
  GIT_EDITOR: ['true', ':', '/bin/true'],
  EDITOR: ['true', ':'],
  LESSOPEN: [''],
  AWS_PAGER: [''],
};

const EXECUTES = new RegExp(
  '^(?:LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|NLSPATH|BASH_ENV|ENV|BASH_FUNC_.*|BASH_CMDS|BASH_ALIASES|BASH_LOADABLES_PATH|PS[0124]|PROMPT_COMMAND|' +
    'SHELLOPTS|BASHOPTS|SHELL|ZDOTDIR|PATH|CDPATH|IFS|FPATH|GIT_.*|SSH_ASKPASS|SUDO_ASKPASS|SSH_AUTH_SOCK|' +
    '.*_?PAGER|LESSOPEN|LESSCLOSE|LESS|LESSEDIT|LESSKEY.*|MANOPT|MANROFFOPT|.*EDITOR|VISUAL|BROWSER|NODE_OPTIONS|NODE_PATH|' +
    'NPM_CONFIG_.*|npm_config_.*|YARN_.*|PYTHON(?:PATH|STARTUP|HOME|INSPECT|BREAKPOINT|WARNINGS|USERBASE|EXECUTABLE)|' +
    'PERL5?(?:LIB|OPT|DB)|PERL5DB|RUBY(?:OPT|LIB|SHELL)|GEM_.*|BUNDLE_.*|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|' +
    'CLASSPATH|MAVEN_OPTS|GRADLE_OPTS|CARGO_.*|RUSTC.*|RUSTFLAGS|RUSTDOC.*|GOFLAGS|GOROOT|GOPATH|GOTOOLCHAIN|GOPROXY|' +
    'CC|CXX|LD|AR|CFLAGS|CXXFLAGS|CPPFLAGS|LDFLAGS|MAKEFLAGS|GNUMAKEFLAGS|MAKEFILES|CMAKE_.*|TAR_OPTIONS|RSYNC_.*|' +
    'GREP_OPTIONS|RIPGREP_CONFIG_PATH|FZF_.*|BAT_.*|TERMINFO.*|TERMCAP|DOCKER_.*|COMPOSE_.*|KUBECONFIG|KUBE_.*|HELM_.*|' +
    'TF_CLI_.*|AWS_.*|GOOGLE_.*|AZURE_.*|ANSIBLE_.*|HTTP_PROXY|HTTPS_PROXY|ALL_PROXY|http_proxy|https_proxy|all_proxy|' +
    'CURL_HOME|WGETRC|HOME|XDG_.*|TMPDIR|OPENSSL_.*|SSL_.*|MAGICK_.*|GST_.*|QT_.*|GTK_.*|WINEDLLOVERRIDES|PSQLRC|PGSERVICE.*|' +
    'SQLITE_.*|MYSQL_.*|INPUTRC|HISTFILE|MAILCAP.*|JQ_.*|AWKPATH|AWKLIBPATH|GAWK_.*|MAKESHELL|COMSPEC|R_.*|LUA_.*|PHP.*)$',
);

/** They read only variables that are listed above, those of the C library, and those that begin with their own prefix. */
const READS_LITTLE = wordSet(
  `ls dir vdir cat head tail wc sort uniq cut tr paste nl tac rev comm join echo printf test [ stat du df date basename dirname
  realpath readlink pwd true false seq expr id whoami uname nproc sleep cmp diff grep egrep fgrep find sed awk gawk mawk rg jq
  tree md5sum sha1sum sha256sum base64 xxd od node python python3`,
);
const OWN_PREFIX = /^(?:NODE|UV|ICU|V8|NAPI|PYTHON|PY|RIPGREP|RG|JQ|AWK|GAWK|GREP|TREE|LS|DU|DF)/i;
/** Variables of the C library, and names that sound like a file, options or a program. */
const FAR_REACHING =
  /^(?:_.*|POSIX.*|GLIBC.*|MALLOC.*|TZ.*|HOST.*|LOCAL.*|RES_.*|GETCONF.*|DATEMSK|NLS.*|.*TMP.*|TEMP.*|.*OPT(?:S|IONS)?|.*FLAGS|.*CONFIG.*|.*PATH.*|.*RC|.*HOME|.*DIR|.*FILE|.*LOG|.*TRACE.*|.*DEBUG.*|.*CMD|.*COMMAND|.*SHELL.*|.*_?CONTROL|.*SUFFIX)$/i;

/** Whether a variable with an unknown name may matter to this program. */
export function mayRead(program: string | null, name: string): boolean {
  if (program === null || !READS_LITTLE.has(program)) return true;
  return OWN_PREFIX.test(name) || FAR_REACHING.test(name);
}

const SETS_LOCALE = new Set(['LC_ALL', 'LC_CTYPE', 'LANG']);
/** Locales in which no part of a letter is a character of the shell's syntax. */
const PLAIN_LOCALE = /^(?:|C|POSIX|(?!zh)[a-z]{2,3}(?:_[A-Z]{2})?|\w+\.(?:utf-?8|iso-?8859-?\d+))(?:@\w+)?$/i;

/** In BIG5 or SJIS a letter may end in a backslash: `"日\$(rm x)"` runs rm there. */
export function setsCharacters(name: string, value: string | null): boolean {
  return SETS_LOCALE.has(name) && (value === null || !PLAIN_LOCALE.test(value));
}

export const CHARACTERS_CHANGED = 'the locale may change which characters the shell takes for syntax';

export type EnvironmentRisk = 'harmless' | 'executes' | 'unknown';

export function environmentRisk(name: string, value: string | null): EnvironmentRisk {
  if (value !== null && HARMLESS_VALUES[name]?.includes(value)) return 'harmless';
  let risk = riskOfName.get(name);
  if (risk === undefined) {
    risk = judgeName(name);
    if (riskOfName.size < MAX_REMEMBERED) riskOfName.set(name, risk);
  }
  return risk;
}

/** The same few names are frequent, and the expression above is long. */
const riskOfName = new Map<string, EnvironmentRisk>();
const MAX_REMEMBERED = 500;

function judgeName(name: string): EnvironmentRisk {
  if (name.startsWith('LC_') || HARMLESS.has(name)) return 'harmless';
  return EXECUTES.test(name) ? 'executes' : 'unknown';
}
