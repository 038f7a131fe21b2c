// Open questions: the command, the reasons, its effects, and the scope of a yes.

import { useEffect, useState } from 'preact/hooks';
import type { Approval, RuleMatches } from '../../wire.ts';
import { answer, choiceOf, setChoice } from '../answers.ts';
import { duration, moment } from '../format.ts';
import { useLoaded } from '../loading.ts';
import { RiskBadge } from '../parts/badges.tsx';
import { CommandText, riskySpans, ShortText } from '../parts/command-text.tsx';
import { Counts } from '../parts/diff.tsx';
import { EffectList } from '../parts/effects.tsx';
import { Findings } from '../parts/findings.tsx';
import { Rows } from '../parts/rows.tsx';
import { approvals, choose, held, isSettled, newest, problems, selected } from '../state.ts';

const SCOPE_WORDS = {
  once: 'this once',
  session: 'for this session',
  project: 'always in this project',
  user: 'always, everywhere',
} as const;

export function Approvals() {
  return (
    <>
      <h1>Waiting for you</h1>
      {problems.value.map((problem) => (
        <p key={problem} class="problem">
          {problem}
        </p>
      ))}
      {approvals.value.length === 0 ? (
        <p class="empty">No open questions. New questions appear here automatically.</p>
      ) : (
        approvals.value.map((approval) => <Question key={approval.longCode} approval={approval} />)
      )}
      {held.value.length > 0 && (
        <section aria-label="Held for review">
          <h2>Held for review</h2>
          <ul class="rows">
            {held.value.map((one) => (
              <li key={one.id}>
                <a data-row="" class="held" href={`#/changes/${encodeURIComponent(one.id)}`}>
                  <span class="dim">{moment(one.at)}</span>
                  <Counts counts={one} />
                  <ShortText text={one.command} />
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
      {newest.value.length > 0 && (
        <section aria-label="Recent commands">
          <h2>Recent commands</h2>
          <Rows rows={newest.value} />
        </section>
      )}
    </>
  );
}

function Question({ approval }: { approval: Approval }) {
  const { request, code, longCode, waiting, askedAt, host } = approval;
  const isSelected = selected.value?.longCode === longCode;
  const choice = choiceOf(approval);
  const mark = () => choose(longCode);
  return (
    <article
      class="question"
      data-row=""
      data-code={code}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: J and K move between questions
      tabIndex={0}
      aria-current={isSelected ? 'true' : undefined}
      aria-label={`Question ${code}`}
      onFocusCapture={mark}
      onPointerDown={mark}
    >
      <header>
        <RiskBadge risk={request.risk} />
        <span class="dim">
          asked at {moment(askedAt)} by process {host.pid}
          {request.session === null ? '' : `, session ${request.session}`}
          {waiting > 1 ? `, ${waiting} requests waiting` : ''}
        </span>
        <Left deadline={approval.deadline} />
      </header>
      <CommandText text={request.command} spans={riskySpans(request.findings, request.command)} />
      {request.description !== undefined && (
        <p class="description">
          The agent says: <ShortText text={request.description} />
        </p>
      )}
      <p class="dim">
        in <ShortText text={request.cwd} />
      </p>
      {request.edits?.map(({ file, diff, why }) => (
        <section key={file}>
          <p>
            Edit of <ShortText text={file} />
            {diff === null || diff === '' ? <span class="dim">: {why ?? 'no line would change'}</span> : ''}
          </p>
          {diff !== null && diff !== '' && <CommandText text={diff} spans={[]} />}
        </section>
      ))}
      <div class="columns">
        <section>
          <h2>Why you are asked</h2>
          <Findings findings={request.findings} isQuestion />
        </section>
        <section>
          <h2>What it would access</h2>
          {request.effects === null ? (
            <p class="dim">The effects are not known.</p>
          ) : (
            <EffectList effects={request.effects} />
          )}
        </section>
      </div>
      <Reach approval={approval} />
      <footer>
        <button type="button" class="allow" disabled={!isSettled.value} onClick={() => void answer(approval, 'allow')}>
          Allow {SCOPE_WORDS[choice.scope]} {isSelected && <kbd>A</kbd>}
        </button>
        <button type="button" class="deny" disabled={!isSettled.value} onClick={() => void answer(approval, 'deny')}>
          Deny {isSelected && <kbd>D</kbd>}
        </button>
        {choice.rule !== null && (
          <span>
            <span class="dim">adds the rule </span>
            <ShortText text={choice.rule} />
          </span>
        )}
      </footer>
    </article>
  );
}

function Left({ deadline }: { deadline: number }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return <span class="dim left">denied automatically in {duration(Math.max(0, deadline - now))}</span>;
}

function Reach({ approval }: { approval: Approval }) {
  const { request, scopes, longCode } = approval;
  const { suggestions } = request;
  const choice = choiceOf(approval);
  const wider = scopes.filter((scope) => scope !== 'once');
  if (suggestions.length === 0 || wider.length === 0)
    return <p class="dim">This is asked each time: no rule can allow it.</p>;
  const rule = choice.rule ?? suggestions[0] ?? '';
  return (
    <fieldset>
      <legend>Allow</legend>
      {(['once', ...wider] as const).map((scope) => (
        <label key={scope}>
          <input
            type="radio"
            name={`scope-${longCode}`}
            checked={choice.scope === scope}
            onChange={() => setChoice(approval, { scope, rule: scope === 'once' ? null : rule })}
          />{' '}
          {SCOPE_WORDS[scope]}
        </label>
      ))}
      {choice.scope !== 'once' && (
        <div class="reach">
          {suggestions.length > 1 && (
            <p class="dim">The command needs all of these rules; an answer adds one of them.</p>
          )}
          {suggestions.map((suggestion) => (
            <label key={suggestion}>
              <input
                type="radio"
                name={`rule-${longCode}`}
                checked={rule === suggestion}
                onChange={() => setChoice(approval, { ...choice, rule: suggestion })}
              />{' '}
              <ShortText text={suggestion} />
            </label>
          ))}
          <Matches code={longCode} rule={rule} />
        </div>
      )}
    </fieldset>
  );
}

function Matches({ code, rule }: { code: string; rule: string }) {
  const { value, problem } = useLoaded<RuleMatches>(`matches?${new URLSearchParams({ code, rule })}`).value;
  if (problem !== null) return <p class="problem">{problem}</p>;
  if (value === null || value.rule !== rule) return <p class="dim">Looking at recent commands …</p>;
  if (value.commands.length === 0)
    return <p class="dim">The rule would have matched none of the last {value.looked} different commands.</p>;
  return (
    <>
      <p class="dim">The rule would have matched these recent commands:</p>
      <ul class="matches">
        {value.commands.map((command) => (
          <li key={command}>
            <ShortText text={command} />
          </li>
        ))}
      </ul>
    </>
  );
}
