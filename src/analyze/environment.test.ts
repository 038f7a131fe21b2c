import { expect, test } from 'vitest';
import { environmentRisk } from './environment.ts';

test.each([
  'LD_PRELOAD',
  'LD_LIBRARY_PATH',
  'DYLD_INSERT_LIBRARIES',
  'BASH_ENV',
  'ENV',
  'BASH_FUNC_ls%%',
  'PATH',
  'IFS',
  'PS4',
  'PROMPT_COMMAND',
  'GIT_EXTERNAL_DIFF',
  'GIT_SSH_COMMAND',
  'GIT_CONFIG_COUNT',
  'PAGER',
  'MANPAGER',
  'GH_PAGER',
  'EDITOR',
  'GIT_EDITOR',
  'VISUAL',
  'BROWSER',
  'LESSOPEN',
  'NODE_OPTIONS',
  'PYTHONPATH',
  'PYTHONSTARTUP',
  'PERL5OPT',
  'PERL5LIB',
  'RUBYOPT',
  'JAVA_TOOL_OPTIONS',
  'RUSTC_WRAPPER',
  'CARGO_BUILD_RUSTC',
  'GOFLAGS',
  'MAKEFLAGS',
  'CC',
  'TAR_OPTIONS',
  'RIPGREP_CONFIG_PATH',
  'KUBECONFIG',
  'DOCKER_HOST',
  'HTTP_PROXY',
  'https_proxy',
  'HOME',
  'XDG_CONFIG_HOME',
  'npm_config_script_shell',
  'SHELLOPTS',
])('%s can make a program run something else', (name) => {
  expect(environmentRisk(name, 'x')).toBe('executes');
});

test.each([
  'LANG',
  'LC_ALL',
  'TZ',
  'NO_COLOR',
  'FORCE_COLOR',
  'CI',
  'NODE_ENV',
  'RUST_BACKTRACE',
  'COLUMNS',
  'GIT_TERMINAL_PROMPT',
])('%s is harmless', (name) => {
  expect(environmentRisk(name, 'x')).toBe('harmless');
});

test('some are harmless with one value only', () => {
  expect(environmentRisk('GIT_PAGER', 'cat')).toBe('harmless');
  expect(environmentRisk('GIT_PAGER', './x')).toBe('executes');
  expect(environmentRisk('GIT_PAGER', null)).toBe('executes');
});

test('nobody vouches for a name that is not known', () => {
  expect(environmentRisk('FOO', '1')).toBe('unknown');
});
