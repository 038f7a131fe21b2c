// CC: the description of Claude Code's BashTool.

import { type Conformance, inFile, section } from './point.ts';

const own = inFile('test/profiles/claude-code.test.ts');
const corpus = inFile('test/understanding/corpus.test.ts', 'test/cases/');
const checks = inFile('test/deciding/checks.test.ts', 'src/decide/checks/');
const deciding = inFile('test/deciding/decide.test.ts');
const matching = inFile('src/decide/rules/match.test.ts');
const leaving = inFile('test/sandboxed/leaving.test.ts');
const violations = inFile('test/sandboxed/violations.test.ts');
const managed = inFile('test/sandboxed/managed.test.ts');
const loading = inFile('src/config/load.test.ts');
const verdicts = inFile('test/deciding/verdicts.test.ts', 'test/cases/verdicts/');
const paths = inFile('src/config/layers/paths.test.ts');
const suggesting = inFile('src/decide/suggest.test.ts');
const work = inFile('test/sandboxed/real-work.test.ts');
const contract = inFile('test/contract/runner-contract.ts');
const validating = inFile('src/config/document/validate.test.ts');
const images = inFile('src/run/image-resize.test.ts');
const shells = inFile('test/running/other-shells.test.ts');

const JUDGED = '%s with %j: %s';
const HINTS = 'CC hints are taken out of the output and handed over, and CLAUDECODE=1 is set';
const SED = 'CC sed -i is known as an edit, and the changed file is named';
const PROGRESS = 'the last lines, the whole so far, time, lines and bytes';

export const CLAUDE_CODE: Conformance = {
  profile: 'claude-code',
  document: 'BashTool of Claude Code',
  points: [
    ...section('架构概览:多层防御体系', [
      [
        'A[Tool Invocation] --> B[Input Validation]',
        own('CC the input: command, description, timeout, run_in_background, dangerouslyDisableSandbox', [
          'CC input validation: %j is answered',
          "{ command: '' }",
          "{ command: 'ls', timeout: 600_001 }",
        ]),
      ],
    ]),
    ...section('安全验证流水线:从 AST 到执行', [
      [
        'BashTool 使用 Tree-sitter 对 Shell 命令进行完整的语法树解析',
        [
          ...corpus(['%s', 'echo $(rm x)', 'true && rm x']),
          ...inFile('test/understanding/confirmed.test.js')('what ran was predicted'),
        ],
        {
          means: 'The command is parsed into a complete syntax tree, not matched by regular expressions.',
          differs: 'The parser is unbash; what it makes of a command is compared with bash itself.',
        },
      ],
      [
        "{ kind: 'unavailable' }  // Tree-sitter 不可用",
        inFile('src/analyze/analyze.test.ts')(['%j is cannot-tell', '$(', '((']),
        {
          means: 'The parser is not available.',
          differs:
            'The parser is part of hardshell. Text that it cannot read is `cannot-tell`, which is never allowed.',
        },
      ],
      [
        "{ kind: 'too-complex' }  // 嵌套层级过深",
        inFile('src/analyze/analyze.test.ts')('eight levels are followed, more are not'),
        { means: 'Nesting that is too deep is not understood.' },
      ],
      [
        '命令替换$(cmd)`cmd`<(cmd)>(cmd)',
        corpus(['%s', 'echo $(rm x)', 'cat <<E\n`rm x`\nE', 'cat <(rm x)', 'tee >(rm x)']),
        { means: 'Command substitutions are recognized.' },
      ],
      [
        '变量展开${var}$var$[arithmetic]',
        corpus(['%s', 'echo ${X:-$(rm x)}', 'echo $((1 + $(rm x)))', 'unset x; echo "${x:-d}"']),
        { means: 'Expansions are recognized.' },
      ],
      [
        '重定向操作>file>>file<file2>&1',
        corpus(['%s', 'ls >>f', 'ls 2>&1', 'cd /tmp && ls >f']),
        { means: 'Redirects are recognized.' },
      ],
      [
        '复合命令cmd1 && cmd2cmd1 || cmd2cmd1 ; cmd2cmd1 | cmd2',
        corpus(['%s', 'true && rm x', 'false || rm x', 'cd x; rm y', 'ls | rm x']),
        { means: 'Compound commands are recognized.' },
      ],
    ]),
    ...section('危险模式检测器', [
      [
        'bashSecurity.ts 实现了 20+ 个独立的验证器',
        own('CC there are more than 20 separate checks'),
        { means: 'More than 20 separate validators, each for one attack.' },
      ],
      [
        'Zsh 特有:=cmd 展开为 $(which cmd)',
        checks(['matches %s', '=ls x', 'sudo =rm x']),
        { means: '`=cmd` of zsh, which gets around a blacklist.' },
      ],
      [
        'const ZSH_DANGEROUS_COMMANDS = new Set([',
        checks([
          'matches %s',
          'zmodload zsh/net/tcp',
          "emulate sh -c 'id'",
          'sysopen -w -u 3 f',
          'zpty a sh',
          'zf_rm -rf x',
        ]),
      ],
      [
        '系统会检测引号状态不同步攻击',
        checks(['matches %s', 'echo "a', "echo 'it's ok'"]),
        { means: 'Quotes that are not closed, or that two parsers read differently.' },
      ],
    ]),
    ...section('Heredoc 安全验证', [
      [
        '✅ 安全:单引号定界符,无变量展开',
        [
          ...verdicts(['%s', "cat <<'EOF'\nplan:\n1. read\n2. write\nEOF"]),
          ...corpus(['%s', 'git commit -m "$(cat <<\'EOF\'\nfix: a $(rm x) b\nEOF\n)"']),
        ],
        { means: 'Safe: a quoted delimiter, nothing is expanded.' },
      ],
      [
        '❌ 危险:未引用定界符,会展开变量和命令',
        [
          ...corpus(['%s', 'cat <<E\n$(rm x)\nE']),
          ...verdicts(['%s', 'cat <<EOF\n$(rm -rf /)\nEOF']),
          ...checks(['matches %s', 'cat <<EOF\n$(date)\nEOF']),
        ],
        { means: 'An unquoted delimiter expands variables and commands: what it expands is checked.' },
      ],
      [
        '逐行查找第一个完全匹配的定界符',
        checks(['matches %s', 'cat <<EOF\nabc\n EOF\nrm x', "cat <<'EOF '\nx\nEOF \nid"]),
        { means: 'The first line that is exactly the delimiter closes it.' },
      ],
    ]),
    ...section('沙箱系统:隔离执行环境', [
      [
        '沙箱使用 Bubblewrap(Linux)或 Seatbelt(macOS)限制进程权限',
        inFile('test/contract/backends-chosen.test.ts')([
          '%s',
          'Linux with everything, and bubblewrap wanted',
          'Linux without a keeper',
          'a Mac',
        ]),
        {
          means: 'Bubblewrap or Seatbelt restrict the process.',
          differs:
            'The own backend (namespaces, Landlock, seccomp) needs no installed program. Bubblewrap can be chosen; Seatbelt is tested as text only.',
        },
      ],
      [
        'H --> N[CPU/Memory Limits]',
        contract(
          'memory of the tree beyond its limit ends the command',
          'a processor that stays busy beyond the limit ends the command',
        ),
        { differs: 'The document has no number: `limits` in the settings has it.' },
      ],
      [
        'if (!SandboxManager.isSandboxingEnabled()) return false',
        [
          ...own('CC settings of Claude Code: the sandbox, its hosts and its exceptions'),
          ...leaving('the sandbox unrestricted needs nothing'),
        ],
        {
          differs:
            'The setting is `sandbox.name`; `sandbox.enabled` is an error that says what to write, and `config import claude-code` translates it.',
        },
      ],
      [
        'if (input.dangerouslyDisableSandbox &&',
        [
          ...own('CC dangerouslyDisableSandbox is a request to the engine, which asks or refuses'),
          ...leaving('is refused unless the settings allow such requests', [
            'is put to a person where they do, who says %s',
            'allow',
            'deny',
          ]),
        ],
        { differs: 'Even if the settings allow such requests, a person is asked.' },
      ],
      [
        'if (!input.command) return false',
        own(['CC input validation: %j is answered', "{ command: '' }"]),
        { differs: 'An empty command does not run at all.' },
      ],
      [
        'if (containsExcludedCommand(input.command)) return false',
        leaving(['%s: %s', 'git --version', 'git --version | cat']),
        { differs: 'Only if the command starts nothing else.' },
      ],
    ]),
    ...section('文件系统隔离', [
      ['//path → 绝对路径', paths(['%s is %s', '//etc/x']), { means: '`//path` is absolute.' }],
      ['/path → 相对于设置文件目录', paths(['%s is %s', '/x']), { means: '`/path` is relative to the settings.' }],
      ['~/path → 用户主目录', paths(['%s is %s', '~/x']), { means: '`~/path` is in the home.' }],
      [
        './pathpath → 当前工作目录',
        paths(['%s is %s', './x', 'x']),
        { means: '`./path` and `path`: the current folder.' },
      ],
      [
        'allowWrite: resolveWritePaths(settings.sandbox.filesystem.allowWrite),',
        inFile('src/config/import/claude-code.test.ts')([
          '%j',
          "{ allowWrite: ['/out', '//srv', '~/c', './d'], denyRead: ['//e', '/keys'] }",
        ]),
      ],
      ['I[Allow: Project Dir]', violations('files outside: what is refused is seen, whatever the command prints')],
      [
        'K[Deny: ~/.ssh, ~/.gnupg]',
        [
          ...violations('files outside: what is refused is seen, whatever the command prints'),
          ...work('files with secrets in the home cannot be read, and the tools that look for them still work'),
        ],
      ],
      [
        'if (shouldAllowManagedReadPathsOnly()) {',
        [
          ...managed('what it hides stays hidden: no list of others and no yes opens it'),
          ...loading('their paths can be the only ones, also against rules'),
        ],
      ],
      [
        'await fs.mkdir(sandboxTmpDir, { mode: 0o700 })',
        [
          ...work('temporary files last from one command to the next, and are not in /tmp outside'),
          ...own('CC temporary files are in a folder that only its owner can open'),
        ],
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
      ["rule.ruleContent?.startsWith('domain:')", matching(['hits %s', 'curl https://example.com'])],
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
        '文件系统访问违规(读写被拒绝的路径)',
        violations('files outside: what is refused is seen, whatever the command prints'),
        {
          means: 'Violations of files: reading and writing.',
          differs:
            'What was written is reported. A hidden file is empty or absent for the command, and reading it is no violation.',
        },
      ],
      [
        '网络连接违规(访问非白名单域名)',
        violations('a host that no rule allows'),
        { means: 'Violations of the network.' },
      ],
      [
        '资源限制违规(CPU/内存超限)',
        inFile('test/profiles/layered-fields.test.ts')('statistics.securityEvents: findings, violations and limits'),
        {
          means: 'Violations of limits.',
          differs: 'A limit ends the command; it is the error of the result, not a violation of the sandbox.',
        },
      ],
      [
        'Bubblewrap 会在工作目录创建 0 字节的挂载点文件',
        inFile('test/attacks/bubblewrap.test.ts')('for names that are protected or hidden and do not exist'),
        { means: 'Files that Bubblewrap leaves behind are removed.', differs: 'None are created.' },
      ],
    ]),
    ...section('权限系统:细粒度访问控制', [
      [
        'Bash(git status) → 仅匹配 git status',
        matching(['covers %s', 'git status'], ['does not cover %s', 'git status -s']),
        { means: 'An exact rule.' },
      ],
      [
        'Bash(npm run:*) → 匹配所有 npm run 子命令',
        matching(['covers %s', 'npm run build'], ['does not cover %s', 'npm runner']),
        { means: 'A prefix.' },
      ],
      [
        'Bash(docker *) → 匹配所有 docker 开头的命令',
        matching(['covers %s', 'docker ps'], ['does not cover %s', 'dockerd']),
        { means: 'A wildcard.' },
      ],
      ['E -->|No| I[Ask User]', own('a read-only command runs without a question, another one needs a yes')],
      [
        'function getSimpleCommandPrefix(command: string): string | null {',
        suggesting(['%s → %j', 'git commit -m x'], 'exactly these commands, and never what runs anything'),
      ],
      [
        'NODE_ENV=prod npm run buildnpm run',
        [...suggesting(['%s → %j', 'NODE_ENV=prod npm run build']), ...deciding([JUDGED, 'NODE_ENV=x npm run build'])],
      ],
      [
        'MY_VAR=val npm run buildnull',
        [...suggesting(['%s → %j', 'FOO=1 npm run build']), ...deciding([JUDGED, 'MY_VAR=x npm run build'])],
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
      [
        '超过限制的命令会回退到 ask 行为(安全默认)',
        own('CC more than 50 commands are asked about'),
        { means: 'Above the limit, the user is asked.' },
      ],
      [
        '高置信度(> 0.9):自动允许或拒绝',
        deciding([
          JUDGED,
          "['npm install', { context: said('allow', 0.95) }, 'allow']",
          "['npm install', { context: said('deny', 0.95) }, 'deny']",
        ]),
        { means: 'Above 0.9 a classifier allows or denies.' },
      ],
      [
        '低置信度(≤ 0.9):询问用户',
        deciding([
          JUDGED,
          "['npm install', { context: said('allow', 0.9) }, 'ask']",
          "['npm install', { context: said('deny', 0.5) }, 'ask']",
        ]),
        { means: 'Up to 0.9 the user is asked.' },
      ],
      [
        '如果规则明确允许,即使分类器认为危险也会执行',
        deciding([JUDGED, "['npm install', { context: said('deny', 0.99), allow: ['Bash(npm install)'] }, 'allow']"]),
        { means: 'Rules have priority over the classifier.' },
      ],
    ]),
    ...section('只读命令识别:优化并发执行', [
      [
        '判断命令是否可安全并发执行',
        own('CC read-only commands can run at the same time'),
        { means: 'Read-only commands can run at the same time.' },
      ],
      [
        '折叠显示搜索/读取类命令的输出',
        corpus(['%s', 'ls -la src', 'cat a b']),
        {
          means: 'The output of commands that search or read is folded.',
          differs: 'hardshell has no display of its own: `facts.class` says what a command does.',
        },
      ],
      [
        '自动批准低风险操作',
        [
          ...own('a read-only command runs without a question, another one needs a yes'),
          ...verdicts('at most 2 % of what only reads is asked about'),
        ],
        { means: 'Read-only commands need no approval.' },
      ],
      [
        '搜索命令grep, rg, find, ag文本搜索、文件查找',
        corpus([
          '%s',
          'rg foo',
          'grep -f patterns f',
          'cat a b',
          'head -20 f',
          'ls -la src',
          'tree -aL 2 src',
          'du -sh *',
          'file -b f',
        ]),
        { means: 'Commands that search, read, list and analyze.' },
      ],
      [
        '所有部分都必须是只读命令',
        corpus(['%s', "git log --grep='#12' | head", 'ls | rm x']),
        { means: 'Every part of a pipeline must be read-only.' },
      ],
      [
        'git push --dry-run',
        corpus(['%s', 'git push --dry-run']),
        { differs: 'It changes nothing, but contacts the remote and runs the pre-push hook: it is asked about.' },
      ],
      [
        '-x/--exec 被排除,因为会执行任意命令',
        corpus(['%s', 'fd -x rm', 'fd --exec=rm']),
        { means: 'Flags that run commands are not read-only.' },
      ],
      [
        'return false  // 未知 flag,拒绝',
        corpus(['%s', 'git diff --outpu=f']),
        { means: 'A command with an unknown flag is not read-only.' },
      ],
      [
        'git status, git log, git diff, git show',
        corpus([
          '%s',
          'git status',
          'git log -1 --format=%H',
          'git diff',
          'git show',
          "git branch --list 'feature/*'",
          'git remote -v',
        ]),
      ],
      [
        'git commit, git push, git reset',
        corpus(['%s', 'git commit -F msg.txt', 'git reset --hard HEAD~1', 'git merge main', 'git rebase main']),
      ],
      ['git checkout -- .', [...corpus(['%s', 'git checkout -- src/a.ts']), ...verdicts(['%s', 'git checkout -- .'])]],
    ]),
    ...section('执行器架构', [
      [
        'BashProvider:标准 Bash/Zsh 执行',
        [
          ...own('stdout and stderr are apart'),
          ...inFile('src/run/shells/providers.test.ts')('zsh gets its hook on the first line'),
        ],
        { means: 'bash and zsh.' },
      ],
      [
        'PowerShellProvider:Windows PowerShell 执行(Base64 编码命令)',
        [
          ...inFile('src/run/shells/providers.test.ts')('any text is passed as UTF-16LE in base64'),
          ...shells(
            'no rule allows it, and a rule that denies a word of it holds',
            'unasked, it does not run, and the refusal does not call it invalid bash',
            'approved, PowerShell runs it',
          ),
        ],
        {
          means: 'PowerShell on Windows, with the command in Base64.',
          differs:
            'The library chooses it (`shell: "powershell"`), not this tool. hardshell does not analyze PowerShell: each command is asked about.',
        },
      ],
      ['pwd -P >| "${cwdFilePath}"', own('is followed, and reported')],
      [
        'onCwdChangedForHooks(newCwd)',
        own('is followed, and reported'),
        { differs: 'There are no hooks: `cwd` in the result says where the next command starts.' },
      ],
      [
        '系统会回退到原始启动目录',
        own('falls back when it is gone', 'a folder that something else deleted does not fail the next command'),
        { means: 'If the folder is gone, the original one is used.' },
      ],
    ]),
    ...section('进度流式传输', [
      ['output: lastProgressOutput,', own(PROGRESS)],
      ['elapsedTimeSeconds: elapsedTime,', own(PROGRESS, 'progress counts both streams, and the time')],
      ['totalBytes: lastTotalBytes', own(PROGRESS, 'progress counts both streams, and the time')],
      [
        'const ASSISTANT_BLOCKING_BUDGET_MS = 15_000',
        own(
          'ASSISTANT_BLOCKING_BUDGET_MS: after 15 seconds a command continues in the background',
          'a surface that can wait less is answered earlier, one that can wait longer is not',
        ),
        {
          differs: 'A surface that cannot wait that long is answered earlier. Its own `timeout` still ends a command.',
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
        own('over 64 MB, the text says what is not in the file'),
        {
          differs:
            'The first 48 MB and the last 16 MB are kept, not the first 64 MB: the end of an output says how it ended.',
        },
      ],
      ['persistedOutputSize = fileStat.size', own('over 30 KB it is kept on disk, with a preview and the path')],
      [
        'const preview = generatePreview(stdout, PREVIEW_SIZE_BYTES)',
        own('over 30 KB it is kept on disk, with a preview and the path'),
      ],
      ['let isImage = isImageOutput(stdout)', own('an image comes back as an image')],
      [
        'const resized = await resizeShellImageOutput(stdout, result.outputFilePath)',
        images(
          ['%s is scaled down and keeps its aspect ratio', 'image/png', 'image/jpeg'],
          'an image that is too large in its own format becomes JPEG',
        ),
        { differs: 'An image that cannot be made smaller is left as it is.' },
      ],
    ]),
    ...section('命令语义解释', [
      [
        '// grep: 0=匹配, 1=无匹配, 2+=错误',
        own(['%s', 'grep', 'grep with an error']),
        { means: '`grep` 1: no match, not an error.' },
      ],
      [
        '// diff: 0=无差异, 1=有差异, 2+=错误',
        own(['%s', 'diff']),
        { means: '`diff` 1: the files differ, not an error.' },
      ],
      [
        '// find: 0=成功, 1=部分成功, 2+=错误',
        own(['%s', 'find']),
        {
          means: '`find` 1: partly successful, not an error.',
          differs: 'find exits with 1 for wrong arguments, too: the text says to read stderr.',
        },
      ],
      ['// test/[: 0=真, 1=假, 2+=错误', own(['%s', 'test']), { means: '`test` 1: false, not an error.' }],
      [
        'throw new ShellError(',
        own('a timeout interrupts', ['%s', 'grep with an error']),
        { differs: 'Nothing is thrown: `isError` says it.' },
      ],
    ]),
    ...section('破坏性命令警告', [
      [
        '系统会检测潜在破坏性命令并显示警告(但不阻止执行)',
        own('CC destructive commands are let through with a warning'),
        { means: 'Destructive commands have a warning and are not blocked.' },
      ],
      ["warning: 'Note: may discard uncommitted changes' },", checks(['matches %s', 'git reset --hard'])],
      [
        "warning: 'Note: may overwrite remote history' },",
        checks(['matches %s', 'git push --force-with-lease', 'git push -f']),
        { differs: 'A force push without a lease is refused.' },
      ],
      [
        "warning: 'Note: may permanently delete untracked files' },",
        checks(['matches %s', 'git clean -f'], ['passes %s', 'git clean -n', 'git clean --dry-run -f']),
      ],
      ["warning: 'Note: may recursively force-remove files' },", checks(['matches %s', 'rm -rf build'])],
      [
        "warning: 'Note: may drop or truncate database objects' },",
        checks(['matches %s', "psql -c 'DROP TABLE x'", "mysql -e 'truncate table x'"]),
      ],
      ["warning: 'Note: may delete Kubernetes resources' },", checks(['matches %s', 'kubectl delete pod a'])],
      ["warning: 'Note: may destroy Terraform infrastructure' }", checks(['matches %s', 'terraform destroy'])],
      [
        '警告信息会显示在权限对话框中',
        own('has the warning about a destructive command'),
        { means: 'The question about a command has the warning.' },
      ],
    ]),
    ...section('Sed 内联编辑特殊处理', [
      [
        'BashTool 能够识别 sed -i 内联编辑命令',
        own(SED, 'has the description, and the diff of sed -i', [
          'says so if nothing would change, or cannot be shown: %s',
          "sed -i 's/none/x/' edit.txt",
        ]),
        {
          means: '`sed -i` is recognized as a file edit.',
          differs: 'The user who is asked sees the diff; approved, sed itself makes the edit, in the sandbox.',
        },
      ],
      [
        'notifyVscodeFileUpdated(sedInfo.filePath, originalContent, newContent)',
        own(SED),
        { differs: 'No editor is told: `changedFiles` in the result names the file.' },
      ],
    ]),
    ...section('Claude Code Hints 协议', [
      ['CLI/SDK 通过 CLAUDECODE=1 环境变量标识', own(HINTS), { means: '`CLAUDECODE=1` is set.' }],
      ['strippedStdout = extracted.stripped', own(HINTS)],
      [
        'maybeRecordPluginHint(hint)',
        own(HINTS),
        { differs: 'hardshell recommends nothing: `hints` in the result has them, and the caller decides.' },
      ],
    ]),
    ...section('总结与最佳实践', [
      [
        '未知命令询问用户',
        own('a read-only command runs without a question, another one needs a yes'),
        { means: 'The user is asked about unknown commands.' },
      ],
      [
        'sandbox.enabled: true',
        [
          ...own('CC settings of Claude Code: the sandbox, its hosts and its exceptions'),
          ...validating(['%j', '{"sandbox": {"enabled": true}}']),
        ],
        { differs: 'The default. Written in the settings, it is an error that names `sandbox.name`.' },
      ],
      [
        'sandbox.excludedCommands: ["bazel", "npm run"]',
        leaving(['%s: %s', 'git --version', 'sh -c "git --version"']),
        { differs: 'Names of programs only: `npm run` would run anything outside the sandbox.' },
      ],
      [
        'sandbox.network.allowedDomains: ["api.github.com"]',
        [
          ...own('CC settings of Claude Code: the sandbox, its hosts and its exceptions'),
          ...validating(['%j', '{"sandbox": {"network": {"allowedDomains": ["api.github.com"]}}}']),
        ],
        { differs: 'The setting is `domains.allow`; `config import claude-code` translates it.' },
      ],
      [
        'policySettings 覆盖用户配置',
        managed(
          'the sandbox: a request may ask for a stricter one, not for a wider one',
          'files of the user and of a trusted project lead nowhere out of it',
        ),
        { means: 'Managed settings override those of the user.' },
      ],
      [
        '关注 SandboxViolation 事件',
        violations('the same in events, result, audit, metrics and alerts'),
        { means: 'Violations can be monitored.' },
      ],
      [
        '使用 failIfUnavailable',
        leaving('nothing runs, and the answer says what to do'),
        { means: 'Without a sandbox nothing runs.' },
      ],
    ]),
  ],
};
