// Where Claude Code reads its settings, besides those of the project.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

interface Machine {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The root of machine-wide files; `/` except in tests. */
  readonly root?: string;
}

/** Of the machine's administrator; the strongest first. */
export function claudeManagedFiles(machine: Machine): readonly string[] {
  const folder = managedFolder(machine);
  const parts = join(folder, 'managed-settings.d');
  return [...jsonFilesIn(parts).reverse(), join(folder, 'managed-settings.json')];
}

export function claudeUserFolder(home: string, environment: Machine['environment']): string {
  return environment.CLAUDE_CONFIG_DIR || join(home, '.claude');
}

function managedFolder({ platform, environment, root = '/' }: Machine): string {
  if (platform === 'darwin') return join(root, 'Library/Application Support/ClaudeCode');
  if (platform === 'win32') return join(environment.ProgramFiles ?? 'C:\\Program Files', 'ClaudeCode');
  return join(root, 'etc/claude-code');
}

function jsonFilesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .sort()
    .map((name) => join(folder, name));
}
