// The tasks of this user, for surfaces that neither decide nor run anything. Loads nothing else.

import type { ShellTool } from '../core/running.ts';
import { pruneOwnFolders } from '../sandbox/own-folders.ts';
import { findFolder, listTasks } from '../tasks/registry.ts';
import { StoredTask } from '../tasks/task.ts';
import { TidiedFolder } from '../tasks/tidied-folder.ts';

export type TaskStore = Pick<ShellTool, 'tasks' | 'task'>;

/** As a shell tool of this user sees them; it holds nothing that must be closed. */
export function openTasks(): TaskStore {
  const folder = new TidiedFolder(undefined, () => pruneOwnFolders(process.env));
  return {
    tasks: async () => listTasks(folder.path()),
    task: async (id) => {
      const found = findFolder(folder.path(), id);
      return found === null ? null : new StoredTask(found, id, null);
    },
  };
}
