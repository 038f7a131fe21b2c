// A change of settings by a verb → the audit log. It was made already: what cannot be recorded is said, and nothing else.

import { describeError } from '../../../host/values.ts';
import { recordSettingsChange, type SettingsEntry } from '../../../host.ts';
import { process } from '../process.ts';
import { visible } from '../show/visible.ts';

/** In words: `added Bash(npm test) to allow`. */
export async function noteChange(
  change: string,
  { layer, file, cwd }: Pick<SettingsEntry, 'layer' | 'file'> & { readonly cwd: string },
): Promise<void> {
  try {
    await recordSettingsChange({ layer, file, change }, { cwd });
  } catch (error) {
    const reason = describeError(error);
    process.stderr.write(`hardshell: The change was made, but could not be recorded: ${visible(reason)}\n`);
  }
}
