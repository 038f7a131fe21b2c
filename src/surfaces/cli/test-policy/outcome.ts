// Fixtures × a policy → which cases passed and failed, and which rules no case hit.

import { dirname, resolve } from 'node:path';
import { defined } from '../../../host/values.ts';
import type { Finding, Mode, RuleOrigin, Shell, Verdict } from '../../../host.ts';
import type { Fixture } from './fixtures.ts';
import type { PolicyTools } from './tools.ts';

export interface LoadedFile {
  readonly file: string;
  readonly fixtures: readonly Fixture[];
}

export interface Defaults {
  readonly cwd: string;
  readonly shell: Shell;
  readonly mode?: Mode;
  readonly settingsFile?: string;
}

export interface Outcome {
  readonly file: string;
  readonly fixture: Fixture;
  readonly verdict: Verdict;
  /** `null` if it passed. */
  readonly failure: 'verdict' | 'because' | null;
}

export interface Coverage {
  readonly total: number;
  readonly unhit: readonly RuleOrigin[];
}

export function runFixtures(
  files: readonly LoadedFile[],
  defaults: Defaults,
  { check }: PolicyTools,
): readonly Outcome[] {
  return files.flatMap(({ file, fixtures }) =>
    fixtures.map((fixture) => {
      const place = placeOf(file, fixture, defaults);
      const mode = defaults.mode ?? fixture.mode;
      const { verdict } = check(fixture.command, {
        ...place,
        shell: fixture.shell ?? defaults.shell,
        ...defined({ mode, rules: fixture.rules }),
      });
      return { file, fixture, verdict, failure: judge(fixture, verdict) };
    }),
  );
}

/** Paths in a fixture file are relative to that file, so that it works from every folder; the command line takes precedence. */
function placeOf(file: string, fixture: Fixture, defaults: Defaults): { cwd: string; settingsFile?: string } {
  const beside = (path: string) => resolve(dirname(resolve(file)), path);
  const settingsFile = defaults.settingsFile ?? (fixture.settings === undefined ? undefined : beside(fixture.settings));
  return {
    cwd: fixture.cwd === undefined ? defaults.cwd : beside(fixture.cwd),
    ...defined({ settingsFile }),
  };
}

function judge({ expect, because }: Fixture, { decision, findings }: Verdict): Outcome['failure'] {
  if (decision !== expect) return 'verdict';
  if (because === undefined) return null;
  return findings.some((finding) => mentions(finding, because)) ? null : 'because';
}

function mentions({ id, message, rule }: Finding, text: string): boolean {
  return id === text || message.includes(text) || rule?.text.includes(text) === true;
}

export function measureCoverage(
  files: readonly LoadedFile[],
  defaults: Defaults,
  outcomes: readonly Outcome[],
  { listRules }: PolicyTools,
): Coverage {
  const rules = new Map<string, RuleOrigin>();
  const places = new Map<string, { cwd: string; settingsFile?: string }>();
  for (const { file, fixtures } of files) {
    for (const fixture of fixtures) {
      const place = placeOf(file, fixture, defaults);
      places.set(JSON.stringify(place), place);
    }
  }
  for (const place of places.values()) for (const rule of listRules(place)) rules.set(keyOf(rule), rule);
  const hit = new Set(
    outcomes.flatMap(({ verdict }) => verdict.findings.flatMap(({ rule }) => (rule === null ? [] : [keyOf(rule)]))),
  );
  return { total: rules.size, unhit: [...rules].flatMap(([key, rule]) => (hit.has(key) ? [] : [rule])) };
}

function keyOf({ list, text, layer, file, line }: RuleOrigin): string {
  return JSON.stringify([list, text, layer, file, line]);
}
