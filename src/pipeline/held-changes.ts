// A command that has ended with held changes → the question whether they land, with the changes themselves instead of a
// guess. Only a person's no drops them; without an answer they stay held.

import { join } from 'node:path';
import type { Answer, EditPreview } from '../core/approval.ts';
import type { RunChanges, RunResult } from '../core/running.ts';
import { defined } from '../core/values/defined.ts';
import { describeError } from '../core/values/error-text.ts';
import type { Finding } from '../core/verdict.ts';
import { secretTable } from '../decide/paths/tables/secret-paths.ts';
import { openStages, type StagedCommands } from '../stage/stages.ts';
import type { Run } from './run.ts';

const MAX_FILES = 20;
/** These can only deny, and are no answer of a person. */
const NOBODY: ReadonlySet<Answer['by']> = new Set(['timeout', 'cancelled', 'nobody', 'closed', 'too-many', 'too-long']);

export async function askToApply(result: RunResult, run: Run): Promise<RunResult> {
  const { changes, status } = result;
  const { terms, analyzed, observed, feed } = run;
  if (!terms.questions.asksToApply || changes?.state !== 'held' || status === 'running') return result;
  const stages = openStages();
  try {
    const edits = previewChanges(await stages.diff(changes.id), terms.home);
    feed.emit({ type: 'status', status: 'asking', pid: null });
    const { timeoutMs } = terms.questions;
    const answer = await analyzed.broker.ask(
      {
        command: terms.text,
        display: result.display,
        cwd: terms.cwd,
        session: terms.session,
        user: terms.user,
        profile: terms.profile,
        caller: terms.caller,
        risk: 'medium',
        findings: [describe(changes)],
        suggestions: [],
        effects: null,
        edits,
      },
      { ...(timeoutMs === null ? {} : { timeout: timeoutMs }), ...defined({ signal: terms.signal }) },
    );
    await observed.answer(answer);
    return withMeaning(result, await settle(stages, changes, answer));
  } catch (error) {
    return withMeaning(result, { changes, said: `Its changes are held: ${describeError(error)}` });
  }
}

interface Settled {
  readonly changes: RunChanges;
  readonly said: string;
}

async function settle(stages: StagedCommands, changes: RunChanges, { verdict, by, reason }: Answer): Promise<Settled> {
  const { id } = changes;
  if (verdict === 'deny' && NOBODY.has(by))
    return { changes, said: `Its changes are held: no one answered. The user can apply them: hardshell apply ${id}` };
  const verb = verdict === 'allow' ? 'apply' : 'drop';
  const { kind, conflicts } = await stages[verb](id);
  if (kind !== 'done')
    return { changes, said: `Its changes are still held: ${conflicts[0] ?? 'another process'} is in the way.` };
  if (verb === 'apply')
    return { changes: { ...changes, state: 'landed' }, said: 'Its changes were held, and the user applied them.' };
  const because = reason === null ? '' : ` ${reason}`;
  return {
    changes: { ...changes, state: 'dropped' },
    said: `Its changes were held, and the user dropped them: nothing was changed.${because}`,
  };
}

function withMeaning(result: RunResult, { changes, said }: Settled): RunResult {
  const meaning = result.meaning === null ? said : `${result.meaning} ${said}`;
  return { ...result, changes, meaning, isError: result.isError || changes.state === 'dropped' };
}

function describe({ created, changed, deleted, heldBack }: RunChanges): Finding {
  const parts = [`${deleted} files deleted`, `${changed} changed`, `${created} created`];
  const back = heldBack.length === 0 ? '' : ` ${heldBack.length} more cannot land.`;
  return {
    id: 'held-changes',
    layer: 'sandbox',
    verdict: 'ask',
    severity: 'medium',
    message: `The command has run, and its changes are held: ${parts.join(', ')}.${back} Yes applies them, no drops them.`,
    instead: null,
    span: null,
    command: null,
    rule: null,
    confidence: null,
  };
}

/** The question may be sent to other programs: secrets are only named. */
function previewChanges(diffs: Awaited<ReturnType<StagedCommands['diff']>>, home: string | null): EditPreview[] {
  const previews: EditPreview[] = [];
  for (const { root, path, lines } of diffs) {
    if (previews.length === MAX_FILES) {
      previews.push({ file: 'more files', diff: null, why: 'not shown' });
      break;
    }
    const file = join(root, path);
    const isSecret = secretTable().find(file, home) !== null;
    const text = Buffer.from(lines.slice(1).join('\n'), 'latin1').toString('utf8');
    previews.push(isSecret ? { file, diff: null, why: 'the file is secret' } : { file, diff: text, why: null });
  }
  return previews;
}
