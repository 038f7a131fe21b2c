// REQ: the specification of a bash tool, REQ-BASH-001 to 011.

import { type Conformance, inFile, section } from './point.ts';

const own = inFile('test/profiles/req.test.ts');
const killing = inFile('test/profiles/req-kill.test.ts');
const foreground = inFile('test/running/foreground.test.ts');
const leaving = inFile('test/sandboxed/leaving.test.ts');
const without = inFile('test/mcp/without-sandbox.test.ts');
const contained = inFile('test/doctor/container.test.ts');
const planned = inFile('src/confine/plan.test.ts');
const display = inFile('src/analyze/display.test.ts');

const REJECTS = 'rejects %s and does not run it';
const SHOWS = '%s → %s (%s)';

export const REQ: Conformance = {
  profile: 'req',
  document: 'Bash Tool, REQ-BASH-001 to REQ-BASH-011',
  points: [
    ...section('REQ-BASH-001', [
      [
        'execute the command via `bash -c`',
        own('runs by bash -c'),
        { differs: 'A command that no rule allows is asked about first; with no one to ask it is refused.' },
      ],
      [
        "in the conversation's working directory",
        own(
          'runs in the folder of the conversation, with both streams in one output',
          'each call starts in the folder of its context: cd does not move later calls',
        ),
      ],
      [
        'return combined stdout/stderr output',
        own('runs in the folder of the conversation, with both streams in one output'),
      ],
      [
        'truncate the middle, preserving first and last 4KB',
        own('128 KB are shown whole', 'over 128 KB only the first and last 4 KB are kept, and a line says so'),
      ],
      ['indicate truncation occurred', own('over 128 KB only the first and last 4 KB are kept, and a line says so')],
    ]),
    ...section('REQ-BASH-002', [
      ['apply 30-second timeout', own(['mode %s asks the engine for %d ms', 'default'])],
      [
        'apply 15-minute timeout',
        own(
          ['mode %s asks the engine for %d ms', 'slow'],
          'is ended by its timeout, although it continues as a task',
          'is ended by its timeout after the server was killed',
        ),
        { differs: 'A surface that cannot wait that long answers with the output so far; the limit stays.' },
      ],
      [
        'terminate the process group',
        [
          ...own('past its timeout the group is ended, and the partial output is there with a word about it'),
          ...foreground('a timeout ends the whole tree and keeps what was written before'),
        ],
        { differs: 'The whole tree ends, also what left the process group.' },
      ],
      [
        'return partial output with timeout indication',
        own('past its timeout the group is ended, and the partial output is there with a word about it'),
      ],
    ]),
    ...section('REQ-BASH-003', [
      [
        "start the command detached from the agent's lifecycle",
        inFile('test/running/tasks.test.ts')(
          'a task continues when its host is killed, and its file gets its last line',
          'closing the tool ends no task',
        ),
      ],
      [
        'return immediately with process ID and output file path',
        own('answers at once with pid, pgid and output file; the end is appended to the file'),
      ],
      [
        'append completion status to output file',
        own('the completion status of one that ends on its own is in the file'),
      ],
      [
        'provide process group ID for termination via `kill -9 -<pgid>`',
        [
          ...own('answers at once with pid, pgid and output file; the end is appended to the file'),
          ...killing(
            ['%s ends it at once', 'kill -9 -PG', '/bin/kill -9 -- -PG'],
            ['%s does not run, and says how to', 'touch reached; kill -9 -PG'],
            'what is allowed is in the record, too, as it was written',
          ),
        ],
        {
          differs:
            "The task's supervisor sends the signal, because a command in the sandbox cannot. The `kill` must come first in its line, and is asked about unless a rule allows it.",
        },
      ],
    ]),
    ...section('REQ-BASH-004', [['run without a TTY attached', own('REQ-BASH-004 no TTY is attached')]]),
    ...section('REQ-BASH-005', [
      ['`command` (required string)', own('command is required text, mode an optional choice of three')],
      ['`mode` (optional enum)', own('command is required text, mode an optional choice of three')],
      ['use default mode (30-second foreground)', own('without a mode it is ended after 30 seconds')],
      ['include current working directory in description', own('the description names the working directory')],
    ]),
    ...section('REQ-BASH-006', [
      ['include exit code in response', own('a command that fails: exit code and output')],
      ['include command output for debugging', own('a command that fails: exit code and output')],
      ['return descriptive error message', own('a system error is distinguished from it')],
      ['distinguish from command execution failure', own('a system error is distinguished from it')],
    ]),
    ...section('REQ-BASH-007', [
      [
        'parse the command using a shell syntax parser (tree-sitter-bash)',
        inFile('test/understanding/confirmed.test.js')('what ran was predicted'),
        { differs: 'The parser is unbash; what it makes of a command is compared with bash itself.' },
      ],
      ['check for dangerous patterns before execution', own([REJECTS, 'touch reached && git push --force'])],
      ['reject the command with descriptive error message', own([REJECTS, 'git add -A'])],
      ['NOT execute the command', own([REJECTS, 'touch reached && git push --force'])],
      [
        'Blind git add: `git add -A`, `git add .`, `git add --all`, `git add *`',
        own([REJECTS, 'git add -A', 'git add .', 'git add --all', 'git add *']),
      ],
      [
        'Force push: `git push --force`, `git push -f` (allow `--force-with-lease`)',
        own([REJECTS, 'git push --force', 'git push -f'], '--force-with-lease is not rejected'),
      ],
      [
        'Dangerous rm: `rm -rf` on `/`, `~`, `$HOME`, `.git`, `*`, `.*`',
        own([REJECTS, 'rm -rf /', 'rm -rf ~', 'rm -rf $HOME', 'rm -rf .git', 'rm -rf *', 'rm -rf .*']),
      ],
      ['apply safety checks to the command following sudo', own([REJECTS, 'sudo rm -rf /', 'sudo git add -A'])],
      [
        'check all command components',
        own([REJECTS, 'echo x | git add -A', 'touch reached && git push --force', 'true; (git add .)']),
      ],
    ]),
    ...section('REQ-BASH-008', [
      [
        'Read-only filesystem access (all writes blocked at kernel level)',
        [
          ...leaving('writes nowhere but to temporary files'),
          ...own(
            'where the kernel holds restricted mode, its error comes back and nothing is written',
            'REQ-BASH-008 what the description says about temporary files is true',
          ),
        ],
        { differs: 'Temporary files in a private folder can be written; the description says so.' },
      ],
      [
        'No outbound network (TCP connect/bind blocked, prevents exfiltration)',
        [
          ...leaving('has no network, and takes no wider wishes'),
          ...own('REQ-BASH-008 nothing outside can be connected to, and no port of the machine can be bound'),
        ],
        { differs: 'In namespaces a port can be bound, in a private network that nothing outside reaches.' },
      ],
      [
        'Signal scoping (kernel 6.12+): processes cannot signal outside sandbox',
        inFile('test/sandboxed/violations.test.ts')('a signal to a process outside'),
      ],
      [
        'Resource limits via rlimits (memory, CPU time, process count)',
        [...leaving('has limits'), ...own('REQ-BASH-008 memory, CPU time and the number of processes are limited')],
        {
          differs:
            'An rlimit counts per process or per user; memory and processes are limited for the whole tree. CPU time is an rlimit, too.',
        },
      ],
      [
        'return the kernel error (EACCES, EPERM)',
        own('where the kernel holds restricted mode, its error comes back and nothing is written'),
      ],
      [
        'tool description SHALL include clear explanation of sandbox constraints',
        own('the description explains what the sandbox does not let through'),
      ],
      [
        'SHALL NOT retry or attempt to work around restrictions',
        own('REQ-BASH-008 a command that the sandbox refused is started once'),
      ],
      [
        '6.12+  | v6  | Full protection',
        inFile('test/doctor/diagnose.test.ts')('the best that is had here holds what it claims'),
      ],
      [
        '5.13-6.6 | v1-v3 | Filesystem only',
        [
          ...inFile('test/doctor/diagnose.test.ts')([
            'on a machine with Landlock %i nothing is claimed that does not hold',
            '[0, 2]',
          ]),
          ...planned(['missing: %s', 'an old Landlock']),
        ],
      ],
    ]),
    ...section('REQ-BASH-009', [
      [
        'detect this at startup',
        [
          ...without('the profile req runs commands unrestricted, and says so'),
          ...inFile('src/confine/kernel-support.test.ts')('nothing, said as such'),
        ],
      ],
      [
        'disable Restricted mode entirely',
        [
          ...without('restricted mode is refused, with what it needs'),
          ...leaving('the sandbox restricted is never left out'),
        ],
      ],
      [
        'log warning about reduced security posture',
        [
          ...without('the profile req runs commands unrestricted, and says so'),
          ...contained('the profile req runs commands there, and a warning says what is missing'),
        ],
      ],
      [
        'operate with only Unrestricted mode available',
        [
          ...without('the profile req runs commands unrestricted, and says so'),
          ...contained('the profile req runs commands there, and a warning says what is missing'),
        ],
        {
          differs:
            '`sandbox.failIfUnavailable: true`, or a sandbox that the managed settings require, refuses commands instead.',
        },
      ],
      ['indicate that Landlock requires Linux', without('the profile req runs commands unrestricted, and says so')],
      [
        'still apply command safety checks (REQ-BASH-007)',
        [
          ...without('the profile req runs commands unrestricted, and says so'),
          ...own('REQ-BASH-009 without Landlock the description says so, and the safety checks still apply'),
        ],
      ],
      [
        'indicate to user that Landlock is unavailable',
        [
          ...without('the profile req runs commands unrestricted, and says so'),
          ...own('REQ-BASH-009 without Landlock the description says so, and the safety checks still apply'),
        ],
      ],
      ['return error explaining Landlock requirements', without('restricted mode is refused, with what it needs')],
    ]),
    ...section('REQ-BASH-010', [
      [
        'receive all execution context via a `ToolContext` parameter',
        own('each call starts in the folder of its context: cd does not move later calls'),
        {
          differs: 'It is called `Calling`: the shell tool, the session, the signal, and state that the caller keeps.',
        },
      ],
      [
        'derive working directory from `ToolContext.working_dir`',
        own('each call starts in the folder of its context: cd does not move later calls'),
        { differs: 'It is the folder of the session in the context.' },
      ],
      ['use `ToolContext.cancel` for cancellation handling', own('cancelling comes with the call')],
      [
        'SHALL NOT store per-conversation state',
        own('each call starts in the folder of its context: cd does not move later calls'),
      ],
      [
        'reusable across conversations',
        own('each call starts in the folder of its context: cd does not move later calls'),
      ],
    ]),
    ...section('REQ-BASH-011', [
      [
        'simplify the command for display by removing boilerplate prefixes',
        own(['%s', 'cd here && rest', 'cd here; rest']),
      ],
      ['provide a `display` field alongside the original `command`', own(['%s', 'cd here && rest'])],
      [
        'display only `<rest>` (strip the redundant cd)',
        [...own(['%s', 'cd here && rest']), ...display([SHOWS, 'cd /w && npm test'])],
      ],
      [
        'display the full command unchanged',
        [...own(['%s', 'cd elsewhere && rest']), ...display([SHOWS, 'cd /other && npm test'])],
      ],
      [
        'WHEN command contains `cd <path>; <rest>` (semicolon separator)',
        [...own(['%s', 'cd here; rest']), ...display([SHOWS, 'cd /w; npm test', 'cd /other; npm test'])],
      ],
      [
        'preserve the full command including fallback',
        [...own(['%s', 'or']), ...display([SHOWS, 'cd /w || npm test'])],
      ],
      ['NOT strip any prefix before `||`', [...own(['%s', 'or']), ...display([SHOWS, 'cd /w || npm test'])]],
      [
        'display `cmd || fallback` (strip only the matching cd)',
        [...own(['%s', 'mixed']), ...display([SHOWS, 'cd /w && a || b'])],
      ],
    ]),
  ],
};
