// The profile `layered`: each option of its configuration and of its requests does something, or is an error.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { Policy } from '../../src/core/policy.ts';
import {
  type BashConfiguration,
  CONFIGURATION_CHECKS,
  DEFAULT_BASH_CONFIGURATION,
} from '../../src/core/profile-configuration.ts';
import { readRules } from '../../src/pipeline/check.ts';
import { createLayeredIntegration } from '../../src/profiles/layered/integration.ts';
import {
  type CommandExecutionRequest,
  type CommandExecutionResponse,
  executeRequest,
} from '../../src/profiles/layered/protocol.ts';
import { profileOf } from '../../src/profiles/profiles.ts';
import { createSubject, FREE, listenTo, needsKeeper, type Subject } from './subject.ts';

async function withSubject<Value>(
  layered: Partial<BashConfiguration>,
  work: (subject: Subject) => Promise<Value>,
): Promise<Value> {
  const subject = createSubject(profileOf('layered', { layered }));
  try {
    return await work(subject);
  } finally {
    await subject.close();
  }
}

describe('BashConfiguration', () => {
  test('every option has a check', () => {
    expect(Object.keys(CONFIGURATION_CHECKS.layered)).toEqual(Object.keys(DEFAULT_BASH_CONFIGURATION));
  });

  test.each<[object, RegExp]>([
    [{ maxProceses: 1 }, /^Unknown option: profiles\.layered\.maxProceses\.$/],
    [{ logLevel: 'nonsense' }, /logLevel can only be info/],
    [{ logLevel: 'debug' }, /logLevel can only be info/],
    [{ enableAuditing: false }, /enableAuditing cannot be false/],
    [{ securityLevel: 'low' }, /securityLevel cannot be low/],
    [{ securityLevel: 'none' }, /securityLevel cannot be none/],
    [{ securityLevel: 'medum' }, /securityLevel must be one of/],
    [{ defaultShell: '/usr/bin/fish' }, /defaultShell must be bash, sh, zsh/],
    [{ defaultShell: '/opt/own/bash' }, /defaultShell must be bash, sh, zsh/],
    [{ enableSandbox: 'yes' }, /enableSandbox must be true or false/],
    [{ commandWhitelist: 'ls' }, /commandWhitelist must be a list/],
    [{ defaultTimeout: 0 }, /defaultTimeout must be/],
    [{ maxOutputSize: -1 }, /maxOutputSize must be/],
    [{ maxCpuUsage: '80' }, /maxCpuUsage must be/],
  ])('%j is an error when the profile is created', (layered, message) => {
    expect(() => profileOf('layered', { layered } as never)).toThrow(message);
    const subject = createSubject(profileOf('layered'));
    const wrong = () => createLayeredIntegration(subject.calling, layered as never);
    expect(wrong).toThrow(message.source.includes('Unknown') ? /Unknown option: maxProceses/ : message);
    return subject.close();
  });

  test('the nearest option is named', () => {
    try {
      profileOf('layered', { layered: { maxProceses: 1 } } as never);
    } catch (error) {
      expect((error as { hint: string }).hint).toBe('Did you mean profiles.layered.maxProcesses?');
      return;
    }
    expect.unreachable();
  });

  test('limits that are changed for a session are checked, too', () =>
    withSubject({}, async ({ calling }) => {
      const tools = createLayeredIntegration(calling);
      expect(() => tools.configureResourceLimits({ maxProcesses: 0 })).toThrow(/maxProcesses must be/);
      expect(tools.getBashConfiguration().maxProcesses).toBe(10);
    }));

  test.each([
    ['/bin/sh', 'sh'],
    ['zsh', 'zsh'],
    ['/usr/bin/bash', 'bash'],
  ])('defaultShell %s', (defaultShell, shell) =>
    withSubject({ defaultShell }, async (subject) => {
      const { session, asked } = listenTo(subject.calling);
      await subject.call('bash', { command: 'true', enable_shell_features: true }, { session });
      expect(asked).toMatchObject([{ shell }]);
    }),
  );

  test('enableMonitoring: false leaves out resource updates, from the timeline and for listeners', async (context) => {
    needsKeeper(context);
    const updates = (enableMonitoring: boolean) =>
      withSubject({ enableMonitoring }, async (subject) => {
        const types: string[] = [];
        const input = { command: 'sleep', args: ['1.4'] };
        const { data } = await subject.call('bash', input, { onEvent: ({ type }) => void types.push(type) });
        const { execution_timeline } = data.debug_info as { execution_timeline: { type: string }[] };
        return [types.includes('resource'), execution_timeline.some(({ type }) => type === 'resource_update')];
      });
    expect(await updates(true)).toEqual([true, true]);
    expect(await updates(false)).toEqual([false, false]);
  });

  test('allowedPaths: nothing outside is read', () =>
    withSubject({ allowedPaths: ['.'] }, async (subject) => {
      writeFileSync(join(subject.folder, 'inside'), 'x');
      const read = async (path: string) => (await subject.call('bash', { command: 'cat', args: [path] })).data;
      expect(await read('inside')).toMatchObject({ success: true, stdout: 'x' });
      for (const path of ['/etc/hostname', '../outside'])
        expect(await read(path)).toMatchObject({
          success: false,
          stdout: '',
          security_info: { validation_passed: false },
        });
    }));

  test('preserveEnvironment: variables of the host, without secrets', async () => {
    vi.stubEnv('HARMLESS_OF_HOST', 'kept');
    vi.stubEnv('OF_HOST_TOKEN', 'secret');
    try {
      const print = (preserveEnvironment: boolean) =>
        withSubject(
          { preserveEnvironment },
          async (subject) => (await subject.call('bash', { command: 'env' })).data.stdout,
        );
      expect(await print(true)).toContain('HARMLESS_OF_HOST=kept\n');
      expect(await print(true)).not.toContain('OF_HOST_TOKEN');
      expect(await print(false)).not.toContain('HARMLESS_OF_HOST');
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test('securityLevel: high asks about what is risky', async () => {
    const succeeds = (securityLevel: 'medium' | 'high') =>
      withSubject({ securityLevel }, async (subject) => {
        const { data } = await subject.call('bash', { command: 'rm', args: ['-rf', 'x'] });
        return data.success;
      });
    expect([await succeeds('high'), await succeeds('medium')]).toEqual([false, true]);
  });
});

describe('CommandExecutionRequest', () => {
  const request = (more: object): CommandExecutionRequest =>
    ({ requestId: 'r', timestamp: 1, command: 'echo', args: ['x'], ...more }) as CommandExecutionRequest;
  const execute = (more: object, policy: Policy = FREE): Promise<CommandExecutionResponse> =>
    withSubject({}, (subject) => executeRequest(request(more), subject.converse(policy)));

  test.each<[object, RegExp]>([
    [{ prority: 1 }, /Unknown field: "prority"/],
    [{ context: { userID: 'ann' } }, /Unknown field: "context\.userID"\. Did you mean "context\.userId"\?/],
    [{ context: { sessionId: 'another' } }, /context\.sessionId is another, but this call belongs to the session/],
    [{ securityContext: { permissions: ['write'] } }, /securityContext\.permissions is not supported/],
    [{ securityContext: { securityLevel: 'none' } }, /securityLevel cannot be none/],
    [{ securityContext: { securityLevel: 'extreme' } }, /securityLevel must be one of/],
    [{ monitoring: { enableSecurityLogging: false } }, /enableSecurityLogging cannot be false/],
    [{ monitoring: { enableMonitoring: true } }, /Unknown field: "monitoring\.enableMonitoring"/],
    [{ options: { command: 'ls' } }, /options\.command is not the command of the request/],
    [{ options: { args: ['y'] } }, /options\.args are not the args of the request/],
    [{ options: { max_memory: 2 ** 50 } }, /"max_memory" must be at most/],
    [{ options: { max_file_operations: 3 } }, /max_file_operations cannot be enforced/],
  ])('%j is answered with what is wrong', async (more, message) => {
    const { status, error, data } = await execute(more);
    expect([status, error?.type, data?.stdout ?? '']).toEqual(['failed', 'invalid_configuration', '']);
    expect(error?.message).toMatch(message);
  });

  test('settings that are not valid are an answer, too', async () => {
    const subject = createSubject(profileOf('layered'));
    const settingsFile = join(subject.folder, 'settings.json');
    writeFileSync(settingsFile, '{"mode": "nonsense"}');
    const other = createSubject(profileOf('layered'), { settingsFile });
    try {
      const calling = { ...other.calling, session: other.shell.session({ cwd: other.folder }) };
      const { status, error } = await executeRequest(request({}), calling);
      expect([status, error?.type]).toEqual(['failed', 'invalid_configuration']);
      expect(error?.message).toContain('mode');
    } finally {
      await subject.close();
      await other.close();
    }
  });

  test('each value of its contexts and of its monitoring has an effect', async () => {
    const risky = { command: 'rm', args: ['-rf', 'x'] };
    expect((await execute(risky)).status).toBe('completed');
    expect((await execute({ ...risky, securityContext: { securityLevel: 'high' } })).status).toBe('failed');
    const outside = { command: 'cat', args: ['/etc/hostname'] };
    expect((await execute(outside)).status).toBe('completed');
    expect((await execute({ ...outside, securityContext: { allowedPaths: ['.'] } })).status).toBe('failed');
    // Lists of both places hold: nothing is in both.
    const apart = { securityContext: { allowedCommands: ['ls'] }, options: { allowed_commands: ['echo'] } };
    expect((await execute(apart)).status).toBe('failed');
    expect((await execute({})).data?.stdout).toBe('x\n');
    expect((await execute({ monitoring: { enableOutputCapture: false } })).data?.stdout).toBe('');
  });

  test('values that say what holds anyway are accepted', async () => {
    const { status } = await withSubject({}, (subject) => {
      const calling = subject.converse();
      const context = { sessionId: calling.session.id };
      const securityContext = { permissions: [], securityLevel: 'medium' };
      const monitoring = { enableResourceMonitoring: true, enableOutputCapture: true, enableSecurityLogging: true };
      return executeRequest(request({ context, securityContext, monitoring }), calling);
    });
    expect(status).toBe('completed');
  });

  test('context.userId: the rules of that user apply', async () => {
    const nothing = { allow: [], ask: [], deny: [], roots: null, limits: {} };
    const users = { ann: { ...nothing, allow: ['Bash(echo:*)'] }, bob: { ...nothing, deny: ['Bash(echo:*)'] } };
    const policy = { ...FREE, users, rules: readRules({ allow: ['Bash(echo:*)'] }, 'session') };
    expect((await execute({ context: { userId: 'ann' } }, policy)).status).toBe('completed');
    const refused = await execute({ context: { userId: 'bob' } }, policy);
    expect([refused.status, refused.data?.stdout]).toEqual(['failed', '']);
    expect(refused.error?.securityRelated).toBe(true);
  });

  test('context.userId cannot be another user than that of the session', async () => {
    const { status, error } = await withSubject({}, ({ shell, folder }) => {
      const session = shell.session({ cwd: folder, policy: FREE, user: 'ann' });
      return executeRequest(request({ context: { userId: 'root' } }), { shell, session, state: new Map() });
    });
    expect([status, error?.message]).toEqual(['failed', expect.stringContaining('belongs to the user ann')]);
  });

  test('enableResourceMonitoring: false sends no updates', async (context) => {
    needsKeeper(context);
    const types = (enableResourceMonitoring: boolean) =>
      withSubject({}, async ({ calling }) => {
        const seen: unknown[] = [];
        const more = { command: 'sleep', args: ['1.4'], monitoring: { enableResourceMonitoring } };
        const onResponse = ({ streamData }: CommandExecutionResponse) => void seen.push(streamData?.type);
        await executeRequest(request(more), calling, { onResponse });
        return seen;
      });
    expect(await types(true)).toContain('resource_update');
    expect(await types(false)).not.toContain('resource_update');
  });
});
