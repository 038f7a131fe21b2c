// The folder of a call that names none. Only the entry points of the API ask for it.

import { HardshellError } from '../core/errors.ts';

export function currentFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw new HardshellError('no-such-folder', 'The current folder of this process no longer exists.', {
      hint: 'Pass a cwd.',
      cause: error,
    });
  }
}
