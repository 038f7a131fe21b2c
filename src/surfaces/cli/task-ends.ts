// Ends of tasks → the audit log, for verbs that read the log or delete tasks. A failure is only reported.

import { recordTaskEnds } from '../../host/task-ends.ts';
import { describeError } from '../../host/values.ts';
import { process } from './process.ts';
import { visible } from './show/visible.ts';

export async function settleEnds(): Promise<void> {
  try {
    await recordTaskEnds(process.cwd());
  } catch (error) {
    process.stderr.write(`hardshell: The end of a task could not be recorded: ${visible(describeError(error))}\n`);
  }
}
