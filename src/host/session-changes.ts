// The staged commands of one session, for the tools of its model: looked at, undone, redone, and more if the settings allow it.

import { type ChangesActor, STAGING_TOOLS, type StagingTool } from '../core/staging.ts';
import type { ProfileTool, SessionChanges } from '../profiles/profile.ts';
import { actOnChanges } from '../recording/changes-acts.ts';
import type { ActProblem } from '../stage/refusals.ts';
import { openStages, type StagedCommand } from '../stage/stages.ts';
import { loadPolicy } from '../terms/settings.ts';

export interface SessionChangesOptions {
  readonly session: string;
  /** The folder whose settings apply. */
  readonly cwd: string;
  readonly settingsFile?: string | undefined;
  readonly by: ChangesActor;
}

const EVERY_FILE = { files: Number.MAX_SAFE_INTEGER };

/** The tools of a profile that the settings allow. */
export function offeredTools(
  tools: readonly ProfileTool[],
  changes: Pick<SessionChanges, 'allowed'>,
): readonly ProfileTool[] {
  const allowed = changes.allowed();
  return tools.filter(({ stagingTool }) => stagingTool === undefined || allowed.has(stagingTool));
}

export function openSessionChanges({ session, cwd, settingsFile, by }: SessionChangesOptions): SessionChanges {
  const stages = openStages();
  const isOwn = (stage: StagedCommand) => stage.session === session && stage.state !== 'dropped';
  const allowed = () => {
    const { stagingTools } = loadPolicy({ cwd, settingsFile });
    return new Set(STAGING_TOOLS.filter((tool) => stagingTools[tool]));
  };
  return {
    allowed,
    list: async () => (await stages.list({ files: 0 })).filter(isOwn),
    async get(id) {
      const found = await stages.get(id, EVERY_FILE);
      return found !== null && isOwn(found) ? found : null;
    },
    async diff(id) {
      return mapDiffs(await stages.diff(id));
    },
    async act(act, id) {
      const outcome = await actOnChanges({ act, id, by });
      const unrecorded = outcome.unrecorded === null ? '' : ` This could not be recorded: ${outcome.unrecorded}`;
      if (outcome.kind === 'done')
        return { isDone: true, text: `Its changes are now ${outcome.stage.state}.${unrecorded}` };
      const own = new Set((await stages.list({ files: 0 })).filter(isOwn).map((stage) => stage.id));
      return {
        isDone: false,
        text: `${outcome.problem.message} ${adviceFor(outcome.problem, own, allowed())}${unrecorded}`,
      };
    },
  };
}

function* mapDiffs(
  diffs: Iterable<{ readonly root: string; readonly path: string; readonly lines: readonly string[] }>,
) {
  for (const { root, path, lines } of diffs)
    yield { path: `${root}/${path}`, lines: lines.map((line) => Buffer.from(line, 'latin1').toString('utf8')) };
}

/** Something that a model can do. */
function adviceFor(
  { code, hint, next }: ActProblem,
  own: ReadonlySet<string>,
  allowed: ReadonlySet<StagingTool>,
): string {
  if (next === null) return code === 'busy' ? (hint ?? '') : `Ask the user.${hint === null ? '' : ` ${hint}`}`;
  const { act, id, force } = next;
  if (!force && allowed.has(act) && own.has(id))
    return code === 'conflict' ? `Call ${act}_changes for ${id} first.` : `${act}_changes is possible.`;
  return `Ask the user to run \`hardshell ${act} ${force ? '--force ' : ''}${id}\`.`;
}
