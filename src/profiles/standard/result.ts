// A result → the answer fields of hardshell's own tools, and their schema.

import type { RunResult } from '../../core/running.ts';
import { insteadForModel } from '../../core/values/refusal-advice.ts';
import { adviceForModel } from '../../core/values/violation-advice.ts';
import type { ToolAnswer } from '../profile.ts';
import { objectSchema } from '../shared/call.ts';
import type { Fields } from '../shared/input.ts';
import { decisiveFindings, describePlace, describeResult } from '../shared/wording.ts';

const text = (description: string) => ({ type: 'string', description });
const maybe = (type: string, description: string) => ({ type: [type, 'null'], description });
const texts = (description: string) => ({ type: 'array', items: { type: 'string' }, description });

export const RESULT_SCHEMA = objectSchema(
  {
    status: text('exited, signalled, timed-out, cancelled, limited, running, denied, failed or invalid-input'),
    output: text('what the command has written (so far), both streams in order; long output is cut, see truncated'),
    exit_code: maybe('integer', 'null if it did not exit on its own, or is still running'),
    signal: maybe('string', 'the signal that ended it'),
    meaning: maybe('string', 'what the exit code means for this command'),
    is_error: { type: 'boolean', description: 'false for grep without matches, true for a real failure' },
    task_id: maybe('string', 'for task_output, task_input and task_stop; null if nothing is left to read'),
    pid: maybe('integer', 'process and process group id'),
    cwd: text('where the next command starts'),
    truncated: { type: 'boolean' },
    output_file: maybe('string', 'where the whole output is'),
    duration_ms: maybe('integer', 'wall time'),
    violations: {
      type: 'array',
      description: 'what the sandbox refused',
      items: { type: 'object' },
    },
    changes: {
      type: ['object', 'null'],
      description:
        'what it changed, if its changes are staged: id, state (landed: in the project; held: waiting for the user), files, held_back',
    },
    enforcement: objectSchema(
      {
        tier: text('what enforced it'),
        held: texts('guarantees that were enforced'),
        missing: texts('guarantees that were not'),
        apart: text('why it shares no processes or network with other commands'),
      },
      ['tier', 'held', 'missing'],
    ),
    question: {
      type: 'object',
      description: 'the question that it waits for while it runs: code and message',
    },
    reasons: { type: 'array', description: 'why it was denied', items: { type: 'object' } },
    error: { type: ['object', 'null'], description: 'type, message, suggestions' },
  },
  ['status', 'output', 'is_error', 'cwd'],
);

function resultFields(result: RunResult): Fields {
  const { enforcement, failure, outputFile, task, usage, pid } = result;
  return {
    status: result.status,
    output: result.output,
    exit_code: result.exitCode,
    signal: result.signal,
    meaning: result.meaning,
    is_error: result.isError,
    // Output that was shown completely is not kept: its id would refer to nothing.
    task_id: outputFile === null ? null : task,
    pid,
    cwd: result.cwd,
    truncated: result.isTruncated,
    output_file: outputFile,
    duration_ms: usage === null ? null : Math.round(usage.wallMs),
    violations: result.violations.map((violation) => ({ ...violation, instead: adviceForModel(violation) })),
    changes: changesFields(result),
    // Nothing ran, so nothing was enforced.
    ...(result.status === 'denied'
      ? {}
      : {
          enforcement: {
            tier: enforcement.tier,
            held: [...enforcement.held],
            missing: enforcement.missing.map(({ guarantee }) => guarantee),
            ...(enforcement.apart === undefined ? {} : { apart: enforcement.apart }),
          },
        }),
    ...(result.question === undefined ? {} : { question: { ...result.question } }),
    reasons: reasonsOf(result),
    error:
      failure === null ? null : { type: failure.type, message: failure.message, suggestions: [...failure.suggestions] },
  };
}

function changesFields({ changes }: RunResult): Fields | null {
  if (changes === null) return null;
  const { id, state, created, changed, deleted, omitted } = changes;
  return {
    id,
    state,
    created,
    changed,
    deleted,
    files: changes.files.map(({ path, change }) => ({ path, change })),
    omitted,
    held_back: changes.heldBack.map((held) => ({ ...held })),
  };
}

function reasonsOf({ status, verdict }: RunResult): readonly Fields[] {
  if (status !== 'denied') return [];
  return decisiveFindings(verdict).map((finding) => {
    const { id, message, severity, rule } = finding;
    const at = rule === null ? null : { text: rule.text, at: describePlace(rule) };
    return { id, message, severity, instead: insteadForModel(finding), rule: at };
  });
}

/** `canUndo`: the model has the tool for it. */
export function resultAnswer(result: RunResult, { canUndo = false } = {}): ToolAnswer {
  const next =
    result.status === 'running'
      ? `\nRead the rest with task_output {"task_id": "${result.task}"}; end it with task_stop.`
      : '';
  return {
    text: canUndo ? describeResult(result, undefined, undoByTool) + next : describeResult(result) + next,
    data: resultFields(result),
    isError: result.isError,
    image: result.image,
  };
}

const undoByTool = (id: string) => `Undo: undo_changes {"id": "${id}"}`;

export function invalidInput(problem: string, cwd = ''): ToolAnswer {
  return {
    text: problem,
    data: {
      status: 'invalid-input',
      output: '',
      is_error: true,
      cwd,
      error: { type: 'invalid_input', message: problem, suggestions: [] },
    },
    isError: true,
    image: null,
  };
}
