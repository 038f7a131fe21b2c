// Running commands, in the background and in the foreground of other processes, with their usage; the newest ended tasks.

import type { Sample, Task } from '../../wire.ts';
import { bytes, duration, moment } from '../format.ts';
import { Sign } from '../parts/badges.tsx';
import { ShortText } from '../parts/command-text.tsx';
import { LiveOutput } from '../parts/output.tsx';
import { Sparkline } from '../parts/sparkline.tsx';
import { Stop } from '../parts/stop.tsx';
import { type Running, running, tasks } from '../state.ts';

export function Tasks() {
  const ended = tasks.value.filter(({ state }) => state !== 'running');
  return (
    <>
      <h1>Running</h1>
      {running.value.length === 0 && (
        <p class="empty">
          No commands are running. Commands of every <code>hardshell run</code>, MCP server and library host appear here
          automatically.
        </p>
      )}
      {running.value.map((one) => (
        <RunningCommand key={one.id} running={one} />
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

function Ended({ task: { state, status, exitCode, signal } }: { task: Task }) {
  if (state === 'lost') return <Sign kind="ended" sign="…" word="lost" />;
  if (status === 'timed-out') return <Sign kind="ended" sign="■" word="timed out" />;
  if (status === 'limited') return <Sign kind="ended" sign="■" word="limited" />;
  if (signal !== null) return <Sign kind="ended" sign="■" word={signal} />;
  return exitCode === 0 ? (
    <Sign kind="good" sign="✓" word="exit 0" />
  ) : (
    <Sign kind="ended" sign="!" word={`exit ${exitCode}`} />
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
        least={100}
      />
      <span class="dim">
        {last.processes} {last.processes === 1 ? 'process' : 'processes'}
      </span>
    </div>
  );
}

function RunningCommand({
  running: { id, command, startedAt, samples, outputBytes, where, isOpen },
}: {
  running: Running;
}) {
  return (
    <article
      class="task"
      data-row=""
      data-task={id}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: J and K move between commands
      tabIndex={0}
      aria-label={`Command ${id}`}
    >
      <header>
        <a href={`#/command/${encodeURIComponent(id)}`}>{id}</a>
        <span class="dim">for {duration(Date.now() - startedAt)}</span>
        <span class="dim">{where}</span>
        {isOpen && <span class="dim">{bytes(outputBytes)} of output</span>}
        {isOpen && <Stop task={id} />}
      </header>
      <ShortText text={command} />
      <Meters samples={samples} />
      {isOpen ? (
        <LiveOutput task={id} />
      ) : (
        <p class="dim">
          Its host process does not respond, so it has no output here and cannot be stopped here. Stop it where it was
          started.
        </p>
      )}
    </article>
  );
}
