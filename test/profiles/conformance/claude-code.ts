// CC: the description of Claude Code's BashTool.

import { type Conformance, inFile, section } from './point.ts';

const own = inFile('test/profiles/claude-code.test.ts');
const corpus = inFile('test/understanding/corpus.test.ts');
const checks = inFile('test/deciding/checks.test.ts');
const deciding = inFile('test/deciding/decide.test.ts');
const matching = inFile('src/decide/rules/match.test.ts');
const leaving = inFile('test/sandboxed/leaving.test.ts');
const violations = inFile('test/sandboxed/violations.test.ts');
const managed = inFile('test/sandboxed/managed.test.ts');
const loading = inFile('src/config/load.test.ts');
const verdicts = inFile('test/deciding/verdicts.test.ts');

export const CLAUDE_CODE: Conformance = {
  profile: 'claude-code',
  document: 'BashTool of Claude Code',
  points: [
    ...section('安全验证流水线:从 AST 到执行', [
      [
        'BashTool 使用 Tree-sitter 对 Shell 命令进行完整的语法树解析',
        corpus('%s'),
        {
          means: 'The command is parsed into a complete syntax tree, not matched by regular expressions.',
          differs: 'The parser is unbash; a test compares it with tree-sitter-bash.',
        },
      ],
      [
        "{ kind: 'too-complex' }  // 嵌套层级过深",
        inFile('src/analyze/analyze.test.ts')('eight levels are followed, more are not', '%j is cannot-tell'),
        { means: 'Nesting that is too deep is not understood.' },
      ],
      [
        '命令替换$(cmd)`cmd`<(cmd)>(cmd)',
        corpus('%s'),
        { means: 'Command substitutions, expansions, redirects and compound commands are recognized.' },
      ],
    ]),
    ...section('危险模式检测器', [
      [
        'bashSecurity.ts 实现了 20+ 个独立的验证器',
        checks('matches %s', 'passes %s', 'ids are unique, kebab-case, and layers are known'),
        { means: 'More than 20 separate validators, each for one attack.' },
      ],
      [
        'Zsh 特有:=cmd 展开为 $(which cmd)',
        checks('matches %s'),
        { means: '`=cmd` of zsh, which gets around a blacklist.' },
      ],
      ['const ZSH_DANGEROUS_COMMANDS = new Set([', checks('matches %s')],
      ['系统会检测引号状态不同步攻击', checks('matches %s'), { means: 'Quotes that two parsers read differently.' }],
    ]),
    ...section('Heredoc 安全验证', [
      [
        '✅ 安全:单引号定界符,无变量展开',
        verdicts('$name'),
        { means: 'Safe: a quoted delimiter, nothing is expanded.' },
      ],
      [
        '❌ 危险:未引用定界符,会展开变量和命令',
        corpus('%s'),
        { means: 'An unquoted delimiter expands variables and commands: what it expands is checked.' },
      ],
    ]),
    ...section('沙箱系统:隔离执行环境', [
      [
        '沙箱使用 Bubblewrap(Linux)或 Seatbelt(macOS)限制进程权限',
        inFile('test/contract/backends-chosen.test.ts')('%s'),
        {
          means: 'Bubblewrap or Seatbelt restrict the process.',
          differs:
            'The own backend (namespaces, Landlock, seccomp) needs no installed program. Bubblewrap can be chosen; Seatbelt is tested as text only.',
        },
      ],
      [
        'if (!SandboxManager.isSandboxingEnabled()) return false',
        leaving('the sandbox unrestricted needs nothing'),
        {
          differs:
            'The setting is `sandbox.name: "unrestricted"`; `config import claude-code` translates `sandbox.enabled`.',
        },
      ],
      [
        'if (input.dangerouslyDisableSandbox &&',
        [
          ...own('CC dangerouslyDisableSandbox is a request to the engine, which asks or refuses'),
          ...leaving(
            'is refused unless the settings allow such requests',
            'is put to a person where they do, who says %s',
          ),
        ],
        { differs: 'Even if the settings allow such requests, a person is asked.' },
      ],
      ['if (containsExcludedCommand(input.command)) return false', leaving('%s: %s')],
    ]),
    ...section('文件系统隔离', [
      ['//path → 绝对路径', inFile('src/config/layers/paths.test.ts')('%s is %s'), { means: '`//path` is absolute.' }],
      [
        'K[Deny: ~/.ssh, ~/.gnupg]',
        inFile('test/sandboxed/real-work.test.ts')(
          'files with secrets in the home cannot be read, and the tools that look for them still work',
        ),
      ],
      [
        'if (shouldAllowManagedReadPathsOnly()) {',
        managed('what it hides stays hidden: no list of others and no yes opens it'),
      ],
      [
        'await fs.mkdir(sandboxTmpDir, { mode: 0o700 })',
        inFile('test/sandboxed/real-work.test.ts')(
          'temporary files last from one command to the next, and are not in /tmp outside',
        ),
      ],
    ]),
    ...section('网络隔离', [
      [
        '沙箱限制进程的网络访问,只允许白名单域名',
        [
          ...violations('a host that no rule allows', 'a connection that goes around the proxy'),
          ...inFile('src/confine/network/proxy.test.ts')(
            'a refused name is not even looked up: the question itself would carry data out',
          ),
        ],
        { means: 'Only listed domains can be reached.' },
      ],
      ["rule.ruleContent?.startsWith('domain:')", inFile('src/config/import/claude-code.test.ts')('%j')],
      [
        'if (shouldAllowManagedSandboxDomainsOnly()) {',
        [
          ...loading('their domains can be the only ones, also against rules'),
          ...managed('hosts: a request cannot add any, nor ports of this machine'),
        ],
      ],
    ]),
    ...section('沙箱违规处理', [
      [
        '当沙箱进程违反限制时,系统会捕获违规事件并标注输出',
        violations(
          'files outside: what is refused is seen, whatever the command prints',
          'the same in events, result, audit, metrics and alerts',
        ),
        { means: 'Violations are captured as events, and the output is annotated.' },
      ],
      [
        'Bubblewrap 会在工作目录创建 0 字节的挂载点文件',
        inFile('test/attacks/bubblewrap.test.ts')('for names that are protected or hidden and do not exist'),
        { means: 'Files that Bubblewrap leaves behind are removed.', differs: 'None are created.' },
      ],
    ]),
    ...section('权限系统:细粒度访问控制', [
      ['Bash(git status) → 仅匹配 git status', matching('covers %s', 'does not cover %s'), { means: 'An exact rule.' }],
      ['Bash(npm run:*) → 匹配所有 npm run 子命令', matching('covers %s', 'does not cover %s'), { means: 'A prefix.' }],
      [
        'Bash(docker *) → 匹配所有 docker 开头的命令',
        matching('covers %s', 'does not cover %s'),
        { means: 'A wildcard.' },
      ],
      [
        'function getSimpleCommandPrefix(command: string): string | null {',
        inFile('src/decide/suggest.test.ts')('%s → %j', 'exactly these commands, and never what runs anything'),
      ],
      [
        'return result  // 任一子命令被拒绝,整个命令被拒绝',
        own('one refused part refuses the whole'),
        { means: 'One refused part refuses the whole command.' },
      ],
      [
        'export const MAX_SUBCOMMANDS_FOR_SECURITY_CHECK = 50',
        inFile('src/analyze/analyze.test.ts')('fifty commands are analyzed, more are not'),
      ],
      ['高置信度(> 0.9):自动允许或拒绝', deciding('%s with %j: %s'), { means: 'A classifier counts above 0.9.' }],
      [
        '如果规则明确允许,即使分类器认为危险也会执行',
        deciding('%s with %j: %s'),
        { means: 'Rules have priority over the classifier.' },
      ],
    ]),
    ...section('只读命令识别:优化并发执行', [
      [
        '自动批准低风险操作',
        [
          ...own('a read-only command runs without a question, another one needs a yes'),
          ...verdicts('at most 2 % of what only reads is asked about'),
        ],
        { means: 'Read-only commands need no approval.' },
      ],
      [
        '所有部分都必须是只读命令',
        verdicts('%s', 'nothing dangerous is allowed'),
        { means: 'Every part of a pipeline must be read-only.' },
      ],
      ['git push --dry-run', corpus('%s')],
      ['-x/--exec 被排除,因为会执行任意命令', corpus('%s'), { means: 'Flags that run commands are not read-only.' }],
    ]),
    ...section('执行器架构', [
      [
        'PowerShellProvider:Windows PowerShell 执行(Base64 编码命令)',
        inFile('src/run/shells/providers.test.ts')('any text is passed as UTF-16LE in base64'),
        {
          means: 'PowerShell on Windows, with the command in Base64.',
          differs:
            'No surface chooses it: hardshell does not understand PowerShell, and what it does not understand does not run.',
        },
      ],
      ['pwd -P >| "${cwdFilePath}"', own('is followed, and reported')],
      [
        '系统会回退到原始启动目录',
        own('falls back when it is gone'),
        { means: 'If the folder is gone, the original one is used.' },
      ],
    ]),
    ...section('进度流式传输', [
      ['elapsedTimeSeconds: elapsedTime,', own('the last lines, the whole so far, time, lines and bytes')],
      [
        'ASSISTANT_BLOCKING_BUDGET_MS = 15_000',
        [],
        {
          missing:
            'There is no budget of 15 seconds: a surface sets how long it waits (`answerWithin`; 45 s over MCP).',
        },
      ],
      [
        'assistantAutoBackgrounded: true',
        own('a command that exceeds the budget continues in the background automatically'),
      ],
    ]),
    ...section('输出处理与持久化', [
      [
        '大型输出(> 30KB)会被持久化到磁盘',
        own('30 KB are shown whole', 'over 30 KB it is kept on disk, with a preview and the path'),
        { means: 'Output over 30 KB is kept on disk.' },
      ],
      [
        'const MAX_PERSISTED_SIZE = 64 * 1024 * 1024  // 64 MB',
        inFile('test/running/kept.test.ts')(
          'no more of it than of a task',
          'a file in whose middle something is missing',
        ),
        {
          differs:
            'The first and the last half of 64 MB are kept, not the first 64 MB: the end of an output says how it ended.',
        },
      ],
      ['let isImage = isImageOutput(stdout)', own('an image comes back as an image')],
    ]),
    ...section('命令语义解释', [
      ['// grep: 0=匹配, 1=无匹配, 2+=错误', own('%s'), { means: '`grep` 1: no match, not an error.' }],
      ['// diff: 0=无差异, 1=有差异, 2+=错误', own('%s'), { means: '`diff` 1: the files differ, not an error.' }],
      [
        '// find: 0=成功, 1=部分成功, 2+=错误',
        [],
        {
          means: '`find` 1: partly successful, not an error.',
          missing: 'Exit code 1 of `find` is an error: it is also the code for a folder that does not exist.',
        },
      ],
      [
        '// test/[: 0=真, 1=假, 2+=错误',
        inFile('src/render/exit-codes.test.ts')('%j ended with %j'),
        { means: '`test` 1: false, not an error.' },
      ],
      [
        'throw new ShellError(',
        own('a timeout interrupts', '%s'),
        { differs: 'Nothing is thrown: `isError` says it.' },
      ],
    ]),
    ...section('破坏性命令警告', [
      [
        '系统会检测潜在破坏性命令并显示警告(但不阻止执行)',
        own('CC destructive commands are let through with a warning'),
        { means: 'Destructive commands have a warning and are not blocked.' },
      ],
    ]),
    ...section('Sed 内联编辑特殊处理', [
      [
        'BashTool 能够识别 sed -i 内联编辑命令',
        [
          ...own('CC sed -i is known as an edit, and the changed file is named'),
          ...inFile('src/analyze/languages/sed-edit.test.ts')('the diff is unified'),
        ],
        {
          means: '`sed -i` is recognized as a file edit.',
          differs: 'sed itself runs, in the sandbox; the preview shows the same edit as a diff.',
        },
      ],
    ]),
    ...section('Claude Code Hints 协议', [
      [
        'CLI/SDK 通过 CLAUDECODE=1 环境变量标识',
        own('CC hints are taken out of the output and handed over, and CLAUDECODE=1 is set'),
        { means: '`CLAUDECODE=1` is set.' },
      ],
      [
        'strippedStdout = extracted.stripped',
        own('CC hints are taken out of the output and handed over, and CLAUDECODE=1 is set'),
      ],
    ]),
    ...section('总结与最佳实践', [
      [
        '使用 failIfUnavailable',
        leaving('nothing runs, and the answer says what to do'),
        { means: 'Without a sandbox nothing runs.' },
      ],
      [
        'sandbox.excludedCommands: ["bazel", "npm run"]',
        leaving('%s: %s'),
        { differs: 'Names of programs only: `npm run` would run anything outside the sandbox.' },
      ],
      [
        'policySettings 覆盖用户配置',
        managed('what the managed settings fix'),
        { means: 'Managed settings override those of the user.' },
      ],
    ]),
  ],
};
