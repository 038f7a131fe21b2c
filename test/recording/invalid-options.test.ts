// Readers of the log, settings, profiles and adapters: an option that would match nothing, or everything, is an error.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  auditObserver,
  createAlerts,
  createMetrics,
  followAudit,
  openAudit,
  openAuditReader,
  openRecording,
  queryAudit,
  tailAudit,
  verifyAudit,
} from '../../src/api/audit.ts';
import { profileOf } from '../../src/api/profiles.ts';
import { loadSettings, SETTINGS_VALIDATORS, saveRule } from '../../src/api/settings.ts';
import { createShell } from '../../src/index.ts';
import { aiSdkTools, plainTools } from '../../src/surfaces/adapters/adapters.ts';

let base: string;
let folder: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'hardshell-invalid-'));
  folder = join(base, 'log');
  mkdirSync(folder);
});
afterAll(() => rmSync(base, { recursive: true }));

const error = (message: string, hint?: string) =>
  expect.objectContaining({ message: expect.stringContaining(message), ...(hint === undefined ? {} : { hint }) });

describe('queries', () => {
  test.each<[object, string, string | undefined]>([
    [{ type: 'end' }, 'Unknown option: type.', 'Did you mean types?'],
    [{ types: ['ends'] }, 'types must be one of verdict, answer,', 'Did you mean end?'],
    [{ types: 'end' }, 'types must be a list of record types', undefined],
    [{ since: '2d' }, 'since must be a number of milliseconds since 1970.', undefined],
    [{ until: Number.NaN }, 'until must be a number', undefined],
    [{ verdict: 'denied' }, 'verdict must be one of allow, ask, deny.', undefined],
    [{ risk: 'severe' }, 'risk must be one of low,', undefined],
    [{ path: 'src' }, 'path must be an absolute path.', undefined],
    [{ exit: '1' }, 'exit must be an exit code.', undefined],
  ])('%j', (options, message, hint) => {
    const invalid = error(message, hint);
    expect(() => queryAudit({ folder, ...options })).toThrow(invalid);
    expect(() => tailAudit({ folder, ...options })).toThrow(invalid);
    expect(() => followAudit({ folder, ...options })).toThrow(invalid);
    const reader = openAuditReader({ folder });
    expect(() => reader.query(options)).toThrow(invalid);
    reader.close();
  });

  test.each<[object, string]>([
    [{ order: 'desc' }, 'order must be one of newest, oldest.'],
    [{ limit: '5' }, 'limit must be a number'],
  ])('%j', (options, message) => expect(() => queryAudit({ folder, ...options })).toThrow(error(message)));

  test('a folder that does not exist, unless it is the log of a user who has recorded nothing yet', async () => {
    const missing = join(base, 'nope');
    const invalid = expect.objectContaining({
      code: 'no-such-folder',
      message: `There is no audit log in ${missing}.`,
    });
    expect(() => queryAudit({ folder: missing })).toThrow(invalid);
    expect(() => tailAudit({ folder: missing })).toThrow(invalid);
    const reader = openAuditReader({ folder: missing });
    expect(() => reader.query()).toThrow(invalid);
    reader.close();
    vi.stubEnv('HARDSHELL_STATE_DIR', missing);
    expect(tailAudit()).toEqual([]);
    for await (const record of queryAudit()) expect(record).toBe(null);
    vi.unstubAllEnvs();
  });
});

test('writers', () => {
  expect(() => openAudit({ folder, retentionDay: 5 } as object)).toThrow(
    error('retentionDay', 'Did you mean retentionDays?'),
  );
  expect(() => openAudit({ folder: 'log' })).toThrow(error('folder must be an absolute path.'));
  expect(() => verifyAudit({ folder, keyFolders: base } as object)).toThrow(error('Unknown option: keyFolders.'));
  expect(() => auditObserver(openAudit({ folder }), { whenUnwritable: 'ignore' as 'refuse' })).toThrow(
    error('whenUnwritable must be one of refuse, continue.'),
  );
  expect(() => createMetrics({ program: ['make'] } as object)).toThrow(error('program', 'Did you mean programs?'));
  expect(() => createAlerts({ rules: [{ kind: ['refused'] }] } as object)).toThrow(
    error('Unknown option: rules.kind.'),
  );
  expect(() => openRecording({ cwd: '/', onAlerts: () => {} } as { cwd: string })).toThrow(error('onAlerts'));
});

test('settings', async () => {
  const file = join(base, 'settings.json');
  await expect(
    saveRule(file, 'allow', 'Bash(make)', { ...SETTINGS_VALIDATORS, untl: '2030-01-01' } as typeof SETTINGS_VALIDATORS),
  ).rejects.toThrow(error('Unknown option: untl.'));
  expect(() =>
    loadSettings({ ...SETTINGS_VALIDATORS, cwd: '/', home: null, settingFile: file } as Parameters<
      typeof loadSettings
    >[0]),
  ).toThrow(error('Unknown option: settingFile.', 'Did you mean settingsFile?'));
});

test('profiles and adapters', async () => {
  expect(() => profileOf('claude' as 'req')).toThrow(error('The profile must be one of claude-code, '));
  expect(() => profileOf('layered', { layered: { commandWhitelst: ['ls'] } } as object)).toThrow(
    error('Unknown option: profiles.layered.commandWhitelst.'),
  );
  const shell = createShell({ recording: false });
  await expect(plainTools({ shell, profle: 'req' } as { shell: typeof shell })).rejects.toThrow(error('profle'));
  await expect(aiSdkTools({ shell, approvals: 'none' as 'broker' })).rejects.toThrow(
    error('approvals must be one of framework, broker.'),
  );
  await shell.close();
});
