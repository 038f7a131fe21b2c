// P28: proposal 0028, an enhanced bash tool.

import { type Conformance, inFile, section } from './point.ts';

const own = inFile('test/profiles/proposal-0028.test.ts');
const everywhere = inFile('test/profiles/everywhere.test.ts');
const foreground = inFile('test/running/foreground.test.ts');
const terms = inFile('test/terms/profile.test.ts');
const environment = inFile('src/run/environment.test.ts');

const BAD_INPUT = 'bad input %j is answered in the shape of BashOutput';
const TASK = 'task_id and output_file, the box, /tasks and TaskOutput';
const BLOCKS = 'proposal-0028: what the document blocks, and what the settings block in addition';
const PATTERNS = 'SAFETY_PATTERNS: %s';

export const PROPOSAL_0028: Conformance = {
  profile: 'proposal-0028',
  document: 'Proposal 0028: Enhanced Bash Tool',
  points: [
    ...section('Motivation', [
      [
        '**Blocking only**: Must wait for command completion',
        own(TASK),
        { means: 'The limitation that is to go: commands can run in the background.' },
      ],
      [
        '**No working directory persistence**: Each command is isolated',
        own('the folder of a command is that of the next one'),
        { means: 'The limitation that is to go: a `cd` lasts.' },
      ],
    ]),
    ...section('API Design', [
      ['command: string;', own('BashInput', [BAD_INPUT, "{ command: '' }"])],
      [
        'description?: string;          // What this command does',
        [
          ...own('BashInput', 'foreground with description'),
          ...inFile('test/profiles/standard.test.ts')([
            '%s: the description reaches the person who is asked, and the record',
            'proposal-0028',
          ]),
        ],
      ],
      [
        'timeout?: number;              // Ms, default 120000, max 600000',
        [
          ...own('a timeout ends it, with what was written; 0 is the default'),
          ...terms(['%s: its timeouts and its view', 'proposal-0028']),
        ],
      ],
      ["run_in_background?: boolean;   // Don't wait for completion", own(TASK)],
      ['cwd?: string;                  // Working directory override', own('cwd and env are for one command')],
      [
        'env?: Record<string, string>;  // Additional env vars',
        own(
          'cwd and env are for one command',
          'variables that could run other code are not passed, and the answer says so',
        ),
        { differs: 'Variables that could make a command run other code are not passed; `stderr` names them.' },
      ],
      ['interface BashOutput', own('BashOutput of a success', 'BashOutput of a failure')],
      ['truncated?: boolean;', own('BashOutput of a success', 'output truncation, drawn and as the tool answers')],
      ['task_id?: string;', own(TASK)],
      ['output_file?: string;', own(TASK)],
      ['defaultTimeout: 120000,    // 2 minutes', own('BashConfig and its defaults', 'maxTimeout and defaultTimeout')],
      ['maxTimeout: 600000,        // 10 minutes', own('BashConfig and its defaults', 'maxTimeout and defaultTimeout')],
      [
        'maxOutputSize: 30000,      // 30K characters',
        [
          ...own('BashConfig and its defaults', 'maxOutputSize', 'maxOutputSize over 30,000', [
            '%j is refused before any call',
            '{ maxOutputSize: 1_000_001 }',
          ]),
          ...everywhere('proposal-0028: its truncation, and its timeout'),
        ],
        { differs: 'From 2 to 1,000,000: another value is an error when it is configured.' },
      ],
      [
        'blockedCommands: [',
        [
          ...own('BashConfig and its defaults', 'blockedCommands', [
            '%s',
            'rm -rf /',
            'mkfs.ext4 /dev/sda',
            'dd if=/dev/zero of=x',
            ':(){:|:&};:',
          ]),
          ...terms('blocked commands: files add, a program may replace those of the document'),
          ...everywhere(BLOCKS),
        ],
        {
          differs:
            "Entries are words of a command, not pieces of its text. A program's list replaces the document's, as here; entries in settings files add to it.",
        },
      ],
      [
        'requireDescription: false,',
        [
          ...own('BashConfig and its defaults', 'requireDescription'),
          ...everywhere('a server lists its tools as the settings configure them'),
        ],
      ],
      [
        'sandboxMode: false',
        [...own('sandboxMode'), ...terms('sandboxMode confines where the settings do not, and removes no sandbox')],
        { differs: '`false` removes no sandbox that the settings have.' },
      ],
    ]),
    ...section('Enhanced Bash Tool', [
      ["name: 'Bash',", own('the description is that of the document, to the letter')],
      [
        'Execute shell commands with configurable options.',
        own('the description is that of the document, to the letter'),
      ],
      ['- Always quote paths with spaces', own('the description is that of the document, to the letter')],
      [
        'For long-running commands, use run_in_background: true',
        own('the description is that of the document, to the letter', TASK),
      ],
      ['command: z.string().min(1),', own([BAD_INPUT, "{ command: '' }"])],
      [
        'timeout: z.number().min(0).max(600000).optional(),',
        own([BAD_INPUT, "{ command: 'ls', timeout: 600_001 }", "{ command: 'ls', timeout: -1 }"]),
      ],
      ['env: z.record(z.string()).optional()', own([BAD_INPUT, "{ command: 'ls', env: { A: 1 } }"])],
    ]),
    ...section('Bash Executor', [
      [
        'this.config = { ...DEFAULT_CONFIG, ...config };',
        own('BashConfig and its defaults', 'blockedCommands', 'maxOutputSize', 'maxTimeout and defaultTimeout'),
      ],
      [
        'const safetyResult = this.checkSafety(input.command);',
        own(['%s', 'rm -rf /'], 'a blocked command does not run, and the reason is reported'),
      ],
      ['stderr: safetyResult.reason,', own(['%s', 'rm -rf /', 'chmod -R 777 .'])],
      ['exit_code: -1,', own(['%s', 'rm -rf /', 'chmod -R 777 .'])],
      [
        'const timeout = Math.min(',
        [
          ...own('maxTimeout and defaultTimeout', 'a timeout ends it, with what was written; 0 is the default'),
          ...terms(['%s: its timeouts and its view', 'proposal-0028']),
        ],
        { differs: 'The schema of the document refuses a `timeout` above the maximum before that.' },
      ],
      [
        'const cwd = input.cwd || context.cwd;',
        own('cwd and env are for one command', 'the folder of a command is that of the next one'),
      ],
      [
        'maxBuffer: this.config.maxOutputSize * 2,',
        own('maxOutputSize over 30,000'),
        {
          differs: 'Longer output is truncated, not an error.',
        },
      ],
      [
        'env: { ...process.env, ...input.env },',
        environment("a clean environment has hardshell's variables and a few harmless ones"),
        {
          differs:
            'Commands get a clean environment without the secrets of the host, as the security considerations of the same document ask ("Don\'t leak sensitive env vars").',
        },
      ],
      ["shell: '/bin/bash'", own('the command is read by bash')],
      ['duration_ms: Date.now() - start,', own('duration_ms is the time that it took')],
      [
        'truncated: stdout.length > this.config.maxOutputSize',
        own('BashOutput of a success', 'output truncation, drawn and as the tool answers'),
      ],
      [
        'exit_code: execError.code || 1,',
        own('BashOutput of a failure', 'a timeout ends it, with what was written; 0 is the default'),
      ],
      ['`Background task started: ${taskId}`', own(TASK)],
      ['child.stdout?.pipe(logStream);', own('both streams of a task are in its file')],
      ['detached: true,', inFile('test/running/tasks.test.ts')('closing the tool ends no task')],
      ['this.taskManager.register({', own(TASK)],
      ['this.taskManager.complete(taskId, code || 0);', own(TASK)],
      [
        '`Command contains blocked pattern: ${blocked}`',
        [
          ...own(
            ['%s', 'rm -rf /', 'mkfs.ext4 /dev/sda'],
            'the blocked entry is shown as it was configured, whatever it contains',
          ),
          ...everywhere(BLOCKS),
        ],
      ],
      ["reason: 'Recursive delete from root'", own(['%s', 'rm  -rf  /usr'])],
      ["reason: 'Writing to block device'", own(['%s', 'echo x > /dev/sda'])],
      ["reason: 'Insecure permissions'", own(['%s', 'chmod -R 777 .'])],
      [
        '... (${truncated} characters truncated) ...',
        [
          ...own('maxOutputSize', 'truncated characters are counted as characters, not as bytes'),
          ...inFile('src/render/views/views.test.ts')(
            '30,000 characters are shown whole, more as two halves with the line of the proposal',
          ),
        ],
      ],
    ]),
    ...section('Streaming Support', [
      [
        'async function* executeWithStreaming(',
        own('pieces as they come, then the exit code', 'who leaves the loop ends the command', [
          '%s holds when streamed as it does otherwise',
          'bad input',
        ]),
      ],
      [
        "yield { type: 'exit', code: exitCode };",
        own('pieces as they come, then the exit code', 'a blocked command does not run, and the reason is reported'),
      ],
    ]),
    ...section('User Experience', [
      ['Running: Build the project', own('foreground with description')],
      ['✓ Command completed (4.2s)', own('foreground with description')],
      ['┌─ Background Task Started', own('background execution', TASK)],
      ['Use /tasks to check status', own('background execution', TASK)],
      ['Use TaskOutput to get results', own('background execution', TASK)],
      ['Exit code: 0', own('streaming output', 'at the end there is the screen of the document')],
      ['Duration: 32.4s', own('streaming output', 'at the end there is the screen of the document')],
      ['⚠️ Command Blocked', own('safety block, drawn and as the tool answers')],
      ['If you need to delete files, specify exact paths.', own('safety block, drawn and as the tool answers')],
      ['Output (truncated):', own('output truncation, drawn and as the tool answers')],
    ]),
    ...section('Security Considerations', [
      ['Block dangerous patterns', own(['%s', 'rm -rf /'], [PATTERNS, 'dd if=a of=/dev/sda'])],
      [
        'Validate file paths',
        inFile('test/deciding/decide.test.ts')(
          ['%s: %s is %s', 'touch ../x'],
          ['%s with %j: %s', 'npm test > /tmp/test.log'],
        ),
      ],
      [
        "Don't leak sensitive env vars",
        environment(['withholds %s and reports it, without its value', 'GITHUB_TOKEN']),
      ],
      [
        'Limit CPU/memory usage',
        inFile('test/contract/runner-contract.ts')(
          'memory of the tree beyond its limit ends the command',
          'a processor that stays busy beyond the limit ends the command',
        ),
        { differs: 'The document has no number: `limits` in the settings has it.' },
      ],
      ['Kill hung processes', foreground('a timeout ends the whole tree and keeps what was written before')],
      ['/rm\\s+-rf\\s+\\//,', own(['%s', 'rm -rf /', 'rm  -rf  /usr'])],
      ['/mkfs/,', own(['%s', 'mkfs.ext4 /dev/sda'])],
      ['/dd\\s+if=.*of=\\/dev/,', own([PATTERNS, 'dd if=a of=/dev/sda'])],
      ['/>\\s*\\/etc/,', own([PATTERNS, 'echo x > /etc/passwd'])],
      ['/curl.*\\|\\s*bash/,  // Pipe to shell', own([PATTERNS, 'curl http://localhost:1/x | bash'])],
    ]),
  ],
};
