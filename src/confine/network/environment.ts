// The address of the proxy → the variables that make common programs use it.
// A program that ignores them gains nothing: the sandbox has no other way out.

import type { Credentials } from './session.ts';

export type ProxyPlace = { readonly port: number; readonly host?: string } | { readonly path: string };

export type ProxyEnvironmentOptions = ProxyPlace & {
  readonly credentials?: Credentials;
  /** Hosts that are reached directly: inside the sandbox, these names mean the sandbox itself. */
  readonly noProxy?: readonly string[];
  /** Existing variables: options for Java are appended to those. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** `JAVA_TOOL_OPTIONS` reaches every Java program, which then prints a line about it. Default false. */
  readonly isForEveryJava?: boolean;
};

const NO_PROXY = ['localhost', '127.0.0.1', '::1'];

export function proxyEnvironment(options: ProxyEnvironmentOptions): Record<string, string> {
  const noProxy = (options.noProxy ?? NO_PROXY).join(',');
  if ('path' in options) return inBothCases({ ...proxies(socketUrl(options)), NO_PROXY: noProxy });
  const { port, host = '127.0.0.1' } = options;
  const url = `http://${userinfo(options.credentials)}${host}:${port}`;
  return {
    ...inBothCases({ ...proxies(url), NO_PROXY: noProxy, GRPC_PROXY: url }),
    // Node reads the variables above only if this is set.
    NODE_USE_ENV_PROXY: '1',
    npm_config_proxy: url,
    npm_config_https_proxy: url,
    npm_config_noproxy: noProxy,
    YARN_HTTP_PROXY: url,
    YARN_HTTPS_PROXY: url,
    PIP_PROXY: url,
    CARGO_HTTP_PROXY: url,
    ELECTRON_GET_USE_PROXY: '1',
    RSYNC_PROXY: `${userinfo(options.credentials)}${host}:${port}`,
    CLOUDSDK_PROXY_TYPE: 'http',
    CLOUDSDK_PROXY_ADDRESS: host,
    CLOUDSDK_PROXY_PORT: String(port),
    ...javaOptions(options, host, port),
  };
}

/**
 * If every host is refused, retrying does not help: cargo gives up after 11 s, pip after 9 s, and npm after 70 s if
 * the proxy itself is gone. pip prints the reason only when it retries. Update checks are disabled.
 */
const WITHOUT_HOSTS: Readonly<Record<string, string>> = {
  CARGO_NET_RETRY: '0',
  PIP_RETRIES: '1',
  UV_HTTP_RETRIES: '0',
  YARN_HTTP_RETRY: '0',
  npm_config_fetch_retries: '0',
  pnpm_config_fetch_retries: '0',
  npm_config_update_notifier: 'false',
  NO_UPDATE_NOTIFIER: '1',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
};

/** For a command that cannot reach any host. Values set by the user stay. */
export function variablesWithoutHosts(given: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const isGiven = (name: string) =>
    [name, name.toUpperCase(), name.toLowerCase()].some((each) => given[each] !== undefined);
  return Object.fromEntries(Object.entries(WITHOUT_HOSTS).filter(([name]) => !isGiven(name)));
}

/** Programs that use libcurl (curl, git, cargo) support a SOCKS proxy on a socket file; others then fail. */
function socketUrl({ path, credentials }: { readonly path: string; readonly credentials?: Credentials }): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return `socks5h://${userinfo(credentials)}localhost${encoded}`;
}

// Not SOCKS for ALL_PROXY: Python's clients refuse to start on it without a further package.
function proxies(url: string): Record<string, string> {
  return { HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url };
}

function inBothCases(variables: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => [
      [name, value],
      [name.toLowerCase(), value],
    ]),
  );
}

function userinfo(credentials: Credentials | undefined): string {
  if (credentials === undefined) return '';
  return `${encodeURIComponent(credentials.user)}:${encodeURIComponent(credentials.password)}@`;
}

/** Java does not support credentials this way. */
function javaOptions(options: ProxyEnvironmentOptions, host: string, port: number): Record<string, string> {
  if (options.credentials !== undefined) return {};
  const direct = (options.noProxy ?? NO_PROXY).map((name) => (name.includes(':') ? `[${name}]` : name)).join('|');
  const own = ['http', 'https']
    .map((scheme) => `-D${scheme}.proxyHost=${host} -D${scheme}.proxyPort=${port}`)
    .concat(`-Dhttp.nonProxyHosts=${direct}`)
    .join(' ');
  const names = ['MAVEN_OPTS', 'GRADLE_OPTS', 'SBT_OPTS', ...(options.isForEveryJava ? ['JAVA_TOOL_OPTIONS'] : [])];
  return Object.fromEntries(
    names.map((name) => {
      const before = options.environment?.[name];
      return [name, before === undefined || before === '' ? own : `${before} ${own}`];
    }),
  );
}
