// P28: proposal 0028, an enhanced bash tool.

import { type Conformance, inFile, section } from './point.ts';

const own = inFile('test/profiles/proposal-0028.test.ts');
const everywhere = inFile('test/profiles/everywhere.test.ts');
const foreground = inFile('test/running/foreground.test.ts');
const terms = inFile('test/terms/profile.test.ts');

export const PROPOSAL_0028: Conformance = {
  profile: 'proposal-0028',
  document: 'Proposal 0028: Enhanced Bash Tool',
  points: [
    ...section('API Design', [
      ['description?: string;          // What this command does', own('BashInput', 'foreground with description')],
      [
        'timeout?: number;              // Ms, default 120000, max 600000',
        [
          ...own('a timeout ends it, with what was written; 0 is the default'),
          ...terms('%s: its timeouts and its view'),
        ],
      ],
      [
        "run_in_background?: boolean;   // Don't wait for completion",
        own('task_id and output_file, the box, /tasks and TaskOutput'),
      ],
      ['cwd?: string;                  // Working directory override', own('cwd and env are for one command')],
      ['env?: Record<string, string>;  // Additional env vars', own('cwd and env are for one command')],
      ['interface BashOutput', own('BashOutput of a success', 'BashOutput of a failure')],
      ['truncated?: boolean;', own('output truncation, drawn and as the tool answers')],
      ['task_id?: string;', own('task_id and output_file, the box, /tasks and TaskOutput')],
      ['defaultTimeout: 120000,    // 2 minutes', own('BashConfig and its defaults', 'maxTimeout and defaultTimeout')],
      ['maxTimeout: 600000,        // 10 minutes', own('BashConfig and its defaults', 'maxTimeout and defaultTimeout')],
      [
        'maxOutputSize: 30000,      // 30K characters',
        [
          ...own('BashConfig and its defaults', 'maxOutputSize'),
          ...everywhere('proposal-0028: its truncation, and its timeout'),
        ],
        { differs: 'At most 30,000: a larger value is an error when it is configured.' },
      ],
      [
        'blockedCommands: [',
        [
          ...own('blockedCommands'),
          ...everywhere('proposal-0028: what the document blocks, and what the settings block in addition'),
        ],
        {
          differs:
            "Entries are words of a command, not pieces of its text. A program's list replaces the document's, as here; entries in settings files add to it.",
        },
      ],
      [
        'requireDescription: false,',
        [
          ...own('requireDescription'),
          ...everywhere('createShell({ profile }) blocks, cuts and ends as the tool does'),
        ],
      ],
      [
        'sandboxMode: false',
        [...own('sandboxMode'), ...terms('sandboxMode confines where the settings do not, and removes no sandbox')],
        { differs: '`false` removes no sandbox that the settings have.' },
      ],
    ]),
    ...section('Enhanced Bash Tool', [
      ["name: 'Bash',", own('P28 the description is that of the document, with the folder')],
      [
        'Execute shell commands with configurable options.',
        own('P28 the description is that of the document, with the folder'),
      ],
      ['command: z.string().min(1),', own('bad input %j is answered in the shape of BashOutput')],
      [
        'timeout: z.number().min(0).max(600000).optional(),',
        own('bad input %j is answered in the shape of BashOutput'),
      ],
    ]),
    ...section('Bash Executor', [
      ['this.config = { ...DEFAULT_CONFIG, ...config };', own('BashConfig and its defaults', 'blockedCommands')],
      ['const safetyResult = this.checkSafety(input.command);', own('%s')],
      ['exit_code: -1,', own('%s')],
      [
        'const timeout = Math.min(',
        [...own('maxTimeout and defaultTimeout'), ...foreground('a time limit over the maximum is cut down to it')],
      ],
      ["shell: '/bin/bash'", own('BashOutput of a success')],
      [
        'env: { ...process.env, ...input.env },',
        inFile('src/run/environment.test.ts')("a clean environment has hardshell's variables and a few harmless ones"),
        {
          differs:
            'Commands get a clean environment without the secrets of the host, as the security considerations of the same document ask ("Don\'t leak sensitive env vars").',
        },
      ],
      ['duration_ms: Date.now() - start,', own('BashOutput of a success')],
      ['exit_code: execError.code || 1,', own('BashOutput of a failure')],
      ['`Background task started: ${taskId}`', own('task_id and output_file, the box, /tasks and TaskOutput')],
      ['detached: true,', inFile('test/running/tasks.test.ts')('closing the tool ends no task')],
      [
        '`Command contains blocked pattern: ${blocked}`',
        [
          ...own('%s'),
          ...everywhere('proposal-0028: what the document blocks, and what the settings block in addition'),
        ],
      ],
      ["reason: 'Recursive delete from root'", own('%s')],
      ["reason: 'Writing to block device'", own('%s')],
      ["reason: 'Insecure permissions'", own('%s')],
      [
        '... (${truncated} characters truncated) ...',
        [
          ...own('maxOutputSize'),
          ...inFile('src/render/views/views.test.ts')(
            '30,000 characters are shown whole, more as two halves with the line of the proposal',
          ),
        ],
      ],
    ]),
    ...section('Streaming Support', [
      [
        'async function* executeWithStreaming(',
        own('pieces as they come, then the exit code', 'who leaves the loop ends the command'),
      ],
      [
        "yield { type: 'exit', code: exitCode };",
        own('pieces as they come, then the exit code', 'a blocked command does not run, and the reason is reported'),
      ],
    ]),
    ...section('User Experience', [
      ['Running: Build the project', own('foreground with description')],
      ['┌─ Background Task Started', own('background execution')],
      ['Use /tasks to check status', own('task_id and output_file, the box, /tasks and TaskOutput')],
      ['Exit code: 0', own('streaming output')],
      ['⚠️ Command Blocked', own('safety block, drawn and as the tool answers')],
      ['If you need to delete files, specify exact paths.', own('safety block, drawn and as the tool answers')],
      ['Output (truncated):', own('output truncation, drawn and as the tool answers')],
    ]),
    ...section('Security Considerations', [
      ['Block dangerous patterns', own('SAFETY_PATTERNS: %s')],
      ['Validate file paths', inFile('test/deciding/checks.test.ts')('matches %s')],
      [
        "Don't leak sensitive env vars",
        inFile('src/run/environment.test.ts')('withholds %s and reports it, without its value'),
      ],
      ['Limit CPU/memory usage', foreground('passing a limit ends it')],
      ['Kill hung processes', foreground('a timeout ends the whole tree and keeps what was written before')],
      ['/curl.*\\|\\s*bash/,  // Pipe to shell', own('SAFETY_PATTERNS: %s')],
    ]),
  ],
};
