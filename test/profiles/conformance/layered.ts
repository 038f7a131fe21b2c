// LAYER: the implementation document of a bash tool with layers of security.

import { type Conformance, inFile, section } from './point.ts';

const own = inFile('test/profiles/layered.test.ts');
const everywhere = inFile('test/profiles/everywhere.test.ts');
const terms = inFile('test/terms/profile.test.ts');
const foreground = inFile('test/running/foreground.test.ts');
const metrics = inFile('test/recording/metrics.test.ts');
const fields = inFile('test/profiles/layered-fields.test.ts');
const threats = inFile('src/decide/checks/threats/threats.test.ts');
const variables = inFile('src/run/environment.test.ts');
const contract = inFile('test/contract/runner-contract.ts');
const violations = inFile('test/sandboxed/violations.test.ts');

export const LAYERED: Conformance = {
  profile: 'layered',
  document: 'Bash工具实现文档 (bash tool with layered security)',
  points: [
    ...section('命令安全验证算法', [
      [
        "reason: 'Command not in whitelist'",
        own('allowed_commands: nothing else runs', 'debug_info: parsing, checks, timeline'),
      ],
      [
        'Dangerous operation detected',
        [
          ...own('a refusal: nothing ran, and the check that refused is named'),
          ...inFile('test/deciding/checks.test.ts')('matches %s'),
        ],
        {
          differs:
            'Checks know what a command does; the patterns over its text are not used: `/[;&|`$(){}]/` would refuse nearly every command.',
        },
      ],
      ['Path access violation', own('allowed_paths: only inside, and only what was allowed already')],
      [
        'Injection attempt detected',
        own('command and args are a program and its words: nothing is expanded'),
        { differs: 'Arguments are passed as words, so nothing in them can be injected.' },
      ],
      ['Resource access violation', own('max_memory: past it the command is ended')],
    ]),
    ...section('沙箱执行环境', [
      [
        'shell: false, // 禁用shell解释以防止注入',
        own('without shell features, text with blanks is the name of a program that is not there'),
        { means: 'No shell reads the command.' },
      ],
      ["HISTFILE: '/dev/null',", variables("a clean environment has hardshell's variables and a few harmless ones")],
      [
        'HOME: this.workingDirectory,',
        variables("the caller's home, user and shell take precedence over the host"),
        {
          differs:
            'HOME stays: without it git, npm and most tools do not find their settings. The sandbox hides its secrets.',
        },
      ],
      ['Output size limit exceeded', own('max_output_size: past it the command is ended with resource_limit_exceeded')],
      [
        'await this.setFileDescriptorLimit(pid',
        [
          ...everywhere('layered: its whitelist, its limits and its timeout'),
          ...terms('layered: the limits of its configuration'),
        ],
      ],
      [
        'await this.setProcessLimit(pid',
        [
          ...terms('layered: the limits of its configuration'),
          ...contract('more processes than the limit end the command'),
        ],
      ],
    ]),
    ...section('命令执行监控', [
      [
        'diskIO: 0,',
        [],
        {
          missing:
            'Updates while a command runs have no disk and network traffic; the result has what was read and written.',
        },
      ],
      ["type: 'resource_update',", own('responses while it runs and at its end')],
      [
        '1000); // 每秒监控一次',
        contract('use is measured and resource events come'),
        { means: 'Resources are measured once a second.' },
      ],
      [
        "process.kill(monitorInfo.pid, 'SIGTERM');",
        [
          ...foreground('a timeout ends the whole tree and keeps what was written before'),
          ...foreground('passing a limit ends it'),
        ],
        { differs: 'The whole tree is ended, not one process.' },
      ],
    ]),
    ...section('智能命令解析', [
      ['const tokens = this.tokenizeCommand(commandLine);', own('debug_info: parsing, checks, timeline')],
      ["isSecure: securityAnalysis.riskLevel === 'low'", own('debug_info: parsing, checks, timeline')],
    ]),
    ...section('输入接口规范', [
      ['args?: string[];', own('its fields', 'command and args are a program and its words: nothing is expanded')],
      [
        'description?: string;                 // 命令描述（用于日志）',
        inFile('test/profiles/standard.test.ts')('%s: the description reaches the person who is asked, and the record'),
        { means: 'A description of the command, for the log.' },
      ],
      ['cwd?: string;', own('cwd and env')],
      ['env?: Record<string, string>;', own('cwd and env')],
      ['timeout?: number;', own('max_execution_time and timeout: the shorter one')],
      ['capture_output?: boolean;', own('capture_output: false leaves the output out, of the text too')],
      [
        'stream_output?: boolean;',
        own('every piece has a stream, a number, a time and its place', 'enableStreaming: false sends nothing'),
      ],
      [
        'max_output_size?: number;',
        own(
          'max_output_size: past it the command is ended with resource_limit_exceeded',
          'up to its limit all of the output is in the answer, by stream',
        ),
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
      ['max_cpu_usage?: number;', contract('a processor that stays busy beyond the limit ends the command')],
      ['max_execution_time?: number;', own('max_execution_time and timeout: the shorter one')],
      [
        'max_file_operations?: number;',
        own('max_file_operations cannot be enforced: a request with it is refused'),
        { differs: 'Files that were created, changed or deleted are counted; the kernel counts no single operations.' },
      ],
      [
        'enable_sandbox?: boolean;',
        own('enable_sandbox: false is a request to the engine, preserve_environment too'),
        { differs: '`false` is a request: the settings must allow it, and a person is asked.' },
      ],
      [
        'preserve_environment?: boolean;',
        [
          ...own('enable_sandbox: false is a request to the engine, preserve_environment too'),
          ...variables('withholds %s and reports it, without its value'),
        ],
        { differs: 'Secrets are never passed on.' },
      ],
      [
        'enable_shell_features?: boolean;',
        own('enable_shell_features: the command is shell text, args are still words'),
      ],
    ]),
    ...section('输出接口规范', [
      ['interface BashToolOutput', own('every group of a success is filled with what was measured')],
      [
        'environment_variables: Record<string, string>;',
        own('variables whose names say that they are secrets are not shown'),
        { differs: 'Without the values of secrets.' },
      ],
      ['max_memory_used: number;', own('every group of a success is filled with what was measured')],
      ['validation_passed: boolean;', own('a refusal: nothing ran, and the check that refused is named')],
      ['signal?: string;', own('a signal is named')],
      [
        'recovery_suggestions?: string[];',
        own('a refusal: nothing ran, and the check that refused is named', '%s from a real run'),
      ],
      ['execution_timeline: ExecutionEvent[];', own('debug_info: parsing, checks, timeline')],
    ]),
    ...section('与其他组件的接口', [
      [
        'analyzesFileOperations(command: string, args: string[]): FileOperationAnalysis;',
        own('file tools: what a command touches, whether it may, and what it has changed'),
      ],
      [
        'validateFileOperationPermissions(',
        own('file tools: what a command touches, whether it may, and what it has changed'),
      ],
      [
        'syncFileStateAfterExecution(',
        own('file tools: what a command touches, whether it may, and what it has changed'),
      ],
      [
        'updateCommandWhitelist(commands: string[]): void;',
        own('configuration: the whitelist and the limits of a session'),
      ],
      [
        'configureResourceLimits(limits: ResourceLimits): void;',
        own('configuration: the whitelist and the limits of a session'),
      ],
      [
        'triggerSecurityAlert(alert: SecurityAlert): void;',
        inFile('test/recording/alerts.test.ts')('a command that a safety check refuses'),
      ],
      [
        'recordAuditLog(entry: AuditLogEntry): void;',
        inFile('test/recording/observer.test.ts')('every step becomes a record that is complete in itself'),
      ],
    ]),
    ...section('命令执行协议', [
      [
        'interface CommandExecutionRequest',
        own(
          'every field of the document is among those that are compared',
          'its contexts hold',
          'a request %j that makes no sense is answered',
        ),
      ],
      ["status: 'running' | 'completed' | 'failed' | 'terminated';", own('status %s')],
      [
        'permissions: Permission[];',
        [],
        { missing: 'No effect: permissions of a user belong to the settings (`users`).' },
      ],
      ['enableResourceMonitoring: boolean;', [], { missing: 'No effect: resources are always measured.' }],
      [
        "type: 'stdout' | 'stderr' | 'resource_update' | 'status_change';",
        own('responses while it runs and at its end'),
      ],
    ]),
    ...section('流式输出协议', [
      ['sequenceNumber: number;', own('every piece has a stream, a number, a time and its place')],
      ['byteOffset?: number;', own('every piece has a stream, a number, a time and its place')],
      ["type: 'stdout' | 'stderr' | 'status' | 'resource' | 'error';", own('an event %s')],
    ]),
    ...section('多层安全防护', [
      [
        'const userPermissions = await this.getUserPermissions(context.userId);',
        inFile('test/deciding/decide.test.ts')('%s: %s is %s'),
      ],
      [
        'async createSecureSandbox(',
        inFile('test/doctor/diagnose.test.ts')('the best that is had here holds what it claims'),
      ],
      [
        'allowedHosts: context.allowedNetworkHosts || [],',
        violations('a host that no rule allows', 'a host that a rule denies, although the allowed command names it'),
      ],
      ['alertOnUnauthorizedAccess: true,', violations('the same in events, result, audit, metrics and alerts')],
      [
        'logAllFileOperations: securityPolicy.auditLevel >= AuditLevel.DETAILED',
        inFile('test/recording/log.test.ts')('the level basic holds no files and no operations'),
      ],
      [
        'await monitor.enableSyscallMonitoring({',
        inFile('test/contract/backends-chosen.test.ts')('${architecture}: %s %s is answered with %s'),
        { differs: 'System calls are refused by seccomp and Landlock; single calls are not reported.' },
      ],
    ]),
    ...section('威胁检测与响应', [
      ['addDetectionRule(rule: ThreatDetectionRule): void {', [...own('one that %s'), ...threats('%s with %d: %s')]],
      [
        'mitigationSuggestions: detectionResult.mitigationSuggestions',
        threats('the finding names the rule, the evidence and what to do'),
      ],
      [
        'overallRiskLevel: this.calculateOverallRisk(threats),',
        fields('privilege escalation is critical, and the threat analysis says why'),
      ],
      [
        'recommendedAction: this.getRecommendedAction(threats)',
        fields('privilege escalation is critical, and the threat analysis says why'),
      ],
    ]),
    ...section('错误分类体系', [
      ['enum BashErrorType {', own('the 17 types, in its order', '%s becomes a BashError')],
      ['getSecurityLevel(): SecurityLevel {', own('getSecurityLevel')],
      ['toUserMessage(): string {', own('toUserMessage')],
    ]),
    ...section('性能指标定义', [
      ['executionStats: {', metrics('executions')],
      ['commandTypeStats: Record<string, {', metrics('types of commands')],
      ['securityStats: {', metrics('security')],
      ['resourceStats: {', metrics('resources')],
      ['sandboxStats: {', metrics('the sandbox')],
    ]),
    ...section('基础配置', [
      ['enableSandbox: boolean;', terms('switches', 'in the options')],
      [
        'commandWhitelist: string[];',
        [
          ...own('LAYER BashConfiguration: whitelist and paths of the host hold besides those of a request'),
          ...terms('whitelists without a common entry allow nothing, whichever source they are from'),
        ],
      ],
      [
        'allowedPaths: string[];                // 允许的路径列表',
        own('LAYER BashConfiguration: whitelist and paths of the host hold besides those of a request'),
        { means: 'Allowed paths.' },
      ],
      ['securityLevel: SecurityLevel;         // 安全级别', terms('in the options'), { means: 'The security level.' }],
      [
        'defaultTimeout: number;               // 默认超时时间（30秒）',
        [
          ...own('LAYER BashConfiguration: its defaults'),
          ...everywhere('layered: its whitelist, its limits and its timeout'),
        ],
        { means: '30 seconds.' },
      ],
      [
        'maxOutputSize: number;                // 最大输出大小（10MB）',
        own('LAYER BashConfiguration: its defaults'),
        { means: '10 MB.' },
      ],
      ['enableStreaming: boolean;', own('enableStreaming: false sends nothing')],
      [
        'maxMemoryUsage: number;               // 最大内存使用（1GB）',
        own('LAYER BashConfiguration: its defaults'),
        { means: '1 GB.' },
      ],
      [
        'maxCpuUsage: number;                  // 最大CPU使用率（80%）',
        own('LAYER BashConfiguration: its defaults'),
        { means: '80 %.' },
      ],
      [
        'maxProcesses: number;                 // 最大进程数（10）',
        own('LAYER BashConfiguration: its defaults'),
        { means: '10 processes.' },
      ],
      [
        'maxFileDescriptors: number;           // 最大文件描述符（1000）',
        [
          ...own('LAYER BashConfiguration: its defaults'),
          ...everywhere('layered: its whitelist, its limits and its timeout'),
        ],
        { means: '1,000 descriptors.' },
      ],
      [
        'preserveEnvironment: boolean;',
        terms('in the options', 'a request of the tool still says otherwise where the document lets it'),
      ],
      [
        'defaultWorkingDirectory: string;',
        everywhere('createShell({ profile: "layered" }) starts where its configuration says, and counts'),
      ],
      [
        'defaultShell: string;                 // 默认Shell（/bin/bash）',
        [...terms('in the options'), ...everywhere('a configuration that is wrong is an error: %j')],
        { means: 'The shell, /bin/bash.', differs: 'Only shells that hardshell understands; others are an error.' },
      ],
      [
        'enableMonitoring: boolean;',
        everywhere('a configuration that is wrong is an error: %j'),
        { differs: 'Only `true`: resources are always measured. Another value is an error.' },
      ],
      [
        'enableAuditing: boolean;',
        everywhere('a configuration that is wrong is an error: %j'),
        { differs: 'Only `true`: the settings decide what is recorded (`audit.enabled`). Another value is an error.' },
      ],
      [
        'logLevel: LogLevel;',
        everywhere('a configuration that is wrong is an error: %j'),
        { differs: 'Only `info`: there is no log besides the audit log (`audit.level`). Another value is an error.' },
      ],
    ]),
  ],
};
