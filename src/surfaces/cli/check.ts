// `hardshell check`: may this command run? The exit code is the answer: 0 allow, 1 deny, 3 ask; 2 invalid input.

import {
  type CheckResult,
  HardshellError,
  MODES,
  type Mode,
  type Permission,
  readRules,
  type SettingsNotice,
  type VerdictName,
} from '../../host/deciding.ts';
import { quoteWord } from '../../host/values.ts';
import { type BatchRequest, runBatch } from './batch.ts';
import { createDecider, type Decide, loadFor } from './deciding.ts';
import { EXIT, writeFailure } from './failure.ts';
import { findInputFailure, inheritedVariables, readCommand, readFolder } from './input.ts';
import { SCHEMA_VERSION, toLine, verdictToJson } from './json.ts';
import type { CheckOptions } from './options.ts';
import { plainStdout, print, tell } from './plain-output.ts';
import { process } from './process.ts';
import { answeredBy } from './show/phrases.ts';
import { createTerminal } from './show/terminal.ts';
import { drawVerdict } from './show/verdict.ts';
import { visible } from './show/visible.ts';

const VERDICT_EXIT: Readonly<Record<VerdictName, number>> = { allow: 0, deny: 1, ask: 3 };

export async function checkOne(argument: string | undefined, options: CheckOptions): Promise<number> {
  const cwd = readFolder(options.cwd);
  const command = await readCommand(argument);
  if (!options.json) tellNotices(loadFor(cwd, options).notices);
  const decide = await createDecider(options);
  const { shell, user = null } = options;
  const question = { command, cwd, shell, variables: inheritedVariables(), user };
  const checked = decide(question);
  if (options.ask && checked.verdict.decision === 'ask' && findInputFailure(checked.facts) === null) {
    const { askPeople } = await import('./ask.ts');
    return showAnswer(await askPeople(question, options), options);
  }
  const failure = findInputFailure(checked.facts);
  if (options.json) {
    const error = failure === null ? {} : { error: failure };
    print(toLine({ schemaVersion: SCHEMA_VERSION, ...error, ...verdictToJson(checked.verdict) }));
  } else if (failure === null) {
    const lines = drawVerdict(checked.facts, checked.verdict, createTerminal(options, process.env, plainStdout()));
    print(`${lines.join('\n')}\n`);
  }
  if (failure === null) return VERDICT_EXIT[checked.verdict.decision];
  writeFailure(failure);
  return EXIT.badInput;
}

function showAnswer({ verdict, isAllowed, answer }: Permission, options: CheckOptions): number {
  if (options.json) {
    process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, ...verdictToJson(verdict), isAllowed, answer }));
  } else if (answer !== null) {
    const reason = answer.reason === null ? '' : `: ${visible(answer.reason)}`;
    process.stdout.write(`${isAllowed ? 'allowed' : 'denied'} (${answeredBy(answer.by)})${reason}\n`);
    const [rule] = isAllowed || !process.stdout.isTTY ? [] : verdict.suggestions;
    // A command for people; without a terminal a model may read this.
    if (rule !== undefined) {
      process.stdout.write(`To always allow it: hardshell config add allow ${quoteWord(visible(rule))}\n`);
    }
  }
  return VERDICT_EXIT[isAllowed ? 'allow' : 'deny'];
}

function tellNotices(notices: readonly SettingsNotice[]): void {
  const [first] = notices;
  if (first === undefined) return;
  const more = notices.length === 1 ? '' : ` (and ${notices.length - 1} more)`;
  const place = `${first.file}:${first.line}`;
  tell(
    `hardshell: ${visible(place)}: ${visible(first.why)}${more}\n  hardshell config show --origin lists each value with its file.\n`,
  );
}

const LINE_FORM =
  'Each line is {"id": …, "command": "…", "cwd"?, "shell"?, "variables"?, "mode"?, "rules"?: {"allow"?, "ask"?, "deny"?: […]}, "roots"?: […], "user"?}.';

export async function checkBatch(argument: string | undefined, options: CheckOptions): Promise<number> {
  const decide = await createDecider(options);
  return runBatch(argument, options, {
    form: LINE_FORM,
    answer: (request, line) => {
      if (options.profile !== undefined && request.variables !== null)
        throw invalid('"variables" and --profile cannot be combined: the tool of the profile sets the environment');
      return verdictToJson(checkLine(request, line, decide).verdict);
    },
  });
}

function checkLine(request: BatchRequest, line: Readonly<Record<string, unknown>>, decide: Decide): CheckResult {
  const { mode, rules, roots, user } = line;
  if (mode !== undefined && !MODES.includes(mode as Mode)) throw invalid(`"mode" must be one of ${MODES.join(', ')}`);
  if (roots !== undefined && !isPathList(roots)) throw invalid('"roots" must be a list of absolute paths');
  if (user !== undefined && typeof user !== 'string') throw invalid('"user" must be a string');
  return decide({
    ...request,
    variables: request.variables ?? inheritedVariables(),
    user: user ?? null,
    mode: mode as Mode | undefined,
    roots,
    rules: rules === undefined ? undefined : readRules(rules, 'flags'),
  });
}

function isPathList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' && item.startsWith('/'));
}

function invalid(message: string): HardshellError {
  return new HardshellError('invalid-argument', message, { hint: LINE_FORM });
}
