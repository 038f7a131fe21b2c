// The profile `layered`: fields say what happened. For each there is a run in which it differs.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../../src/core/default-policy.ts';
import { type CommandExecutionResponse, executeRequest } from '../../src/profiles/layered/protocol.ts';
import { profileOf } from '../../src/profiles/profiles.ts';
import { NodeRunner } from '../../src/run/node-runner.ts';
import { hasKeeper } from '../running/subject.ts';
import { createSubject, FREE, needsKeeper, type Subject } from './subject.ts';

let subject: Subject;
beforeAll(() => {
  subject = createSubject(profileOf('layered'));
});
afterAll(() => subject.close());

// biome-ignore lint/suspicious/noExplicitAny: the tests look into every corner of the answer
type Output = Record<string, any>;
const shell = async (command: string, more = {}, calling = {}): Promise<Output> =>
  (await subject.call('bash', { command, enable_shell_features: true, ...more }, calling)).data;
const execute = (command: string, more = {}, calling = subject.calling, options = {}) =>
  executeRequest(
    { requestId: 'r', timestamp: 1, command, args: [], options: { enable_shell_features: true, ...options }, ...more },
    calling,
  );

describe('resources', () => {
  test('file operations are not counted, however many there are', async () => {
    const { resource_usage, success } = await shell('for i in 1 2 3 4 5; do echo x > made-$i; done');
    expect([success, resource_usage.file_operations]).toEqual([true, null]);
    expect(existsSync(join(subject.folder, 'made-5'))).toBe(true);
  });

  test('updates and the end have the same keys', async (context) => {
    needsKeeper(context);
    const responses: CommandExecutionResponse[] = [];
    const options = { enable_shell_features: true };
    const command = 'head -c 3000000 /dev/zero > big; sync big; i=0; while ((i < 300000)); do ((i++)); done; sleep 1.2';
    const request = { requestId: 'r', timestamp: 1, command, args: [], options };
    const last = await executeRequest(request, subject.calling, { onResponse: (each) => responses.push(each) });
    const update = responses.find(({ streamData }) => streamData?.type === 'resource_update');
    const keys = ['cpuUsage', 'memoryUsage', 'diskIO', 'networkIO'];
    expect(Object.keys(update?.streamData?.content as object)).toEqual(keys);
    expect(Object.keys(last.statistics.resourceUsage)).toEqual(keys);
    const { cpuUsage, memoryUsage, diskIO, networkIO } = last.statistics.resourceUsage;
    expect(cpuUsage).toBeGreaterThan(0);
    expect(memoryUsage).toBeGreaterThan(100_000);
    expect(diskIO).toBeGreaterThanOrEqual(0);
    // Without a host that it may reach, nothing can be sent.
    expect(networkIO).toBe(0);
  });

  test('resources are reported about once a second', async (context) => {
    needsKeeper(context);
    const times: number[] = [];
    const onEvent = ({ type, time }: { type: string; time: number }) => void (type === 'resource' && times.push(time));
    await shell('sleep 3.5', {}, { onEvent });
    // Under load they come later, never more often.
    expect(times.length).toBeGreaterThanOrEqual(2);
    expect(times.length).toBeLessThanOrEqual(4);
  });

  test('what was written is counted', async (context) => {
    needsKeeper(context);
    const { resource_usage } = await shell('head -c 3000000 /dev/zero > counted; sync counted; sleep 0.2');
    expect(resource_usage.disk_io_write).toBeGreaterThanOrEqual(3_000_000);
    expect((await shell('true')).resource_usage.disk_io_write).toBeLessThan(3_000_000);
  });

  test('what did not start has used nothing, and nothing is claimed', async () => {
    const { resource_usage, process_info } = await shell('rm -rf /');
    expect(resource_usage).toMatchObject({ wall_time: 0, cpu_time: null, max_memory_used: null, disk_io_read: null });
    expect(process_info).toMatchObject({ pid: 0, parent_pid: 0, child_processes: [] });
  });

  test('without the keeper they are not measured, and not 0', async () => {
    const plain = createSubject(profileOf('layered'), { runner: new NodeRunner() });
    try {
      const session = plain.calling.session.with({ sandbox: { name: 'unrestricted' } });
      const { data } = await plain.call('bash', { command: 'true' }, { session });
      expect(data.resource_usage).toMatchObject({ cpu_time: null, disk_io_read: null, disk_io_write: null });
    } finally {
      await plain.close();
    }
  });
});

test('pid is the process of the command', async (context) => {
  needsKeeper(context);
  const session = subject.calling.session.with({ sandbox: { name: 'unrestricted' } });
  const { stdout, process_info } = await shell('echo $$ $PPID; sleep 0.1', {}, { session });
  expect(stdout.trim().split(' ').map(Number)).toEqual([process_info.pid, process_info.parent_pid]);
});

describe('a command that still runs', () => {
  test('its response says so, with what it used until now', async (context) => {
    needsKeeper(context);
    const calling = { ...subject.converse(), answerWithin: 1500 };
    const { status, statistics, data, error } = await execute('echo begin; sleep 60', {}, calling, { timeout: 60_000 });
    expect([status, error, statistics.endTime]).toEqual(['running', undefined, undefined]);
    expect(data).toMatchObject({ success: false, exit_code: -1, stdout: 'begin\n' });
    expect((data as Output).resource_usage.cpu_time).toBeGreaterThanOrEqual(0);
    await (await subject.shell.task(data?.task_id as string))?.kill();
  });
});

describe('error types of real runs', () => {
  test.each([
    ['no-such-a && echo x', 'no-such-a'],
    ['echo x; no-such-b', 'no-such-b'],
    ['no-such-c; no-such-d', 'no-such-d'],
    ['no-such-e && no-such-f', 'no-such-e'],
    ['./no-such-g', './no-such-g'],
    ['timeout 5 no-such-h', 'no-such-h'],
    ['bash -c "no-such-i"', 'no-such-i'],
  ])('command_not_found: %s', async (command, name) => {
    const { error, exit_code } = await shell(command);
    expect([exit_code, error?.type, error?.details.command]).toEqual([127, 'command_not_found', name]);
    expect(error.message).toBe(`Command not found: '${name}'`);
  });

  test.each(['exit 127', 'exit 126', 'f() { return 127; }; f', 'ls | (cat; exit 127)'])(
    '%s is an exit code, not an error',
    async (command) => {
      const { error, success } = await shell(command);
      expect([success, error]).toEqual([false, undefined]);
    },
  );

  test('permission_denied: a file that cannot be run', async () => {
    writeFileSync(join(subject.folder, 'plain.txt'), 'x', { mode: 0o644 });
    const { error, exit_code } = await shell('echo a; ./plain.txt');
    expect([exit_code, error?.type]).toEqual([126, 'permission_denied']);
    expect(error.message).toBe("Permission denied: Cannot execute './plain.txt'");
  });

  test('network_error: a host that is refused, and one that does not answer', async (context) => {
    needsKeeper(context);
    const { tier } = await subject.shell.enforcement(subject.calling.session.complete());
    if (tier === 'none') context.skip('nothing confines commands here');
    // As a script: a host that the command itself names is allowed with it.
    writeFileSync(join(subject.folder, 'fetch.sh'), 'curl -fsS -m 20 http://refused.example/\n');
    const refused = await shell('sh fetch.sh');
    expect(refused.error).toMatchObject({ type: 'network_error', details: { host: 'refused.example:80' } });
    // Without -f, curl shows the refusal of the proxy as a page and exits with 0.
    const page = await shell('curl -s -m 20 http://refused.example/');
    expect([page.exit_code, page.success, page.error?.type]).toEqual([0, false, 'network_error']);
    writeFileSync(join(subject.folder, 'page.sh'), 'curl -s -m 20 http://refused.example/; true\n');
    expect(await shell('sh page.sh')).toMatchObject({ success: false, error: { type: 'network_error' } });
    const session = subject.shell.session({ cwd: subject.folder, policy: FREE }).with({
      sandbox: { name: 'unrestricted' },
    });
    const silent = await shell('curl -sS -m 20 http://127.0.0.1:1/', {}, { session });
    expect([silent.exit_code, silent.error?.type, silent.error?.details.host]).toEqual([
      7,
      'network_error',
      '127.0.0.1',
    ]);
    expect((await shell('curl --no-such-option', {}, { session })).error).toBeUndefined();
  });

  test('missing_dependencies: the keeper', async () => {
    const settingsFile = join(subject.folder, 'settings.json');
    writeFileSync(settingsFile, JSON.stringify({ sandbox: { backend: 'keeper' } }));
    const plain = createSubject(profileOf('layered'), { runner: new NodeRunner(), settingsFile });
    try {
      // A policy of the caller would replace the settings.
      const session = plain.shell.session({ cwd: plain.folder });
      const { data } = await plain.call('bash', { command: 'pwd' }, { session });
      expect(data).toMatchObject({ success: false, error: { type: 'missing_dependencies' } });
      expect((data.error as Output).message).toMatch(/keeper.*is missing/);
    } finally {
      await plain.close();
    }
  });

  test('error.context has the values of the message', async () => {
    const timed = await execute('sleep 60', {}, subject.calling, { timeout: 300 });
    expect(timed.error).toMatchObject({ type: 'execution_timeout', context: { timeoutMs: 300 } });
    const refused = await execute('git add -A');
    expect(refused.error?.context.command).toBe('git add -A');
    const flood = await execute('seq 100000', {}, subject.calling, { max_output_size: 100 });
    expect(flood.error).toMatchObject({ context: { resource: 'output', limit: 100 } });
  });
});

describe('security', () => {
  test('statistics.securityEvents: findings, violations and limits', async (context) => {
    expect((await execute('echo x')).statistics.securityEvents).toEqual([]);
    const refused = (await execute('rm -rf /')).statistics.securityEvents;
    expect(refused).toContainEqual(expect.objectContaining({ type: 'finding', severity: 'critical' }));
    const outside = await execute('cat ../x', {}, subject.calling, { allowed_paths: ['.'] });
    expect(outside.statistics.securityEvents).toMatchObject([{ type: 'finding', id: 'read-outside-roots' }]);
    const flood = await execute('seq 100000', {}, subject.calling, { max_output_size: 100 });
    expect(flood.statistics.securityEvents).toMatchObject([{ type: 'limit', id: 'output' }]);
    if (!hasKeeper) return;
    const { tier } = await subject.shell.enforcement(subject.calling.session.complete());
    if (tier === 'none') context.skip('nothing confines commands here');
    writeFileSync(join(subject.folder, 'outside.sh'), 'echo x > /opt/hardshell-never 2>/dev/null\n');
    expect((await execute('sh outside.sh')).statistics.securityEvents).toMatchObject([
      { type: 'violation', target: '/opt/hardshell-never' },
    ]);
  });

  const checksOf = ({ debug_info }: Output) =>
    debug_info.security_checks
      .filter(({ allowed }: Output) => !allowed)
      .map(({ blockedBy, riskLevel, reason }: Output) => [blockedBy, riskLevel, reason]);

  test('a check that refuses has the text and the risk of the document', async () => {
    const strict = subject.converse(DEFAULT_POLICY);
    const path = await shell('cat ../x', { allowed_paths: ['.'] }, strict);
    expect(checksOf(path)).toContainEqual([
      'path_security_check',
      'medium',
      expect.stringMatching(/^Path access violation: /),
    ]);
    expect(path.security_info.risk_level).toBe('medium');
    const listed = await shell('ls', { allowed_commands: ['echo'] });
    expect(checksOf(listed)).toEqual([['whitelist_check', 'high', 'Command not in whitelist']]);
    expect(listed.security_info.risk_level).toBe('high');
    const dangerous = await shell('rm -rf /');
    expect(checksOf(dangerous)[0]).toEqual([
      'dangerous_ops_check',
      'critical',
      expect.stringMatching(/^Dangerous operation detected: /),
    ]);
    const flood = await shell('seq 100000', { max_output_size: 100 });
    expect(checksOf(flood)).toEqual([
      ['resource_access_check', 'medium', expect.stringMatching(/^Resource access violation: /)],
    ]);
  });

  test('code that cannot be told is refused as an injection', async () => {
    const strict = subject.converse(DEFAULT_POLICY);
    const unknown = await shell('$(cat plan) now', {}, strict);
    expect(checksOf(unknown)).toContainEqual([
      'injection_check',
      'high',
      expect.stringMatching(/^Injection attempt detected: /),
    ]);
  });

  test('what passed names the command that ran', async () => {
    const { debug_info } = await shell('echo a');
    for (const check of debug_info.security_checks)
      expect(check).toMatchObject({ allowed: true, reason: 'All security checks passed', sanitizedCommand: 'echo a' });
  });

  test('privilege escalation is critical, and the threat analysis says why', async () => {
    const { security_info, debug_info } = await shell('sudo -n ls', {}, subject.converse(DEFAULT_POLICY));
    expect(security_info.risk_level).toBe('critical');
    const { threatAnalysis, riskLevel } = debug_info.command_parsing.securityAnalysis;
    expect(riskLevel).toBe('critical');
    expect(threatAnalysis).toMatchObject({
      threatsDetected: true,
      overallRiskLevel: 'critical',
      threats: [{ ruleId: 'privilege_escalation_detection', threatType: 'privilege_escalation', severity: 'critical' }],
    });
    const calm = (await shell('ls')).debug_info.command_parsing;
    expect(calm.securityAnalysis.threatAnalysis).toMatchObject({ threatsDetected: false, recommendedAction: 'run' });
    expect(calm.isSecure).toBe(true);
  });

  test('the recommended action is what the tool does, in every mode', async () => {
    const analysisOf = async (command: string, calling = {}) =>
      (await shell(command, {}, calling)).debug_info.command_parsing.securityAnalysis.threatAnalysis;
    const asking = subject.converse(DEFAULT_POLICY);
    const blocked = { overallRiskLevel: 'critical', recommendedAction: 'block' };
    expect(await analysisOf('rm -rf /')).toMatchObject(blocked);
    expect(await analysisOf('rm -rf /', asking)).toMatchObject(blocked);
    expect(await analysisOf('git push', asking)).toMatchObject({ recommendedAction: 'confirm' });
    expect(await analysisOf('touch asked')).toMatchObject({ overallRiskLevel: 'low', recommendedAction: 'run' });
  });

  test.each([
    ['ls', 'pipeline'],
    ['ls | cat', 'pipeline'],
    ['true; ls', 'list'],
    ['true\nls', 'list'],
    ['true && ls', 'list'],
    ['ls | cat && ls | wc', 'list'],
    ['(ls)', 'compound'],
    ['if true; then ls; fi', 'compound'],
  ])('ast.type of %j is %s', async (command, type) => {
    expect((await shell(command)).debug_info.command_parsing.ast.type).toBe(type);
  });
});
