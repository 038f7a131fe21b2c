// No field of a result is constant: for each leaf of each tool's output schema, two of a few different runs have different
// values. An object that a schema leaves open counts as a whole. Exceptions are listed, each with its reason.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { PROFILES, type ProfileName } from '../../src/core/profile-names.ts';
import { STAGING_TOOLS } from '../../src/core/staging.ts';
import { openSessionChanges } from '../../src/host/session-changes.ts';
import type { Calling } from '../../src/profiles/profile.ts';
import { profileOf } from '../../src/profiles/profiles.ts';
import { createSubject, needsKeeper, type Subject } from './subject.ts';

beforeEach(needsKeeper);

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}
type Data = Readonly<Record<string, unknown>>;
type Call = (tool: string, input: object, calling?: Partial<Calling>) => Promise<Data>;
type Scenario = (call: Call, subject: Subject) => Promise<void>;

/** Leaf → its values in all runs; that a field is absent is no value. */
type Values = Map<string, Set<string>>;

const isObject = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function collect(schema: Schema, value: unknown, path: string, values: Values): void {
  if (schema.items?.properties !== undefined && Array.isArray(value)) {
    note(values, path, value.length);
    for (const each of value) collect(schema.items, each, `${path}[]`, values);
    return;
  }
  if (schema.properties === undefined) return note(values, path, value);
  for (const [name, each] of Object.entries(schema.properties)) {
    const inner = path === '' ? name : `${path}.${name}`;
    if (isObject(value)) collect(each, value[name], inner, values);
    else know(each, inner, values);
  }
}

/** Leaves of an object that is absent: known, without a value. */
function know(schema: Schema, path: string, values: Values): void {
  if (schema.properties === undefined) values.set(path, values.get(path) ?? new Set());
  else for (const [name, each] of Object.entries(schema.properties)) know(each, `${path}.${name}`, values);
}

function note(values: Values, path: string, value: unknown): void {
  const known = values.get(path) ?? new Set();
  values.set(path, value === undefined ? known : known.add(JSON.stringify(value)));
}

async function findConstants(subject: Subject, scenario: Scenario): Promise<string[]> {
  const seen = new Map<string, Values>(subject.profile.tools.map(({ name }) => [name, new Map()]));
  const call: Call = async (tool, input, calling = {}) => {
    const { data } = await subject.call(tool, input, calling);
    collect(subject.tool(tool).outputSchema as Schema, data, '', seen.get(tool) as Values);
    return data;
  };
  await scenario(call, subject);
  for (const tool of seen.keys()) for (const input of [{ wrong: 1 }, { unknown: 1 }]) await call(tool, input);
  return [...seen].flatMap(([tool, values]) =>
    [...values].filter(([, each]) => each.size < 2).map(([path]) => `${tool} ${path}`),
  );
}

const LONG = "head -c 200000 /dev/zero | tr '\\0' x";
const SOON = { answerWithin: 700 };
const unconfined = ({ calling }: Subject) => ({ session: calling.session.with({ sandbox: { name: 'unrestricted' } }) });

/** A folder, a file, and a script that writes outside of the sandbox. */
function furnish({ folder }: Subject): void {
  mkdirSync(join(folder, 'sub'));
  writeFileSync(join(folder, 'file'), 'text\n');
  writeFileSync(join(folder, 'outside.sh'), 'echo x > /opt/hardshell-never 2>/dev/null\n');
}

/** Tasks that run, ended by themselves and were stopped, through TaskOutput and TaskStop, or the tools of that name. */
async function readTasks(
  call: Call,
  ids: { readonly failed: string; readonly running: string; readonly other: string },
  names: { readonly output: string; readonly stop: string; readonly wait: object; readonly atOnce: object },
): Promise<void> {
  const { failed, running, other } = ids;
  await call(names.output, { task_id: failed, ...names.wait });
  await call(names.output, { task_id: running, ...names.atOnce });
  await call(names.output, { task_id: other, ...names.atOnce });
  await call(names.output, { task_id: 'bash-nothere' });
  await call(names.stop, { task_id: failed });
  await call(names.stop, { task_id: running });
  await call(names.stop, { task_id: other });
  await call(names.stop, { task_id: 'bash-nothere' });
  await call(names.output, { task_id: running });
}
const TASK_TOOLS = { output: 'TaskOutput', stop: 'TaskStop', wait: {}, atOnce: { block: false } };

const SCENARIOS: Readonly<Record<ProfileName, Scenario>> = {
  req: async (call, subject) => {
    for (const command of ['echo a', `cd ${subject.folder} && echo b`, 'exit 3', LONG, 'rm -rf /'])
      await call('bash', { command });
    await call('bash', { command: 'echo c' }, unconfined(subject));
    const quick = createSubject(subject.profile, { maxTimeout: 300 });
    await call('bash', { command: 'sleep 60' }, quick.calling);
    await quick.close();
    await call('bash', { command: 'sleep 60', mode: 'background' });
  },

  layered: async (call, subject) => {
    const shell = (command: string, more = {}, calling = {}) =>
      call('bash', { command, enable_shell_features: true, ...more }, calling);
    await shell('echo a');
    await shell('head -c 3000000 /dev/zero > big; sync big; cat < big > /dev/null; echo b >&2; sleep 1.2', {
      cwd: 'sub',
    });
    await call('bash', { command: 'echo', args: ['a'], env: { GREETING: 'hello' } }, unconfined(subject));
    for (const command of [
      'exit 3',
      'kill -KILL $$',
      'rm -rf /',
      'sudo -n ls',
      'git add -A',
      'no-such-program',
      '(ls; ls | cat)',
    ])
      await shell(command);
    await shell('ls -a "sub" /etc $HOME # all\ncat <<E > out\n$HOME\nE\nx=1 sh outside.sh', {
      max_output_size: 1 << 20,
    });
    await shell('seq 100000', { max_output_size: 100 });
    await shell('$(cat file) now');
    await shell('ls', { allowed_commands: ['echo'] });
    await shell('sleep 60', { timeout: 300 });
    const failed = await shell('sleep 1.5; exit 3', { timeout: 60_000 }, SOON);
    const running = await shell('echo a; sleep 60', { timeout: 60_000, description: 'Wait', cwd: 'sub' }, SOON);
    const other = await shell('sleep 61', { timeout: 60_000 }, SOON);
    const id = ({ task_id }: Data) => task_id as string;
    await readTasks(call, { failed: id(failed), running: id(running), other: id(other) }, TASK_TOOLS);
  },

  'claude-code': async (call, subject) => {
    const bash = (command: string, more = {}, calling = {}) => call('Bash', { command, ...more }, calling);
    for (const command of [
      'echo a',
      'echo b >&2; exit 3',
      'grep no file',
      LONG,
      'rm -rf /',
      'rm -rf made',
      'echo x > made',
    ])
      await bash(command);
    await bash('cd sub');
    await bash('cd ..');
    await bash('echo x', {}, unconfined(subject));
    await bash('sleep 60', { timeout: 300 });
    const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
    await bash(`echo data:image/png\\;base64,${dot}`);
    await bash(`echo '<claude-code-hint plugin-name="a" />' >&2; echo '<claude-code-hint plugin-name="b" />' >&2`);
    await bash('echo waited; sleep 60', {}, SOON);
    const start = async (command: string, more = {}) =>
      (await bash(command, { run_in_background: true, ...more })).backgroundTaskId as string;
    const [failed, running] = [await start('exit 3'), await start('echo a; sleep 60', { description: 'Wait' })];
    await bash('cd sub');
    await readTasks(call, { failed, running, other: await start('sleep 61') }, TASK_TOOLS);
  },

  'proposal-0028': async (call) => {
    const bash = (command: string, more = {}, calling = {}) => call('Bash', { command, ...more }, calling);
    for (const command of ['echo a', 'echo b >&2; exit 3', LONG, 'rm -rf /']) await bash(command);
    await bash('sleep 60', { timeout: 300 });
    await bash('sleep 60', {}, SOON);
    await call('Tasks', {});
    const start = async (command: string, more = {}) =>
      (await bash(command, { run_in_background: true, ...more })).task_id as string;
    const [failed, running] = [
      await start('exit 3'),
      await start('echo a; sleep 60', { description: 'Wait', cwd: 'sub' }),
    ];
    await readTasks(call, { failed, running, other: await start('sleep 61') }, TASK_TOOLS);
    await call('Tasks', {});
  },

  'mcp-guide': async (call) => {
    const execute = (command: string, more = {}) => call('execute_command', { command, ...more });
    for (const command of ['echo a', 'echo b >&2; exit 3', 'reboot']) await execute(command);
    await execute('sleep 60', { timeout: 0.3 });
    await call('get_command_blacklist', {});
    await call('get_working_directory', {});
    await call('update_command_blacklist', { commands: ['x'], directories: ['y'] });
    await call('update_command_blacklist', { remove: ['x'] });
    await call('get_command_blacklist', {});
    await call('create_directory', { path: 'made' });
    await call('create_directory', { path: '../../made' });
    await call('change_directory', { path: 'made' });
    await call('change_directory', { path: 'missing' });
    await call('get_working_directory', {});
  },
};

const standard: Scenario = async (call, subject) => {
  const bash = (command: string, more = {}, calling = {}) => call('bash', { command, ...more }, calling);
  const rules = { session: subject.shell.session({ cwd: subject.folder }) };
  for (const command of ['echo a', 'exit 3', 'grep no file', 'kill -KILL $$', LONG, 'rm -rf /', 'sh outside.sh'])
    await bash(command);
  await bash('touch unasked', {}, rules);
  await bash('echo x', {}, unconfined(subject));
  await bash('cd sub');
  await bash('cd ..');
  await bash('touch held', { hold_changes: true });
  await bash('sleep 60', { timeout_ms: 300 });
  await bash('sleep 60', {}, SOON);

  const read = (command: string, more = {}, calling = {}) => call('bash_readonly', { command, ...more }, calling);
  for (const command of ['ls', 'cat missing', 'grep no file', 'seq 1 100000', 'touch x', 'cat .env', 'cd sub', 'cd ..'])
    await read(command);
  await read('tail -f file', { timeout_ms: 300 });
  await read('tail -f file', {}, SOON);

  const start = async (command: string, more = {}) =>
    (await bash(command, { run_in_background: true, ...more })).task_id as string;
  await call('task_list', {});
  const [failed, running] = [await start('exit 3'), await start('cat', { description: 'Read', keep_input_open: true })];
  await call('task_input', { task_id: running, text: 'a\n' });
  await bash('cd sub');
  const other = await start('sleep 61');
  await call('task_input', { task_id: other, text: 'a\n' });
  await call('task_input', { task_id: 'bash-nothere', text: 'a\n' });
  await call('task_list', {});
  await readTasks(
    call,
    { failed, running, other },
    { output: 'task_output', stop: 'task_stop', wait: { wait_ms: 20_000 }, atOnce: {} },
  );
  await call('task_list', {});

  for (const command of [
    'ls file',
    'echo x > new; rm -rf /; curl http://example.com:8080/',
    '$(cat file) now',
    'npm test',
  ])
    await call('explain_command', { command }, rules);
  await showAndUndo(call, subject);
};

/** Changes that landed, were undone, are held, and were held back. */
async function showAndUndo(call: Call, { calling, folder }: Subject): Promise<void> {
  const { session } = calling;
  const opened = openSessionChanges({ session: session.id, cwd: folder, by: 'program' });
  const given = { changes: { ...opened, allowed: () => new Set(STAGING_TOOLS) } };
  const staged = async (command: string, staging: 'apply' | 'review' = 'apply') => {
    const { changes } = await call('bash', { command }, { session: session.with({ staging }) });
    return (changes as { id: string }).id;
  };
  const act = (name: string, ...ids: readonly string[]) =>
    ids.reduce((before, id) => before.then(() => call(`${name}_changes`, { id }, given)), Promise.resolve<Data>({}));
  await call('bash', { command: `cd ${folder}` });
  await call('task_changes', {}, given);
  writeFileSync(
    join(folder, 'protected.sh'),
    'mkdir .vscode; echo {} > .vscode/tasks.json; echo more >> file; rm gone',
  );
  writeFileSync(join(folder, 'gone'), '');
  const [first, second] = [await staged('seq 20000 > long'), await staged('sh ./protected.sh')];
  const [third, fourth] = [await staged('echo 3 > third', 'review'), await staged('echo 4 > fourth', 'review')];
  for (const id of [first, second, third, undefined]) await call('task_changes', { ...(id ? { id } : {}) }, given);
  await act('undo', first, first, third);
  await act('redo', first, first, third);
  await act('undo', second);
  await act('apply', third, third, second);
  await act('drop', fourth, first);
}

const CONFINED = 'it has one sandbox, restricted; `bash` shows that the field differs';
const STOPPED = 'a task that was stopped has ended; for "lost" its supervisor must be killed';
const BUSY = 'it is refused only while another process works on the changes';
const GUIDE = 'the guide has this value for a success, and {error} instead of a failure';
const stopped = (tool: string) => ({ [`${tool} state`]: STOPPED });
const done = (tool: string) => ({ [`${tool} success`]: GUIDE, [`${tool} message`]: GUIDE });

/** Fields that are the same in all of these runs, with the reason. */
const EXCEPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'claude-code': stopped('TaskStop'),
  'proposal-0028': stopped('TaskStop'),
  layered: {
    ...stopped('TaskStop'),
    'bash resource_usage.file_operations': 'always null, as its schema says: they are not counted',
  },
  'mcp-guide': {
    ...done('update_command_blacklist'),
    ...done('change_directory'),
    ...done('create_directory'),
    'get_command_blacklist system_directories': 'those of this machine; mcp-guide.test.ts has another machine',
  },
  none: {
    ...stopped('task_stop'),
    'drop_changes done': BUSY,
    'drop_changes state': BUSY,
    'drop_changes reason': BUSY,
    'bash question': 'needs a user who is asked while the command runs: see still-running.test.ts',
    'bash_readonly question': 'such a command asks nothing while it runs',
    'bash_readonly changes': 'such a command changes nothing',
    'bash_readonly violations': 'such a command tries nothing that its sandbox refuses',
    'bash enforcement.apart': 'input is the only reason that a model can give',
    'bash_readonly enforcement.apart': 'such a command has no session to join',
    'bash_readonly enforcement.tier': CONFINED,
    'bash_readonly enforcement.held': CONFINED,
    'bash_readonly enforcement.missing': CONFINED,
  },
};

test.each([...PROFILES.map((name) => [name, SCENARIOS[name]] as const), [null, standard] as const])(
  '%s: each field differs in some run',
  async (name, scenario) => {
    const subject = createSubject(profileOf(name));
    furnish(subject);
    try {
      const constants = await findConstants(subject, scenario);
      expect(constants.sort()).toEqual(Object.keys(EXCEPTIONS[name ?? 'none'] ?? {}).sort());
    } finally {
      await subject.close();
    }
  },
  120_000,
);
