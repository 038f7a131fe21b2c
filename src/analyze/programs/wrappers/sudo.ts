// sudo, doas: assignments and the command, or a shell when -s or -i is given (sudo(8)).
// The table has applied the options; refuses options that follow an assignment.

import type { WordValue } from '../../../core/facts.ts';
import { literal, type ProgramAnalyser } from '../program.ts';
import { headOf, isCommandUncertain, joinWords, readAssignment } from '../words/wrapper-words.ts';

// sudo escapes each character that is special to the shell, except `$` (sudo(8), -s).
function escapeForShell(text: string): string {
  return text.replace(/[^A-Za-z0-9_$-]/g, '\\$&');
}

const ASKS_ONLY = '-l --list -v --validate -k --reset-timestamp -K --remove-timestamp -V --version -h --help';

export const sudo: ProgramAnalyser = (args, sink) => {
  if (isCommandUncertain(args, 0, sink, 'sudo')) return;
  if (args.has('-e --edit')) {
    for (const file of args.operands) sink.path('edit', file);
    sink.executes('program', null);
    return;
  }
  const environment = new Map<string, WordValue | null>();
  let index = 0;
  for (; index < args.operands.length; index++) {
    const word = args.operands[index] as WordValue;
    const assignment = headOf(word).startsWith('/') ? null : readAssignment(word);
    if (assignment === null) {
      if (index === 0 || (literal(word) !== null && !headOf(word).startsWith('-'))) break;
      sink.cannotTell('wrapper-arguments', 'options after an assignment of sudo', word.span);
      return;
    }
    if (word.kind === 'dynamic' && word.many) {
      sink.cannotTell('wrapper-arguments', 'an assignment of sudo may be several words', word.span);
      return;
    }
    environment.set(assignment.name, assignment.value);
  }
  const command = args.operands.slice(index);
  if (args.has(ASKS_ONLY) && (command.length === 0 || args.has('-l --list'))) return;
  const isLogin = args.has('-i --login');
  const shell = isLogin || args.has('-s --shell');
  if (isLogin) sink.executes('hook', null);
  if (!shell && command.length > 0) sink.run(command, 'sudo', { environment });
  else if (command.length > 0) sink.shell(joinWords(command, escapeForShell), 'sudo -s', { environment, shell: 'sh' });
  else if (shell) sink.shellFromInput('sudo -s');
};
