// The frame of the page: navigation, connection state, and the open view.

import { useEffect, useRef } from 'preact/hooks';
import { KEYS, showKeys } from './keys.ts';
import { approvals, line, notice, route, running } from './state.ts';
import { Approvals } from './views/approvals.tsx';
import { Changes } from './views/changes.tsx';
import { Command } from './views/command.tsx';
import { Doctor } from './views/doctor.tsx';
import { History } from './views/history.tsx';
import { Plots } from './views/plots.tsx';
import { Policy } from './views/policy.tsx';
import { Tasks } from './views/tasks.tsx';
import { VIEWS } from './views.ts';

export function App() {
  const waiting = approvals.value.length;
  useEffect(() => {
    document.title = waiting === 0 ? 'hardshell' : `(${waiting}) hardshell`;
  }, [waiting]);
  const { view } = route.value;
  return (
    <>
      <header class="top">
        <nav aria-label="Views">
          <strong class="name">hardshell</strong>
          {VIEWS.map(({ id, name }) => (
            <a key={id} href={`#/${id}`} aria-current={view === id ? 'page' : undefined}>
              {name}
              <Count view={id} />
            </a>
          ))}
        </nav>
        <Status />
      </header>
      <main>
        <p class="notice" role="status">
          {notice.value}
        </p>
        {line.value.is === 'out' ? <Outside why={line.value.why} /> : <View />}
      </main>
      <KeyHelp />
    </>
  );
}

function Count({ view }: { view: string }) {
  const count = view === 'approvals' ? approvals.value.length : view === 'tasks' ? running.value.length : 0;
  return count === 0 ? null : <span class="count">{count}</span>;
}

function Status() {
  const { value } = line;
  if (value.is === 'open')
    return (
      <span class="status">
        <span aria-hidden="true">●</span> live{' '}
        <button type="button" class="plain" onClick={() => showKeys()}>
          <kbd>?</kbd> keys
        </button>
      </span>
    );
  return (
    <span class="status lost" role="alert">
      <span aria-hidden="true">○</span> {value.is === 'out' ? 'no access' : value.why}
    </span>
  );
}

function View() {
  const { view, argument } = route.value;
  switch (view) {
    case 'approvals':
      return <Approvals />;
    case 'tasks':
      return <Tasks />;
    case 'history':
      return <History />;
    case 'command':
      return <Command key={argument} task={argument} />;
    case 'changes':
      return <Changes key={argument} id={argument} />;
    case 'plots':
      return <Plots />;
    case 'policy':
      return <Policy />;
    case 'doctor':
      return <Doctor />;
    default:
      return <p class="empty">No such view.</p>;
  }
}

function Outside({ why }: { why: string }) {
  return (
    <>
      <h1>This browser has no access</h1>
      <p>{why}</p>
    </>
  );
}

function KeyHelp() {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <dialog class="keys" ref={dialog} aria-label="Keys">
      <h2>Keys</h2>
      <dl>
        {KEYS.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  );
}
