import { expect, test } from 'vitest';
import { proxyEnvironment, variablesWithoutHosts } from './environment.ts';

test('common programs are pointed at the port', () => {
  const url = 'http://127.0.0.1:3128';
  const java =
    '-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=3128 -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=3128 -Dhttp.nonProxyHosts=localhost|127.0.0.1|[::1]';
  expect(proxyEnvironment({ port: 3128, environment: { MAVEN_OPTS: '-Xmx1g', SBT_OPTS: '' } })).toEqual({
    HTTP_PROXY: url,
    http_proxy: url,
    HTTPS_PROXY: url,
    https_proxy: url,
    ALL_PROXY: url,
    all_proxy: url,
    GRPC_PROXY: url,
    grpc_proxy: url,
    NO_PROXY: 'localhost,127.0.0.1,::1',
    no_proxy: 'localhost,127.0.0.1,::1',
    NODE_USE_ENV_PROXY: '1',
    npm_config_proxy: url,
    npm_config_https_proxy: url,
    npm_config_noproxy: 'localhost,127.0.0.1,::1',
    YARN_HTTP_PROXY: url,
    YARN_HTTPS_PROXY: url,
    PIP_PROXY: url,
    CARGO_HTTP_PROXY: url,
    ELECTRON_GET_USE_PROXY: '1',
    RSYNC_PROXY: '127.0.0.1:3128',
    CLOUDSDK_PROXY_TYPE: 'http',
    CLOUDSDK_PROXY_ADDRESS: '127.0.0.1',
    CLOUDSDK_PROXY_PORT: '3128',
    MAVEN_OPTS: `-Xmx1g ${java}`,
    GRADLE_OPTS: java,
    SBT_OPTS: java,
  });
});

test.each([
  [
    'credentials are encoded',
    { port: 1, credentials: { user: 'a b', password: 'c@d' } },
    'http://a%20b:c%40d@127.0.0.1:1',
  ],
  ['a socket file', { path: '/run/a b/p.sock' }, 'socks5h://localhost/run/a%20b/p.sock'],
])('%s', (_, options, url) => {
  const environment = proxyEnvironment(options);
  expect([environment.https_proxy, environment.HTTP_PROXY, environment.all_proxy]).toEqual([url, url, url]);
});

test('Java everywhere only on request, and never with credentials', () => {
  expect(proxyEnvironment({ port: 1 }).JAVA_TOOL_OPTIONS).toBeUndefined();
  expect(proxyEnvironment({ port: 1, isForEveryJava: true }).JAVA_TOOL_OPTIONS).toContain('proxyPort=1');
  const secret = proxyEnvironment({ port: 1, isForEveryJava: true, credentials: { user: 'u', password: 'p' } });
  expect([secret.JAVA_TOOL_OPTIONS, secret.MAVEN_OPTS]).toEqual([undefined, undefined]);
});

test('no hosts are reachable directly', () => {
  expect(proxyEnvironment({ port: 1, noProxy: [] }).NO_PROXY).toBe('');
});

test('pointless requests are disabled, unless the user sets the variable', () => {
  expect(variablesWithoutHosts({ PATH: '/bin' })).toEqual({
    CARGO_NET_RETRY: '0',
    PIP_RETRIES: '1',
    UV_HTTP_RETRIES: '0',
    YARN_HTTP_RETRY: '0',
    npm_config_fetch_retries: '0',
    pnpm_config_fetch_retries: '0',
    npm_config_update_notifier: 'false',
    NO_UPDATE_NOTIFIER: '1',
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
  });
  const given = { pip_retries: '7', CARGO_NET_RETRY: '', NPM_CONFIG_FETCH_RETRIES: '3', no_update_notifier: '0' };
  expect(Object.keys(variablesWithoutHosts(given))).toEqual([
    'UV_HTTP_RETRIES',
    'YARN_HTTP_RETRY',
    'pnpm_config_fetch_retries',
    'npm_config_update_notifier',
    'PIP_DISABLE_PIP_VERSION_CHECK',
  ]);
});
