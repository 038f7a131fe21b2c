// A hook that is installed and switched off in the agent: `--list` and `install` say so, with the file and the line.
// The layers and names are those of Codex 0.166, Claude Code 2.1.325 and Gemini CLI 0.61, tried with the real programs.

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AGENTS } from '../../src/surfaces/cli/install/agents.ts';
import { hashHook } from '../../src/surfaces/cli/install/in-force/codex-trust.ts';
import { whyOff } from '../../src/surfaces/cli/install/list.ts';
import { planInstall } from '../../src/surfaces/cli/install/plan.ts';
import type { Surroundings } from '../../src/surfaces/cli/install/target.ts';

let root: string;
let place: Surroundings;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'hardshell-in-force-')));
  place = { root, home: join(root, 'home'), cwd: join(root, 'repo/sub'), platform: 'linux', environment: {} };
  mkdirSync(place.home);
  mkdirSync(place.cwd, { recursive: true });
  mkdirSync(join(root, 'repo/.git'));
});
afterEach(() => rmSync(root, { recursive: true }));

type Name = 'codex' | 'claude-code' | 'gemini';

function write(file: string, text: string): string {
  const path = join(root, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** Installs the hook for the user, beside what the file holds; Codex gets its trust. */
function why(name: Name, around: Surroundings = place, trustedAs?: string): string | null {
  const agent = AGENTS[name];
  const target = agent.hook?.('user', around);
  if (target === undefined) throw new Error(`${name} has no hook`);
  const read = (file: string): string | null => {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      return null;
    }
  };
  const text = planInstall(target, read(target.file), ['/usr/bin/node', '/opt/hardshell.js', 'hook', name]);
  mkdirSync(dirname(target.file), { recursive: true });
  writeFileSync(target.file, text);
  if (name === 'codex') {
    const [group] = JSON.parse(text).hooks.PreToolUse;
    const config = join(dirname(target.file), 'config.toml');
    const trust = `\n[hooks.state."${trustedAs ?? target.file}:pre_tool_use:0:0"]\ntrusted_hash = "${hashHook(group.matcher, group.hooks[0])}"\n`;
    writeFileSync(config, `${read(config) ?? ''}${trust}`);
  }
  return whyOff(agent, target, text, around);
}

const JSON_ON = '{}';

describe('in force', () => {
  test.each<[Name, string, string]>([
    ['codex', 'home/.codex/config.toml', '[features]\nhooks = true\ncodex_hooks = false\n'],
    ['codex', 'home/.codex/config.toml', '# hooks = false\nmodel = "hooks = false"\n[features]\nother = false\n'],
    ['codex', 'home/.codex/config.toml', 'features = { my-hooks = false, hooks = true }\n'],
    ['claude-code', 'home/.claude/settings.json', '{"disableAllHooks": false}'],
    ['claude-code', 'repo/sub/.claude/settings.json', JSON_ON],
    ['gemini', 'home/.gemini/settings.json', '{"hooksConfig": {"enabled": true, "disabled": ["other"]}}'],
  ])('%s with %s: %s', (name, file, text) => {
    write(file, text);
    expect(why(name)).toBeNull();
  });

  test('a stronger layer that switches them on', () => {
    write('home/.claude/settings.json', '{"disableAllHooks": true}');
    write('repo/sub/.claude/settings.local.json', '{"disableAllHooks": false}');
    write('etc/codex/managed_config.toml', '[features]\nhooks = true\n');
    write('home/.codex/config.toml', '[features]\nhooks = false\n');
    write('etc/gemini-cli/settings.json', '{"hooksConfig": {"enabled": true}}');
    write('home/.gemini/settings.json', '{"hooksConfig": {"enabled": false}}');
    expect([why('claude-code'), why('codex'), why('gemini')]).toEqual([null, null, null]);
  });
});

describe('switched off', () => {
  test.each<[Name, string, string, number, string]>([
    ['codex', 'home/.codex/config.toml', 'model = "x"\n\n[features]\nhooks = false\n', 4, 'features.hooks'],
    ['codex', 'home/.codex/config.toml', '[features]\ncodex_hooks = false\n', 2, 'features.codex_hooks'],
    ['codex', 'home/.codex/config.toml', 'features.hooks = false\n', 1, 'features.hooks'],
    ['codex', 'home/.codex/config.toml', 'features = { a = true, "hooks" = false }\n', 1, 'features.hooks'],
    ['codex', 'repo/sub/.codex/config.toml', '[features]\nhooks = false\n', 2, 'features.hooks'],
    ['codex', 'repo/.codex/config.toml', '[features]\nhooks = false\n', 2, 'features.hooks'],
    ['codex', 'etc/codex/config.toml', '[features]\nhooks = false\n', 2, 'features.hooks'],
    ['codex', 'etc/codex/managed_config.toml', '[features]\nhooks = false\n', 2, 'features.hooks'],
    ['codex', 'etc/codex/requirements.toml', '[features]\nhooks = false\n', 2, 'features.hooks'],
    ['codex', 'etc/codex/requirements.toml', 'allow_managed_hooks_only = true\n', 1, 'allow_managed_hooks_only'],
    ['claude-code', 'home/.claude/settings.json', '{\n  "disableAllHooks": true\n}', 2, 'disableAllHooks'],
    ['claude-code', 'repo/sub/.claude/settings.json', '{"disableAllHooks": true}', 1, 'disableAllHooks'],
    ['claude-code', 'repo/sub/.claude/settings.local.json', '{"disableAllHooks": true}', 1, 'disableAllHooks'],
    ['claude-code', 'etc/claude-code/managed-settings.json', '{"disableAllHooks": true}', 1, 'disableAllHooks'],
    ['claude-code', 'etc/claude-code/managed-settings.d/9.json', '{"disableAllHooks": true}', 1, 'disableAllHooks'],
    [
      'claude-code',
      'etc/claude-code/managed-settings.json',
      '{"allowManagedHooksOnly": true}',
      1,
      'allowManagedHooksOnly',
    ],
    ['gemini', 'home/.gemini/settings.json', '{"hooksConfig":\n {"enabled": false}}', 2, 'hooksConfig.enabled'],
    ['gemini', 'home/.gemini/settings.json', '{"hooksConfig": {"disabled": ["hardshell"]}}', 1, 'hooksConfig.disabled'],
    ['gemini', 'repo/sub/.gemini/settings.json', '{"hooksConfig": {"enabled": false}}', 1, 'hooksConfig.enabled'],
    ['gemini', 'etc/gemini-cli/settings.json', '{"hooksConfig": {"enabled": false}}', 1, 'hooksConfig.enabled'],
    ['gemini', 'etc/gemini-cli/system-defaults.json', '{"hooksConfig": {"enabled": false}}', 1, 'hooksConfig.enabled'],
  ])('%s by %s', (name, file, text, line, key) => {
    const path = write(file, text);
    const said = why(name);
    // The installed entry may stand before it in the same file.
    expect(said).toContain(`\`${key}\` in ${path}:`);
    expect(said).toMatch(
      new RegExp(`:${line} switches hooks off\\. (?:Delete that line|Remove|Ask the administrator)`),
    );
  });

  test('Gemini CLI: files that the environment names', () => {
    const file = write('elsewhere.json', '{"hooksConfig": {"enabled": false}}');
    expect(why('gemini', { ...place, environment: { GEMINI_CLI_SYSTEM_SETTINGS_PATH: file } })).toContain(`${file}:1`);
  });

  test('settings that cannot be read count as off', () => {
    write('repo/sub/.claude/settings.json', '{');
    expect(why('claude-code')).toContain('hardshell cannot tell, because settings of the agent cannot be read');
  });
});

describe('Codex, where the home is a symbolic link', () => {
  // Codex keeps trust by the path that it uses itself: HOME as it is, CODEX_HOME with its links resolved.
  const linked = (): Surroundings => {
    symlinkSync(place.home, join(root, 'link'));
    return { ...place, home: join(root, 'link') };
  };

  test('trust that was given to the other path does not count', () => {
    expect(why('codex', linked(), join(place.home, '.codex/hooks.json'))).toContain('until you trust it');
  });

  test('trust that was given to this path counts', () => {
    expect(why('codex', linked())).toBeNull();
  });

  test('CODEX_HOME is resolved', () => {
    const { home } = linked();
    mkdirSync(join(place.home, '.codex'));
    const around = { ...place, environment: { CODEX_HOME: join(home, '.codex') } };
    expect(why('codex', around, join(place.home, '.codex/hooks.json'))).toBeNull();
  });
});
