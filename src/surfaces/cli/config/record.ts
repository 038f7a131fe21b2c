// A change of settings by a verb → the audit log. It has already been made: a recording failure is only reported.

import { describeError } from '../../../host/values.ts';
import { recordSettingsChange, type SettingsEntry } from '../../../host.ts';
import { process } from '../process.ts';
import { visible } from '../show/visible.ts';

/** As text: `added Bash(npm test) to allow`. */
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
