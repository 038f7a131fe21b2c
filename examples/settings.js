// Settings are loaded in layers, checked, and changed without losing comments.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings, SETTINGS_VALIDATORS, saveRule, validateSettingsFile } from 'hardshell/settings';

const file = join(mkdtempSync(join(tmpdir(), 'settings-')), 'settings.json');
writeFileSync(file, '{ /* mine */ "mode": "plan" }');
saveRule(file, 'allow', 'Bash(make:*)', SETTINGS_VALIDATORS);
console.log(validateSettingsFile(file, SETTINGS_VALIDATORS).length); // 0
console.log(loadSettings({ cwd: '/', home: null, settingsFile: file, ...SETTINGS_VALIDATORS }).policy.mode); // plan
