import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildEnvironment, type EnvironmentInputs, isSecret } from './environment.ts';

const BASE: EnvironmentInputs = { host: {}, platform: 'linux', temporaryFolder: '/t/private' };
const OWN = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  TMPDIR: '/t/private',
  TERM: 'dumb',
  HISTFILE: '/dev/null',
  HISTSIZE: '0',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  HARDSHELL: '1',
};
const NEVER = [
  'BASH_ENV',
  'ENV',
  'BASH_FUNC_ls%%',
  'BASH_XTRACEFD',
  'SHELLOPTS',
  'BASHOPTS',
  'PS4',
  'IFS',
  'CDPATH',
  'GLOBIGNORE',
  'LD_PRELOAD',
  'LD_LIBRARY_PATH',
  'LD_AUDIT',
  'DYLD_INSERT_LIBRARIES',
  'PROMPT_COMMAND',
  'POSIXLY_CORRECT',
  'ZDOTDIR',
];
const GIT = ['GIT_SSH_COMMAND', 'GIT_EXTERNAL_DIFF', 'GIT_CONFIG_COUNT', 'GIT_DIR', 'GIT_EXEC_PATH', 'GIT_EDITOR'];
const SECRETS = [
  'GITHUB_TOKEN',
  'AWS_PROFILE',
  'DB_PASSWORD',
  'OPENAI_API_KEY',
  'OPENAIKEY',
  'MYSQL_PWD',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'SSH_AUTH_SOCK',
  'client_secret',
  'ACTIONS_ID_TOKEN_REQUEST_URL',
  'KUBECONFIG',
  'PGPASSWORD',
];
const each = (names: readonly string[], value = 'x') => Object.fromEntries(names.map((name) => [name, value]));

test("a clean environment has hardshell's variables and a few harmless ones", () => {
  const host = {
    HOME: '/home/u',
    USER: 'u',
    LANG: 'C.UTF-8',
    LC_TIME: 'C',
    TZ: 'UTC',
    EDITOR: 'vi',
    FOO: 'bar',
    ...each(SECRETS),
  };
  expect(buildEnvironment({ ...BASE, host })).toEqual({
    env: { HOME: '/home/u', USER: 'u', LANG: 'C.UTF-8', LC_TIME: 'C', TZ: 'UTC', ...OWN },
    withheld: [],
  });
});

test("the caller's home, user and shell take precedence over the host", () => {
  const wishes = { home: '/h', user: 'me', shellPath: '/bin/bash', color: 'never' } as const;
  const { env } = buildEnvironment({ ...BASE, ...wishes, host: { HOME: '/x', USER: 'y', SHELL: '/z', NO_COLOR: '' } });
  expect(env).toEqual({ ...OWN, HOME: '/h', USER: 'me', LOGNAME: 'me', SHELL: '/bin/bash', NO_COLOR: '1' });
});

describe('preserveEnvironment', () => {
  const preserve = (host: Record<string, string>, more: Partial<EnvironmentInputs> = {}) =>
    buildEnvironment({ ...BASE, preserveEnvironment: true, host, ...more });

  test('keeps ordinary variables', () => {
    const host = {
      NODE_ENV: 'test',
      JAVA_HOME: '/j',
      PWD: '/p',
      OLDPWD: '/o',
      KEYBOARD: 'de',
      DATABASE_URL: 'pg://h/db',
    };
    expect(preserve(host)).toEqual({ env: { ...host, ...OWN }, withheld: [] });
  });

  test.each(SECRETS)('withholds %s and reports it, without its value', (name) => {
    expect(preserve({ [name]: 'x' })).toEqual({ env: OWN, withheld: [{ name, reason: 'secret' }] });
    expect(preserve({ [name]: 'x' }, { keep: [name] }).env).toEqual({ ...OWN, [name]: 'x' });
    expect(preserve({ [name]: 'x' }, { keep: [`${name[0]}*`] }).env).toEqual(OWN);
  });

  test.each([
    'postgres://u:pw@h/db',
    'https://:token@h',
    'ghp_0123456789abcdef',
    '-----BEGIN RSA PRIVATE KEY-----',
    'eyJhbGciOiJIUzI1NiJ9.e30.x',
  ])('withholds the value %s under any name', (value) => {
    expect(preserve({ SOMETHING: value }).withheld).toEqual([{ name: 'SOMETHING', reason: 'secret' }]);
  });

  test.each(['http://h:80/a@b', 'a://b', 'user@host:path', 'sk-', 'me:you@'])('%s is not a secret', (value) => {
    expect(isSecret('SOMETHING', value)).toBe(false);
  });

  test.each(['EDITOR', 'GH_PAGER', 'NODE_OPTIONS', 'LESSOPEN', 'PYTHONSTARTUP', 'FORCE_COLOR'])(
    '%s only by name',
    (name) => {
      expect(preserve({ [name]: 'x' }).withheld).toEqual([{ name, reason: 'executes' }]);
      expect(preserve({ [name]: 'x' }, { keep: [name] }).env).toEqual({ ...OWN, [name]: 'x' });
    },
  );

  test('drop takes precedence over everything inherited', () => {
    const more = { keep: ['FOO', 'HOME'], drop: ['FOO', 'HO*'] };
    expect(preserve({ FOO: '1', HOME: '/h', BAR: '2' }, more)).toEqual({
      env: { BAR: '2', ...OWN },
      withheld: [
        { name: 'FOO', reason: 'dropped' },
        { name: 'HOME', reason: 'dropped' },
      ],
    });
  });
});

test.each([...NEVER, ...GIT])('%s is never inherited', (name) => {
  const { env, withheld } = buildEnvironment({
    ...BASE,
    preserveEnvironment: true,
    host: { [name]: 'x' },
    keep: [name],
  });
  expect(env).toEqual(OWN);
  expect(withheld).toEqual([{ name, reason: 'executes' }]);
});

test('a function in the format of an old bash is withheld under any name', () => {
  const { env } = buildEnvironment({ ...BASE, host: { LANG: '() { :; }; id' }, preserveEnvironment: true });
  expect(env).toEqual(OWN);
});

test.each(NEVER)('settings and requests cannot set %s', (name) => {
  for (const source of ['set', 'request'] as const)
    expect(buildEnvironment({ ...BASE, [source]: { [name]: 'x' } }).env).toEqual(OWN);
});

test.each([...GIT, 'PATH', 'NODE_OPTIONS', 'PAGER', 'EDITOR'])('a request cannot set %s, settings can', (name) => {
  expect(buildEnvironment({ ...BASE, request: { [name]: 'x' } })).toEqual({
    env: OWN,
    withheld: [{ name, reason: 'executes' }],
  });
  expect(buildEnvironment({ ...BASE, set: { [name]: 'x' } }).env).toEqual({ ...OWN, [name]: 'x' });
});

test('a request may set other variables, including secrets, and overrides settings; the verdict overrides both', () => {
  const inputs = { set: { A: '1', B: '1', C: '1' }, request: { B: '2', C: '2', API_KEY: 'k' } };
  const verdict = { C: '3', GIT_CONFIG_COUNT: '0', HARDSHELL: '2' };
  expect(buildEnvironment({ ...BASE, ...inputs, verdict }).env).toEqual({
    ...OWN,
    A: '1',
    B: '2',
    API_KEY: 'k',
    ...verdict,
  });
});

describe('PATH', () => {
  const pathOf = (host: string, path: EnvironmentInputs['path']) =>
    buildEnvironment({ ...BASE, host: { PATH: host }, ...(path && { path }) }).env.PATH?.replace(OWN.PATH, 'TRUSTED');

  test.each<[string, EnvironmentInputs['path'], string]>([
    ['/opt/n/bin:/usr/bin', undefined, 'TRUSTED'],
    ['/opt/n/bin:/opt/m', { keep: ['/opt/n/bin'] }, '/opt/n/bin:TRUSTED'],
    ['/opt/n/bin:/opt/m', { keep: 'all' }, '/opt/n/bin:/opt/m:TRUSTED'],
    [':.:bin:./x:~/bin:/a/../b:/ok:', { keep: 'all' }, '/ok:TRUSTED'],
    ['/w/p/node_modules/.bin:/w/pp:/w/p:/w/./p/x', { keep: 'all', refuseBelow: ['/w/p/'] }, '/w/pp:TRUSTED'],
    ['/a:/b:/a', { keep: 'all' }, '/a:/b:TRUSTED'],
    ['/a', { keep: ['/b'] }, 'TRUSTED'],
  ])('%j with %j', (host, path, expected) => {
    expect(pathOf(host, path)).toBe(expected);
  });

  test('trusted folders keep the order of the host', () => {
    expect(pathOf('/bin:/x', { keep: 'all' })).toBe('/bin:/x:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin');
  });
});

test('Windows: variable names are case-insensitive', () => {
  const host = {
    Path: 'C:\\node;relative;c:\\work\\bin',
    SystemRoot: 'C:\\Windows',
    'ProgramFiles(x86)': 'C:\\P',
    ps4: 'x',
  };
  const path = { keep: 'all', refuseBelow: ['C:\\Work'] } as const;
  const { env } = buildEnvironment({
    ...BASE,
    platform: 'win32',
    host,
    path,
    set: { TEMP: 'D:\\t', systemroot: 'C:\\W' },
  });
  expect(env).toMatchObject({
    Path: expect.stringMatching(/^C:\\node;C:\\Windows\\System32;/),
    TEMP: 'D:\\t',
    systemroot: 'C:\\W',
  });
  expect(Object.keys(env).map((name) => name.toUpperCase())).toHaveLength(
    new Set(Object.keys(env).map((name) => name.toUpperCase())).size,
  );
});

const anyName = fc.oneof(
  fc.constantFrom(...NEVER, ...GIT, ...SECRETS, 'PATH', 'HOME', 'FOO', '__proto__', 'constructor', 'a=b', ''),
  fc.string({ maxLength: 12 }),
);
const variables = fc.dictionary(anyName, fc.oneof(fc.string(), fc.constant('a\0b'), fc.constant('() { :; }; id')));
const anyInputs: fc.Arbitrary<EnvironmentInputs> = fc.record({
  host: variables,
  platform: fc.constant('linux'),
  temporaryFolder: fc.constant('/t/private'),
  keep: fc.array(anyName),
  drop: fc.array(anyName),
  preserveEnvironment: fc.boolean(),
  set: variables,
  request: variables,
});

describe('for any input', () => {
  test('the environment can be passed to a program, and contains nothing that runs automatically', () => {
    fc.assert(
      fc.property(anyInputs, (inputs) => {
        const { env } = buildEnvironment(inputs);
        for (const [name, value] of Object.entries(env)) {
          expect(name).toMatch(/^[A-Za-z_]\w*$/);
          expect(value).not.toContain('\0');
          expect(NEVER).not.toContain(name);
          expect(value).not.toMatch(/^\(\) \{/);
        }
      }),
    );
  });

  test("hardshell's own variables are set unless settings override them, and nothing inherited replaces them", () => {
    fc.assert(
      fc.property(anyInputs, ({ set: _set, request: _request, ...inputs }) => {
        expect(buildEnvironment(inputs).env).toMatchObject(OWN);
      }),
    );
  });

  test('each variable of the host is unchanged, withheld, or was not requested', () => {
    fc.assert(
      fc.property(variables, (host) => {
        const { env, withheld } = buildEnvironment({ ...BASE, host, preserveEnvironment: true });
        for (const [name, value] of Object.entries(host))
          if (!Object.hasOwn(OWN, name))
            expect(Object.hasOwn(env, name) ? env[name] === value : withheld.some((one) => one.name === name)).toBe(
              true,
            );
      }),
    );
  });

  test('the variables of the verdict are in it unchanged', () => {
    fc.assert(
      fc.property(anyInputs, fc.dictionary(fc.stringMatching(/^[A-Z_]{1,9}$/), fc.string()), (inputs, verdict) => {
        expect(buildEnvironment({ ...inputs, verdict }).env).toMatchObject(verdict);
      }),
    );
  });
});

test('bash sees a planted function only in the environment that was not built', () => {
  const host = { 'BASH_FUNC_ls%%': '() { echo planted; }', BASH_ENV: '/dev/null', LS: 'kept' };
  const run = (env: Readonly<Record<string, string>>) =>
    spawnSync('/bin/bash', ['-c', 'type -t ls; echo "$BASH_ENV|$LS"'], { env }).stdout.toString();
  expect(run(host)).toBe('function\n/dev/null|kept\n');
  expect(run(buildEnvironment({ ...BASE, host, preserveEnvironment: true }).env)).toBe('file\n|kept\n');
});
