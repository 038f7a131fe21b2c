// REQ: the specification of a bash tool, REQ-BASH-001 to 011.

import { type Conformance, inFile, section } from './point.ts';

const own = inFile('test/profiles/req.test.ts');
const killing = inFile('test/profiles/req-kill.test.ts');
const foreground = inFile('test/running/foreground.test.ts');
const leaving = inFile('test/sandboxed/leaving.test.ts');
const diagnosing = inFile('test/doctor/diagnose.test.ts');

export const REQ: Conformance = {
  profile: 'req',
  document: 'Bash Tool, REQ-BASH-001 to REQ-BASH-011',
  points: [
    ...section('REQ-BASH-001', [
      ['execute the command via `bash -c`', own('runs by bash -c')],
      [
        "in the conversation's working directory",
        own('runs in the folder of the conversation, with both streams in one output'),
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
      [
        'apply 30-second timeout',
        own('30 seconds by default, 15 minutes in slow mode', 'mode %s asks the engine for %d ms'),
      ],
      [
        'apply 15-minute timeout',
        own('30 seconds by default, 15 minutes in slow mode', 'mode %s asks the engine for %d ms'),
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
          ...killing('%s ends it at once', 'what is allowed is in the record, too, as it was written'),
        ],
        {
          differs:
            "The task's supervisor sends the signal, because a command in the sandbox cannot. The `kill` must come first in its line.",
        },
      ],
    ]),
    ...section('REQ-BASH-004', [['run without a TTY attached', own('REQ-BASH-004 no TTY is attached')]]),
    ...section('REQ-BASH-005', [
      ['`command` (required string)', own('command is required text, mode an optional choice of three')],
      ['`mode` (optional enum)', own('command is required text, mode an optional choice of three')],
      ['use default mode (30-second foreground)', own('30 seconds by default, 15 minutes in slow mode')],
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
        inFile('test/understanding/corpus.test.ts')('%s'),
        { differs: 'The parser is unbash; a test compares it with tree-sitter-bash and with bash itself.' },
      ],
      ['check for dangerous patterns before execution', own('rejects %s and does not run it')],
      ['reject the command with descriptive error message', own('rejects %s and does not run it')],
      ['NOT execute the command', own('rejects %s and does not run it')],
      ['Blind git add: `git add -A`, `git add .`, `git add --all`, `git add *`', own('rejects %s and does not run it')],
      [
        'Force push: `git push --force`, `git push -f` (allow `--force-with-lease`)',
        own('rejects %s and does not run it', '--force-with-lease is not rejected'),
      ],
      ['Dangerous rm: `rm -rf` on `/`, `~`, `$HOME`, `.git`, `*`, `.*`', own('rejects %s and does not run it')],
      ['apply safety checks to the command following sudo', own('rejects %s and does not run it')],
      ['check all command components', own('rejects %s and does not run it')],
    ]),
    ...section('REQ-BASH-008', [
      [
        'Read-only filesystem access (all writes blocked at kernel level)',
        [
          ...leaving('writes nowhere but to temporary files'),
          ...own('where the kernel holds restricted mode, its error comes back and nothing is written'),
        ],
        { differs: 'Temporary files in a private folder can be written; the description says so.' },
      ],
      [
        'No outbound network (TCP connect/bind blocked, prevents exfiltration)',
        leaving('has no network, and takes no wider wishes'),
      ],
      [
        'Signal scoping (kernel 6.12+): processes cannot signal outside sandbox',
        inFile('test/sandboxed/violations.test.ts')('a signal to a process outside'),
      ],
      ['Resource limits via rlimits (memory, CPU time, process count)', leaving('has limits')],
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
        own('where the kernel holds restricted mode, its error comes back and nothing is written'),
      ],
      [
        '6.12+  | v6  | Full protection',
        diagnosing('on a machine with Landlock %i nothing is claimed that does not hold'),
      ],
    ]),
    ...section('REQ-BASH-009', [
      [
        'detect this at startup',
        [
          ...diagnosing('the best that is had here holds what it claims'),
          ...inFile('src/confine/kernel-support.test.ts')('without namespaces Landlock, with what it lacks and why'),
        ],
      ],
      ['disable Restricted mode entirely', leaving('the sandbox restricted is never left out')],
      [
        'log warning about reduced security posture',
        own('REQ-BASH-009 without Landlock the description says so, and the safety checks still apply'),
        { differs: 'It is in the description of the tool, in each result (`enforcement`) and in `hardshell doctor`.' },
      ],
      [
        'indicate that Landlock requires Linux',
        own('REQ-BASH-009 without Landlock the description says so, and the safety checks still apply'),
      ],
      [
        'operate with only Unrestricted mode available',
        leaving('it runs where the settings say so, and the result says that nothing held it'),
        {
          differs: 'Without a sandbox a command runs only if the settings say so (`sandbox.failIfUnavailable: false`).',
        },
      ],
      [
        'still apply command safety checks (REQ-BASH-007)',
        own('REQ-BASH-009 without Landlock the description says so, and the safety checks still apply'),
      ],
      [
        'return error explaining Landlock requirements',
        leaving('nothing runs, and the answer says what to do', 'the sandbox restricted is never left out'),
      ],
    ]),
    ...section('REQ-BASH-010', [
      [
        'receive all execution context via a `ToolContext` parameter',
        own('each call starts in the folder of its context: cd does not move later calls'),
        {
          differs: 'It is called `Calling`: the shell tool, the session, the signal, and state that the caller keeps.',
        },
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
      ['provide a `display` field alongside the original `command`', own('%s')],
      ['display only `<rest>` (strip the redundant cd)', inFile('src/analyze/display.test.ts')('%s → %s (%s)')],
      ['display the full command unchanged', inFile('src/analyze/display.test.ts')('%s → %s (%s)')],
      ['NOT strip any prefix before `||`', inFile('src/analyze/display.test.ts')('%s → %s (%s)')],
      ['display `cmd || fallback` (strip only the matching cd)', inFile('src/analyze/display.test.ts')('%s → %s (%s)')],
    ]),
  ],
};
