// Settings are loaded in layers, checked, and changed without losing comments.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings, SETTINGS_VALIDATORS, saveRule, validateSettingsFile } from 'hardshell/settings';

const file = join(mkdtempSync(join(tmpdir(), 'settings-')), 'settings.json');
writeFileSync(file, '{ /* mine */ "mode": "plan" }');
const { changed } = await saveRule(file, 'allow', 'Bash(make:*)', SETTINGS_VALIDATORS);
console.log(changed); // true
console.log(validateSettingsFile(file, SETTINGS_VALIDATORS).length); // 0
const { mode, rules } = loadSettings({ cwd: '/', home: null, settingsFile: file, ...SETTINGS_VALIDATORS }).policy;
console.log(mode, rules.at(-1).text); // plan Bash(make:*)
