// A command of the agent's own shell tool → `hardshell run --ticket ID 'the command'`, which the agent runs instead: in
// hardshell's sandbox, with its limits and its record. The verdict is the one with which that run starts.

import { type CheckResult, type Mode, stricterOf } from '../../../host/deciding.ts';
import { checkForRun, mayChangeFolder } from '../../../host/tickets.ts';
import { quoteIfNeeded, quoteWord } from '../../../host/values.ts';
import { ownProgram } from '../installation.ts';
import { applyAgentRules, hasOwnRules } from './agent-rules.ts';
import type { ConfinedAgent } from './agents.ts';
import type { Asked } from './dialects.ts';
import { endFolderFile, issueTicket, questionsOf } from './ticket.ts';

export interface HandOver {
  readonly check: (mode: Mode | null) => CheckResult;
  /** What the tool gets instead of its input. */
  readonly rewrite: (checked: CheckResult) => object;
}

/** `null`: the command must stay as it is. */
export function createHandOver(
  agent: ConfinedAgent,
  asked: Asked,
  projects: readonly [string, ...string[]],
): HandOver | null {
  const { command, cwd, session, input } = asked;
  const [project] = projects;
  if (hasOwnRules(agent, project)) return null;
  let strictMode: Mode | null = null;
  return {
    check(mode) {
      strictMode = mode;
      const request = { cwd, ...(mode === null ? {} : { mode }), ...(session === null ? {} : { session }) };
      const [first, ...others] = projects.map((originalCwd) => checkForRun(command, { ...request, originalCwd })) as [
        CheckResult,
        ...CheckResult[],
      ];
      const verdict = others.reduce((strict, other) => stricterOf(strict, other.verdict), first.verdict);
      return { facts: first.facts, verdict: applyAgentRules(agent, verdict, asked, project) };
    },
    rewrite({ facts, verdict }) {
      // Only Claude Code keeps the folder of a command for the next one.
      const tellsFolder = agent === 'claude-code' && input.run_in_background !== true && mayChangeFolder(facts);
      const id = issueTicket({
        agent,
        command,
        cwd,
        project,
        mode: strictMode,
        session,
        decision: verdict.decision === 'ask' ? 'ask' : 'allow',
        questions: questionsOf(verdict),
        reliesOn: verdict.reliesOn,
        tellsFolder,
      });
      return { ...input, command: `${runLine(id, command)}${tellsFolder ? followLine(id) : ''}` };
    },
  };
}

/** For any POSIX shell; a person reads it in the agent's questions and its transcript. */
function runLine(id: string, command: string): string {
  const end = command.startsWith('-') ? ' --' : '';
  return `${ownProgram().map(quoteIfNeeded).join(' ')} run --ticket ${id}${end} ${quoteWord(command)}`;
}

/** Claude Code stores the folder of its shell after a command that succeeded. */
function followLine(id: string): string {
  return ` && cd -- "$(< ${quoteIfNeeded(endFolderFile(id))})"`;
}
