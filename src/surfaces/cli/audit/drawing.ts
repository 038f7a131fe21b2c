// A record → one line for a person: when, what, its verdict or end, the task, and the command.

import type { AuditRecord, RecordedChanges } from '../../../api/audit.ts';
import { answeredBy } from '../show/phrases.ts';
import type { Terminal } from '../show/terminal.ts';
import { columns, fitColumns, visible } from '../show/visible.ts';

const KIND_WIDTH = 9;
const MAX_NOTE = 28;
const MIN_NOTE = 16;
const TASK_WIDTH = 11;
/** So that a narrow terminal shows more of the command than of the note. */
const WANTED_COMMAND = 30;
const MIN_COMMAND = 16;

/** Only lines for a terminal are cut, to its width. */
export function drawRecord(record: AuditRecord, terminal: Terminal): string {
  const { colors, glyphs, width, isTerminal } = terminal;
  const { kind, note, command, tone } = describe(record);
  const fitted = (text: string, room: number) => (isTerminal ? fitColumns(text, room, glyphs.ellipsis) : text);
  const head = `${localTime(record.at)}  `;
  const task = `${pad('task' in record && record.task !== null ? visible(record.task) : '', TASK_WIDTH)}  `;
  const taken = columns(head) + columns(task) + KIND_WIDTH + 4;
  const noteWidth = Math.min(MAX_NOTE, Math.max(MIN_NOTE, width - taken - WANTED_COMMAND));
  const words = `${pad(kind, KIND_WIDTH)}  ${pad(fitted(visible(note), noteWidth), noteWidth)}  `;
  const room = Math.max(MIN_COMMAND, width - columns(head) - columns(words) - columns(task));
  const paint = { bad: colors.red, doubt: colors.yellow, good: colors.green, plain: (text: string) => text }[tone];
  return `${colors.dim(head)}${paint(words)}${colors.dim(task)}${fitted(visible(command), room)}`.trimEnd();
}

type Tone = 'bad' | 'doubt' | 'good' | 'plain';

interface Description {
  readonly kind: string;
  readonly note: string;
  readonly command: string;
  readonly tone: Tone;
}

const VERDICT_TONES = { allow: 'good', ask: 'doubt', deny: 'bad' } as const;

export function describe(record: AuditRecord): Description {
  switch (record.type) {
    case 'verdict': {
      const { verdict, risk, findings, command } = record;
      const decisive = findings.find((finding) => finding.verdict === verdict && verdict !== 'allow');
      const note = decisive === undefined ? `${risk} risk` : `${risk} risk, ${decisive.id}`;
      return { kind: verdict, note, command, tone: VERDICT_TONES[verdict] };
    }
    case 'answer': {
      const { verdict, by, scope, command } = record;
      const note = verdict === 'allow' ? `yes (${answeredBy(by)}), ${scope}` : `no (${answeredBy(by)})`;
      return { kind: 'answer', note, command, tone: VERDICT_TONES[verdict] };
    }
    case 'start': {
      const { pid, enforcement, command } = record;
      return { kind: 'start', note: `${pid}, sandbox ${enforcement?.tier ?? 'none'}`, command, tone: 'plain' };
    }
    case 'end': {
      const { status, exit, signal, usage, changes, command } = record;
      const how = exit === null ? signal : `exit ${exit}`;
      const time = usage === null ? null : seconds(usage.wallMs);
      const tone = status === 'denied' || status === 'failed' ? 'bad' : exit === 0 ? 'good' : 'plain';
      const note = joined(how, time, changes === undefined ? null : describeChanges(changes));
      return { kind: status === 'exited' ? 'end' : status, note, command, tone };
    }
    case 'violation':
      return { kind: 'violation', note: `${record.operation} ${record.target}`, command: record.command, tone: 'bad' };
    case 'operation': {
      const { operation, target, command } = record;
      return { kind: 'operation', note: `${operation} ${target}`, command, tone: 'plain' };
    }
    case 'changes': {
      const { act, by, outcome, why, command } = record;
      const note = outcome === 'done' ? `done (${by})` : `${outcome} (${by})${why === null ? '' : `, ${why}`}`;
      return { kind: act, note, command, tone: outcome === 'done' ? 'plain' : 'doubt' };
    }
    case 'settings':
      return { kind: 'settings', note: record.layer ?? 'other', command: record.change, tone: 'doubt' };
    case 'false-positive':
      return { kind: 'false-positive', note: record.finding, command: record.command, tone: 'plain' };
    case 'torn':
      return { kind: 'torn line', note: `${record.bytes} bytes`, command: `kept in ${record.file}`, tone: 'doubt' };
    case 'lost':
      return {
        kind: 'lost lines',
        note: `up to ${record.expected.n}`,
        command: 'see hardshell audit verify',
        tone: 'bad',
      };
    case 'pruned':
      return { kind: 'pruned', note: `up to ${record.through.n}`, command: 'deleted by retention', tone: 'plain' };
    default:
      return { kind: visible(String((record as { type: unknown }).type)), note: '', command: '', tone: 'plain' };
  }
}

/** `+1 ~2 -1`: created, changed, deleted. */
function describeChanges({ created, changed, deleted, heldBack, state }: RecordedChanges): string {
  const counts = Object.entries({ '+': created, '~': changed, '-': deleted }).filter(([, count]) => count > 0);
  const files = counts.map(([sign, count]) => `${sign}${count}`).join(' ');
  const held = heldBack > 0 ? `${heldBack} held back` : '';
  return [`${files}${state === 'landed' ? '' : ` ${state}`}`, held].filter((part) => part.trim() !== '').join(', ');
}

function joined(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null).join(', ');
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}

function localTime(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - columns(text)));
}
