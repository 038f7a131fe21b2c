// What the sandbox holds on this machine: tried, not claimed.

import { useState } from 'preact/hooks';
import type { Diagnosis } from '../../wire.ts';
import { useLoaded } from '../loading.ts';
import { Sign } from '../parts/badges.tsx';

const GUARANTEE_SIGNS = {
  held: ['good', '✓', 'held'],
  broken: ['deny', '✕', 'BROKEN'],
  missing: ['ask', '–', 'missing'],
  'not-proven': ['ask', '?', 'unproven'],
} as const;
const CHECK_SIGNS = {
  good: ['good', '✓', 'good'],
  note: ['note', 'i', 'note'],
  weaker: ['ask', '–', 'weaker'],
  broken: ['deny', '✕', 'BROKEN'],
} as const;

export function Doctor() {
  const [again, setAgain] = useState(0);
  const { value, problem } = useLoaded<Diagnosis>('doctor', again, { again: again > 0 }).value;
  return (
    <>
      <h1>Doctor</h1>
      {problem !== null && <p class="problem">{problem}</p>}
      {value === null && problem === null && (
        <p class="dim">Trying to escape from the sandbox; this takes a few seconds …</p>
      )}
      {value !== null && <Report diagnosis={value} />}
      {(value !== null || problem !== null) && (
        <button type="button" onClick={() => setAgain(again + 1)}>
          Try again
        </button>
      )}
    </>
  );
}

function Report({ diagnosis: { sandbox, tier, conclusion, guarantees, checks } }: { diagnosis: Diagnosis }) {
  const [kind, sign, word] = CHECK_SIGNS[conclusion];
  return (
    <>
      <p class="line">
        <Sign kind={kind} sign={sign} word={word} />
        <span class="dim">
          sandbox {sandbox}, tier {tier}
        </span>
      </p>
      <div class="columns">
        <section>
          <h2>Guarantees</h2>
          <ul class="guarantees">
            {guarantees.map(({ guarantee, meaning, verdict, why, attempts }) => {
              const [kind, sign, word] = GUARANTEE_SIGNS[verdict];
              return (
                <li key={guarantee}>
                  <Sign kind={kind} sign={sign} word={word} /> {meaning} <span class="dim">{guarantee}</span>
                  {why !== null && <div class="dim">{why}</div>}
                  {attempts.length > 0 && (
                    <details>
                      <summary>
                        {attempts.length} {attempts.length === 1 ? 'attempt' : 'attempts'}
                      </summary>
                      <ul>
                        {attempts.map(({ tried, confined, said }) => (
                          <li key={tried}>
                            {tried}: {confined} <span class="dim">{said}</span>
                          </li>
                        ))}
                      </ul>
                    </details>
                  )}
                </li>
              );
            })}
          </ul>
        </section>
        <section>
          <h2>This machine</h2>
          <ul class="guarantees">
            {checks.map(({ name, state, says, details, fixes }) => {
              const [kind, sign, word] = CHECK_SIGNS[state];
              return (
                <li key={name}>
                  <Sign kind={kind} sign={sign} word={word} /> {name}: {says}
                  {details.map((text) => (
                    <div key={text} class="dim">
                      {text}
                    </div>
                  ))}
                  {fixes.map((text) => (
                    <div key={text} class="instead">
                      <strong>Fix:</strong> {text}
                    </div>
                  ))}
                </li>
              );
            })}
          </ul>
        </section>
      </div>
    </>
  );
}
