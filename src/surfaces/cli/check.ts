// `hardshell check`: may this command run? The exit code is the answer: 0 allow, 1 deny, 3 ask; 2 invalid input.

import { resolve } from 'node:path';
import {
  type CheckRequest,
  type CheckResult,
  check,
  HardshellError,
  loadPolicy,
  MODES,
  type Mode,
  type Permission,
  type Policy,
  policyWith,
  readRules,
  type SettingsNotice,
  type VerdictName,
} from '../../host/deciding.ts';
import { defined, quoteWord } from '../../host/values.ts';
import { type BatchRequest, runBatch } from './batch.ts';
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
  const policy = policyFor(cwd, options, (notices) => {
    if (!options.json) tellNotices(notices);
  });
  const request: CheckRequest & { readonly cwd: string } = {
    cwd,
    shell: options.shell,
    variables: inheritedVariables(),
    policy,
    context: { user: options.user ?? null },
  };
  const checked = check(command, request);
  if (options.ask && checked.verdict.decision === 'ask' && findInputFailure(checked.facts) === null) {
    const { askPeople } = await import('./ask.ts');
    return showAnswer(await askPeople(command, request, options), options);
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

/** Settings of the folder, then what the command line says. */
export function policyFor(
  cwd: string,
  options: CheckOptions,
  onNotices: (notices: readonly SettingsNotice[]) => void = () => {},
): Policy {
  const settingsFile = options.settings === undefined ? undefined : resolve(options.settings);
  const settings = loadPolicy({ cwd, settingsFile });
  onNotices(settings.notices);
  return {
    ...policyWith(settings, cwd, options),
    ...(options.root === undefined ? {} : { roots: options.root.map((root) => readFolder(root, '--root')) }),
  };
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

export function checkBatch(argument: string | undefined, options: CheckOptions): Promise<number> {
  const policies = new Map<string, Policy>();
  const policyOf = (cwd: string): Policy => {
    let policy = policies.get(cwd);
    if (policy === undefined) {
      policy = policyFor(cwd, options);
      policies.set(cwd, policy);
    }
    return policy;
  };
  return runBatch(argument, options, {
    form: LINE_FORM,
    answer: (request, line) => verdictToJson(checkLine(request, line, policyOf(request.cwd)).verdict),
  });
}

function checkLine(request: BatchRequest, line: Readonly<Record<string, unknown>>, base: Policy): CheckResult {
  const { command, cwd, shell } = request;
  const { mode, rules, roots, user } = line;
  if (mode !== undefined && !MODES.includes(mode as Mode)) throw invalid(`"mode" must be one of ${MODES.join(', ')}`);
  if (roots !== undefined && !isPathList(roots)) throw invalid('"roots" must be a list of absolute paths');
  if (user !== undefined && typeof user !== 'string') throw invalid('"user" must be a string');
  const policy: Policy = {
    ...base,
    ...(mode === undefined ? {} : { mode: mode as Mode }),
    ...defined({ roots }),
    ...(rules === undefined ? {} : { rules: [...base.rules, ...readRules(rules, 'flags')] }),
  };
  const variables = request.variables ?? inheritedVariables();
  return check(command, { cwd, shell, variables, policy, context: { user: user ?? null } });
}

function isPathList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' && item.startsWith('/'));
}

function invalid(message: string): HardshellError {
  return new HardshellError('invalid-argument', message, { hint: LINE_FORM });
}
