// The rules that hold, with where they stand; and what they say about a command that is typed here. Nothing is run.

import { useEffect, useState } from 'preact/hooks';
import type { PolicyView, Understanding } from '../../wire.ts';
import { call, messageOf } from '../connection.ts';
import { useLoaded } from '../loading.ts';
import { RiskBadge, VerdictBadge } from '../parts/badges.tsx';
import { CommandText, riskySpans, ShortText } from '../parts/command-text.tsx';
import { Findings } from '../parts/findings.tsx';
import { CommandTree } from '../parts/tree.tsx';

const WAIT_MS = 200;

export function Policy() {
  const { value, problem } = useLoaded<PolicyView>('policy').value;
  return (
    <>
      <h1>Policy</h1>
      <Trial />
      {problem !== null && <p class="problem">{problem}</p>}
      {value !== null && <Rules policy={value} />}
    </>
  );
}

function Trial() {
  const [text, setText] = useState('');
  const [tried, setTried] = useState<{ readonly command: string; readonly said: Understanding } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    if (text.trim() === '') return setTried(null);
    const gone = new AbortController();
    const timer = setTimeout(() => {
      call<Understanding>('try', { command: text }, gone.signal).then(
        (said) => {
          setTried({ command: text, said });
          setProblem(null);
        },
        (error) => gone.signal.aborted || setProblem(messageOf(error)),
      );
    }, WAIT_MS);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [text]);
  return (
    <section class="trial">
      <label>
        Try a command: it is checked, not run
        <textarea
          data-search=""
          rows={2}
          spellcheck={false}
          value={text}
          placeholder="git push --force"
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      {problem !== null && <p class="problem">{problem}</p>}
      {tried !== null && (
        <div class="tried" aria-live="polite">
          <p class="line">
            <VerdictBadge verdict={tried.said.verdict.decision} /> <RiskBadge risk={tried.said.verdict.risk} />
          </p>
          <CommandText text={tried.command} spans={riskySpans(tried.said.verdict.findings, tried.command)} />
          <Findings findings={tried.said.verdict.findings} />
          <CommandTree commands={tried.said.commands} />
        </div>
      )}
    </section>
  );
}

function Rules({ policy }: { policy: PolicyView }) {
  const { rules, sources, notices, cwd, mode } = policy;
  return (
    <>
      <p class="dim">
        In effect in <ShortText text={cwd} />, mode {mode}.
      </p>
      {notices.map((one) => (
        <p key={`${one.file} ${one.key} ${one.why}`} class="problem">
          {one.file}:{one.line} {one.key}: {one.why} {one.hint}
        </p>
      ))}
      <h2>Rules</h2>
      {rules.length === 0 ? (
        <p class="empty">No rules: the checks and the mode decide.</p>
      ) : (
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">List</th>
                <th scope="col">Rule</th>
                <th scope="col">From</th>
                <th scope="col">Until</th>
              </tr>
            </thead>
            <tbody>
              {rules.map(({ text, list, origin, until, because }) => (
                <tr key={`${list} ${text} ${origin.file} ${origin.line}`}>
                  <td>
                    <VerdictBadge verdict={list} />
                  </td>
                  <td>
                    <ShortText text={text} />
                    {because !== null && <div class="dim">{because}</div>}
                  </td>
                  <td class="dim">
                    {origin.layer}
                    {origin.file === null ? '' : ` ${origin.file}${origin.line === null ? '' : `:${origin.line}`}`}
                  </td>
                  <td class="dim">{until === null ? '' : new Date(until).toLocaleString()}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <h2>Files, highest precedence first</h2>
      <ul>
        {sources.map(({ layer, file, isThere, isTrusted }) => (
          <li key={file}>
            {layer}: <ShortText text={file} />{' '}
            <span class="dim">
              {isThere ? (isTrusted ? 'read' : 'not trusted: it can only make rules stricter') : 'missing'}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
