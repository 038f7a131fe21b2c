// What one command changed: its files with their diffs, and the buttons that undo, redo, apply or drop it.

import { useRef, useState } from 'preact/hooks';
import type { ActReport, ChangedFileDiff, ChangesAct, ChangesPage } from '../../wire.ts';
import { call, messageOf } from '../connection.ts';
import { moment } from '../format.ts';
import { useLoaded } from '../loading.ts';
import { CommandText, ShortText } from '../parts/command-text.tsx';
import { Counts, FileDiff } from '../parts/diff.tsx';
import { acts, notice } from '../state.ts';

const OPEN_FILES = 10;

const WORDS: Readonly<Record<ChangesAct, { readonly name: string; readonly question: string; readonly kind: string }>> =
  {
    undo: { name: 'Undo', question: 'Put back all files as they were before the command?', kind: 'deny' },
    redo: { name: 'Redo', question: 'Make these changes again?', kind: 'allow' },
    apply: { name: 'Apply', question: 'Let these changes land in the project?', kind: 'allow' },
    drop: { name: 'Drop', question: 'Delete these changes? They cannot be recovered.', kind: 'deny' },
  };
const FINAL = 'Keep these changes and make them final? They can then no longer be undone.';

interface Asked {
  readonly act: ChangesAct;
  readonly force: boolean;
}

export function Changes({ id }: { id: string }) {
  const { value, problem } = useLoaded<ChangesPage>(`changes?${new URLSearchParams({ task: id })}`, acts.value).value;
  if (problem !== null) return <p class="problem">{problem}</p>;
  if (value === null || value.id !== id) return <p class="dim">Reading …</p>;
  return <Page page={value} />;
}

function Page({ page }: { page: ChangesPage }) {
  const { id, state, command, cwd, startedAt, counts, heldBack, isBusy } = page;
  return (
    <>
      <h1>Changes</h1>
      <CommandText text={command} />
      <p class="line">
        <span class={`badge ${state === 'landed' ? 'good' : 'ask'}`}>{state}</span>
        <Counts counts={counts} />
        <span class="dim">
          {moment(startedAt)} in <ShortText text={cwd} />
        </span>
        <a href={`#/command/${encodeURIComponent(id)}`}>{id}</a>
      </p>
      {isBusy && <p class="dim">The command still runs, or another process works on its changes.</p>}
      <Acts page={page} />
      {heldBack.length > 0 && (
        <section aria-label="Held back">
          <h2>Held back, and not in the project</h2>
          <ul>
            {heldBack.map((line) => (
              <li key={line}>
                <ShortText text={line} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <Files page={page} />
    </>
  );
}

function Files({ page }: { page: ChangesPage }) {
  const [more, setMore] = useState<readonly ChangedFileDiff[]>([]);
  const [next, setNext] = useState(page.next);
  const read = async (cursor: number): Promise<void> => {
    try {
      const path = `changes?${new URLSearchParams({ task: page.id, cursor: String(cursor) })}`;
      const part = await call<ChangesPage>(path);
      setMore([...more, ...part.files]);
      setNext(part.next);
    } catch (error) {
      notice.value = messageOf(error);
    }
  };
  const files = [...page.files, ...more];
  if (files.length === 0) return <p class="dim">No content was changed.</p>;
  return (
    <section aria-label="Files">
      {files.map((file, index) => (
        <FileDiff key={`${file.root}/${file.path}`} file={file} isOpen={index < OPEN_FILES} />
      ))}
      {next !== null && (
        <button type="button" onClick={() => void read(next)}>
          More files
        </button>
      )}
    </section>
  );
}

type Aside = Extract<ActReport, { kind: 'done' }>['aside'];
type Refusal = Extract<ActReport, { kind: 'refused' }>;

function Acts({ page }: { page: ChangesPage }) {
  const { id, state } = page;
  const dialog = useRef<HTMLDialogElement>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [aside, setAside] = useState<Aside>([]);
  const [isActing, setActing] = useState(false);
  const ask = (act: ChangesAct, force: boolean): void => {
    setAsked({ act, force });
    dialog.current?.showModal();
  };
  const perform = async ({ act, force }: Asked): Promise<void> => {
    dialog.current?.close();
    setActing(true);
    setRefusal(null);
    setAside([]);
    try {
      const report = await call<ActReport>('act', { act, id, ...(force ? { force } : {}) });
      if (report.kind === 'refused') setRefusal(report);
      else {
        notice.value = `${WORDS[act].name}: done, the changes are ${report.state}.`;
        setAside(report.aside);
      }
      if (report.unrecorded !== null) notice.value = `This could not be recorded: ${report.unrecorded}`;
    } catch (error) {
      notice.value = messageOf(error);
    } finally {
      setActing(false);
    }
  };
  return (
    <>
      <div class="acts">
        {page.acts.map((act) => (
          <button key={act} type="button" class={WORDS[act].kind} disabled={isActing} onClick={() => ask(act, false)}>
            {WORDS[act].name}
          </button>
        ))}
      </div>
      {refusal !== null && <Refused refusal={refusal} id={id} onForce={(act) => ask(act, true)} />}
      {aside.length > 0 && (
        <ul class="aside" aria-label="Newer files">
          {aside.map(({ path, movedTo }) => (
            <li key={path}>
              <ShortText text={path} /> was newer, and is now <ShortText text={movedTo} />
            </li>
          ))}
        </ul>
      )}
      <dialog class="confirm" ref={dialog} aria-label="Are you sure?">
        {asked !== null && (
          <>
            <p>{asked.act === 'drop' && state !== 'held' ? FINAL : WORDS[asked.act].question}</p>
            {asked.force && (
              <p>The newer files are moved to a folder of the stage first; their new place is shown afterwards.</p>
            )}
            <p class="line">
              <button type="button" class={WORDS[asked.act].kind} onClick={() => void perform(asked)}>
                {asked.force ? `${WORDS[asked.act].name} anyway` : WORDS[asked.act].name}
              </button>
              <button type="button" onClick={() => dialog.current?.close()}>
                Cancel
              </button>
            </p>
          </>
        )}
      </dialog>
    </>
  );
}

function Refused({ refusal, id, onForce }: { refusal: Refusal; id: string; onForce: (act: ChangesAct) => void }) {
  const { message, hint, next, conflicts } = refusal;
  return (
    <div class="problem" role="alert">
      <p>{message}</p>
      {conflicts.length > 0 && (
        <ul>
          {conflicts.map((path) => (
            <li key={path}>
              <ShortText text={path} />
            </li>
          ))}
        </ul>
      )}
      {hint !== null && <p>{hint}</p>}
      {next?.force === true && (
        <p>
          Newer files can be kept aside:{' '}
          <button type="button" class="deny" onClick={() => onForce(next.act)}>
            {WORDS[next.act].name} anyway …
          </button>
        </p>
      )}
      {next?.force === false && next.id !== id && (
        <p>
          {WORDS[next.act].name} this one first: <a href={`#/changes/${encodeURIComponent(next.id)}`}>{next.id}</a>
        </p>
      )}
    </div>
  );
}
