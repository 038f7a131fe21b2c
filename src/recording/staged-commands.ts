// The changes of staged commands for programs that use the library: what they do with them is recorded.

import { HardshellError } from '../core/errors.ts';
import type { ChangesAct } from '../core/staging.ts';
import { openStages, type StagedCommand, type StagedCommands } from '../stage/stages.ts';
import type { VerbAnswer } from '../stage/verbs.ts';
import { recordAct } from './changes-acts.ts';

/** Those of this user. Holds nothing that must be closed. Each change is recorded in the audit log. */
export function openStagedCommands(): StagedCommands {
  const stages = openStages();
  const act =
    (name: ChangesAct) =>
    async (id: string, options: { readonly force?: boolean } = {}): Promise<VerbAnswer> => {
      const before = await stages.get(id);
      const answer = await stages[name](id, options);
      const stage = (await stages.get(id)) ?? before;
      if (stage !== null) await recordOrThrow(name, stage, answer, options.force ?? false);
      return answer;
    };
  return { ...stages, apply: act('apply'), drop: act('drop'), undo: act('undo'), redo: act('redo') };
}

async function recordOrThrow(act: ChangesAct, stage: StagedCommand, answer: VerbAnswer, force: boolean): Promise<void> {
  const said =
    answer.kind === 'done'
      ? ({ outcome: 'done' } as const)
      : ({
          outcome: 'refused',
          why: answer.kind === 'busy' ? 'busy' : 'conflict',
          conflicts: answer.conflicts,
        } as const);
  const unrecorded = await recordAct({ act, by: 'program', force }, stage, said);
  if (unrecorded !== null)
    throw new HardshellError('unwritable-audit', `${act} of ${stage.id} could not be recorded: ${unrecorded}`, {
      hint: `Its changes are ${stage.state}.`,
    });
}
