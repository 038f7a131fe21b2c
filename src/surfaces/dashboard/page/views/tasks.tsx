// What runs in the background, with what it uses, and the newest that ended.

import { useState } from 'preact/hooks';
import type { ForegroundCommand, Sample, Task } from '../../wire.ts';
import { call, messageOf } from '../connection.ts';
import { bytes, duration, moment } from '../format.ts';
import { Sign } from '../parts/badges.tsx';
import { ShortText } from '../parts/command-text.tsx';
import { LiveOutput } from '../parts/output.tsx';
import { Sparkline } from '../parts/sparkline.tsx';
import { foreground, notice, tasks } from '../state.ts';

export function Tasks() {
  const running = tasks.value.filter(({ state }) => state === 'running');
  const ended = tasks.value.filter(({ state }) => state !== 'running');
  return (
    <>
      <h1>Running</h1>
      {foreground.value.map((command) => (
        <WaitedFor key={command.task} command={command} />
      ))}
      {running.length === 0 && foreground.value.length === 0 && (
        <p class="empty">
          Nothing runs now. Start a task in the background one with <code>hardshell run --background COMMAND</code>.
        </p>
      )}
      {running.map((task) => (
        <RunningTask key={task.id} task={task} />
      ))}
      {ended.length > 0 && (
        <>
          <h2>Ended</h2>
          <ul class="rows">
            {ended.map((task) => (
              <li key={task.id}>
                <a data-row="" href={`#/command/${encodeURIComponent(task.id)}`}>
                  <span class="dim">{moment(task.finishedAt ?? task.startedAt)}</span>
                  <Ended task={task} />
                  <ShortText text={task.command} />
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function Ended({ task: { state, exitCode, signal } }: { task: Task }) {
  if (state === 'lost') return <Sign kind="ended" sign="…" word="lost" />;
  if (signal !== null) return <Sign kind="ended" sign="■" word={signal} />;
  return exitCode === 0 ? (
    <Sign kind="good" sign="✓" word="exit 0" />
  ) : (
    <Sign kind="ended" sign="!" word={`exit ${exitCode}`} />
  );
}

function WaitedFor({ command: { task, command, startedAt, session, samples } }: { command: ForegroundCommand }) {
  return (
    <article
      class="task"
      data-row=""
      data-task={task}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: J and K move between tasks
      tabIndex={0}
      aria-label={`Command ${task}`}
    >
      <header>
        <a href={`#/command/${encodeURIComponent(task)}`}>{task}</a>
        <span class="dim">for {duration(Date.now() - startedAt)}</span>
        <span class="dim">
          in the foreground{session === null ? '' : ` of session ${session}`}: whoever started it gets its output
        </span>
      </header>
      <ShortText text={command} />
      <Meters samples={samples} />
    </article>
  );
}

function Meters({ samples }: { samples: readonly Sample[] }) {
  const last = samples.at(-1);
  if (last === undefined) return null;
  return (
    <div class="meters">
      <Sparkline name="memory" values={samples.map((one) => one.memoryBytes)} shown={bytes(last.memoryBytes)} />
      <Sparkline
        name="processor"
        values={samples.map((one) => one.cpuPercent)}
        shown={`${Math.round(last.cpuPercent)} %`}
      />
      <span class="dim">
        {last.processes} {last.processes === 1 ? 'process' : 'processes'}
      </span>
    </div>
  );
}

function RunningTask({ task }: { task: Task }) {
  const [isStopping, setStopping] = useState(false);
  const stop = async (): Promise<void> => {
    setStopping(true);
    try {
      const { isStopped } = await call<{ isStopped: boolean }>('stop', { task: task.id });
      notice.value = isStopped ? `Stopped ${task.id}.` : `${task.id} had ended already.`;
    } catch (error) {
      notice.value = messageOf(error);
      setStopping(false);
    }
  };
  return (
    <article
      class="task"
      data-row=""
      data-task={task.id}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: J and K move between tasks
      tabIndex={0}
      aria-label={`Task ${task.id}`}
    >
      <header>
        <a href={`#/command/${encodeURIComponent(task.id)}`}>{task.id}</a>
        <span class="dim">for {duration(Date.now() - task.startedAt)}</span>
        <span class="dim">{bytes(task.outputBytes)} of output</span>
        <button type="button" class="deny" disabled={isStopping} onClick={() => void stop()}>
          {isStopping ? 'Stopping …' : 'Stop'}
        </button>
      </header>
      <ShortText text={task.command} />
      <Meters samples={task.samples} />
      <LiveOutput task={task.id} />
    </article>
  );
}
