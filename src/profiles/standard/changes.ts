// `task_changes`, `undo_changes` and the like: what staged commands of this session changed, and undoing it.
// Only the session's own commands exist for them, and nothing is forced.

import type { ChangesAct, StagingTool } from '../../core/staging.ts';
import { describeCounts } from '../../core/values/changes-text.ts';
import type { Calling, ProfileTool, SessionChanges, SessionCommand, ToolAnswer } from '../profile.ts';
import { answer, createTool, ONLY_LOOKS, objectSchema } from '../shared/call.ts';
import type { Fields } from '../shared/input.ts';

const PAGE_CHARACTERS = 30_000;
const MAX_LINE = 2_000;
const MAX_LISTED = 50;

const ID = { type: 'string', minLength: 1, description: 'The id of changes in the result of the command.' };
const ERROR = { type: 'string', description: 'What is wrong with the request.' };
const count = { type: 'integer' };

const refuse = (problem: string) => answer(problem, { error: problem }, true);

/** The changes of the session if this tool is allowed, or why not. */
function openFor(tool: StagingTool, { changes }: Calling): SessionChanges | string {
  if (changes === undefined) return 'Staged changes are not available here.';
  if (!changes.allowed().has(tool)) return `The settings do not allow this tool (stagingTools.${tool}).`;
  return changes;
}

const noSuch = (id: unknown) =>
  refuse(`No staged changes of a command of this session: ${JSON.stringify(id)}. List them with task_changes.`);

const TASK_CHANGES: ProfileTool = createTool({
  name: 'task_changes',
  title: 'Show what a command changed',
  stagingTool: 'changes',
  inputSchema: objectSchema({
    id: { ...ID, description: `${ID.description} Without it, the commands of this session are listed.` },
    view: {
      type: 'string',
      enum: ['diff', 'files'],
      default: 'diff',
      description: 'diff: a unified diff. files: only the names, with added and removed lines.',
    },
    path: { type: 'string', description: 'Only this file, or the files in this folder: absolute.' },
    cursor: {
      type: 'integer',
      minimum: 0,
      default: 0,
      description: 'Where to continue reading: the cursor of the previous answer.',
    },
  }),
  outputSchema: objectSchema({
    commands: { type: 'array', items: { type: 'object' }, description: 'without id: id, state, counts and command' },
    id: { type: 'string' },
    state: { type: 'string', description: 'landed: in the project. held: waits for the user. undone' },
    created: count,
    changed: count,
    deleted: count,
    held_back: { type: 'array', items: { type: 'object' }, description: 'what did not land, and why' },
    text: { type: 'string', description: 'this part of the diff, or of the list of files' },
    cursor: { ...count, description: 'where to continue reading' },
    at_end: { type: 'boolean' },
    error: ERROR,
  }),
  annotations: ONLY_LOOKS,
  describe: () =>
    'Shows what a command of this session created, changed and deleted in the project, as a diff or as a list of files. Only for commands whose result has changes. Long answers come in parts: continue with cursor.',
  perform: async ({ id, view = 'diff', path, cursor = 0 }, calling) => {
    const changes = openFor('changes', calling);
    if (typeof changes === 'string') return refuse(changes);
    if (id === undefined) return listCommands(await changes.list());
    const stage = await changes.get(id as string);
    if (stage === null) return noSuch(id);
    return showChanges(changes, stage, {
      view: view as View,
      path: path as string | undefined,
      cursor: cursor as number,
    });
  },
  refuse,
});

function listCommands(commands: readonly SessionCommand[]): ToolAnswer {
  const shown = commands.slice(0, MAX_LISTED);
  const lines = shown.map(
    (each) => `${each.id}  ${each.state}  ${describeCounts(each) ?? 'nothing'}  ${cut(each.command, 200)}`,
  );
  const more = commands.length > shown.length ? [`and ${commands.length - shown.length} older ones`] : [];
  const text = lines.length === 0 ? 'No command of this session has staged changes.' : [...lines, ...more].join('\n');
  return answer(text, {
    commands: shown.map(({ id, state, created, changed, deleted, command }) => ({
      id,
      state,
      created,
      changed,
      deleted,
      command: cut(command, MAX_LINE),
    })),
  });
}

type View = 'diff' | 'files';

interface Asked {
  readonly view: View;
  readonly path: string | undefined;
  readonly cursor: number;
}

async function showChanges(changes: SessionChanges, stage: SessionCommand, asked: Asked): Promise<ToolAnswer> {
  const { id, state, created, changed, deleted, heldBack } = stage;
  const lines =
    asked.view === 'files' ? fileLines(stage, await changes.diff(id), asked) : diffLines(await changes.diff(id), asked);
  const page = readPage(lines, asked.cursor);
  const counts = `${id}: ${describeCounts(stage) ?? 'nothing changed'}, ${state}`;
  const rest = page.isAtEnd ? '' : `; continue with cursor ${page.cursor}`;
  const held = heldBack.slice(0, MAX_LISTED).map(({ path, change, why, detail }) => ({ path, change, why, detail }));
  const notes = asked.cursor === 0 ? held.map(({ path, why }) => `[held back (${why}): ${shownPath(path)}]`) : [];
  return answer([page.text, ...notes, `[${counts}${rest}]`].filter((part) => part !== '').join('\n'), {
    id,
    state,
    created,
    changed,
    deleted,
    held_back: held,
    text: page.text,
    cursor: page.cursor,
    at_end: page.isAtEnd,
  });
}

type Diffs = Awaited<ReturnType<SessionChanges['diff']>>;

function isWanted(path: string, wanted: string | undefined): boolean {
  return wanted === undefined || path === wanted || path.startsWith(`${wanted.replace(/\/+$/, '')}/`);
}

function* diffLines(diffs: Diffs, { path: wanted }: Asked): Generator<string> {
  for (const { path, lines } of diffs) if (isWanted(path, wanted)) yield* lines;
}

function* fileLines({ files }: SessionCommand, diffs: Diffs, { path: wanted }: Asked): Generator<string> {
  const kinds = new Map(files.map(({ path, change }) => [path, change]));
  for (const { path, lines } of diffs) {
    if (!isWanted(path, wanted)) continue;
    const body = lines.slice(lines.findIndex((line) => line.startsWith('@@')) + 1);
    const [added, removed] = ['+', '-'].map((sign) => body.filter((line) => line.startsWith(sign)).length);
    const hunk = lines.some((line) => line.startsWith('@@'));
    yield `${kinds.get(path) ?? 'changed'}  ${shownPath(path)}${hunk ? `  +${added} -${removed}` : ''}`;
  }
}

/** By lines: a page ends before the line that does not fit. */
function readPage(lines: Iterable<string>, from: number): { text: string; cursor: number; isAtEnd: boolean } {
  const taken: string[] = [];
  let [at, size] = [0, 0];
  for (const line of lines) {
    at += 1;
    if (at <= from) continue;
    const shown = cut(line, MAX_LINE);
    if (taken.length > 0 && size + shown.length > PAGE_CHARACTERS)
      return { text: taken.join('\n'), cursor: at - 1, isAtEnd: false };
    taken.push(shown);
    size += shown.length + 1;
  }
  return { text: taken.join('\n'), cursor: Math.max(at, from), isAtEnd: true };
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)} … (${text.length - limit} more characters)`;
}

/** One line, whatever its name contains. */
function shownPath(path: string): string {
  return path.replace(/\p{Cc}/gu, '?');
}

interface Act {
  readonly act: ChangesAct;
  readonly title: string;
  readonly description: string;
}

const ACTS: readonly Act[] = [
  {
    act: 'undo',
    title: 'Undo what a command changed',
    description:
      'Puts back the files that a command of this session created, changed or deleted. Refused if they were changed since; undo several commands from the last to the first.',
  },
  {
    act: 'redo',
    title: 'Make undone changes again',
    description: 'Makes the undone changes of a command of this session again, without running it.',
  },
  {
    act: 'apply',
    title: 'Apply held changes',
    description: 'Lets the held changes of a command of this session land in the project.',
  },
  {
    act: 'drop',
    title: 'Drop changes',
    description:
      'Deletes the held changes of a command of this session; changes that landed stay, and can no longer be undone.',
  },
];

export const CHANGES_TOOLS: readonly ProfileTool[] = [TASK_CHANGES, ...ACTS.map(actTool)];

function actTool({ act, title, description }: Act): ProfileTool {
  return createTool({
    name: `${act}_changes`,
    title,
    stagingTool: act,
    inputSchema: objectSchema({ id: ID }, ['id']),
    outputSchema: objectSchema({
      id: { type: 'string' },
      done: { type: 'boolean' },
      state: { type: 'string' },
      reason: { type: 'string', description: 'why it was refused, and what to do' },
      error: ERROR,
    }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    describe: () => description,
    perform: (input, calling) => perform(act, input, calling),
    refuse,
  });
}

async function perform(act: ChangesAct, { id }: Fields, calling: Calling): Promise<ToolAnswer> {
  const changes = openFor(act, calling);
  if (typeof changes === 'string') return refuse(changes);
  const { shell, session } = calling;
  if (shell.policy(session.complete()).mode === 'plan')
    return refuse('The mode is plan: nothing may be changed. Ask the user.');
  const stage = await changes.get(id as string);
  if (stage === null) return noSuch(id);
  const { isDone, text } = await changes.act(act, stage.id);
  const state = (await changes.get(stage.id))?.state ?? 'dropped';
  if (!isDone) return answer(text, { id, done: false, state, reason: text }, true);
  const counts = describeCounts(stage);
  return answer(`${act} of ${stage.id}: done${counts === null ? '' : ` (${counts})`}. ${text}`, {
    id,
    done: true,
    state,
  });
}
