// What the output of a task does not say → stderr: stdout is what the task printed.

import type { TaskInfo } from '../../host.ts';
import { process } from './process.ts';
import { visible } from './show/visible.ts';

export function writeNotes({ notes }: Pick<TaskInfo, 'notes'>): void {
  for (const note of notes) process.stderr.write(`hardshell: ${visible(note)}\n`);
}
