// Every adapter over a real shell tool: the behavior is the same in every format, and nothing is ever thrown at a model.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { callbackSurface, createBroker, PROFILES } from '../../src/host.ts';
import { aiSdkTools, openaiShell, plainTool, plainTools } from '../../src/surfaces/adapters/adapters.ts';
import { ADAPTERS, ASKING, createSubject, DOT, type Subject } from './subject.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let subject: Subject;
const asked: string[] = [];
let reply: 'allow' | 'deny' = 'deny';

beforeAll(() => {
  const broker = createBroker();
  broker.attach(
    callbackSurface(({ command }) => {
      asked.push(command);
      return reply;
    }),
  );
  subject = createSubject({ broker });
});
afterAll(() => subject.close());

const BAD_INPUT = [undefined, null, {}, [], 'ls', 7, { command: 1, commands: [1], cmd: 1 }, { other: 1 }];

describe.each(ADAPTERS)('$name', ({ make, showsImages }) => {
  test('success: the output', async () => {
    const call = await make(subject.given());
    const { text, isError } = await call('echo hello; echo there >&2');
    expect(text).toContain('hello\n');
    expect(text).toContain('there');
    expect(isError).toBe(false);
  });

  test('failure: the output, and that it failed', async () => {
    const call = await make(subject.given());
    const { text, isError } = await call('echo before; exit 3');
    expect(text).toContain('before');
    expect(isError).toBe(true);
  });

  test('refused: it does not run, with the reason', async () => {
    const call = await make(subject.given());
    const { text, isError } = await call('touch refused-mark && rm -rf /');
    expect(text).toMatch(/^The command was not run\./m);
    expect(isError).toBe(true);
    expect(existsSync(join(subject.folder, 'refused-mark'))).toBe(false);
  });

  test.each(['deny', 'allow'] as const)(
    'asked about: the broker of the shell tool asks, and %s counts',
    async (said) => {
      reply = said;
      asked.length = 0;
      const call = await make(subject.given({ policy: ASKING }));
      const name = `asked-${said}`;
      const command = `rm -f ${name} && touch ${name}`;
      const { isError } = await call(command);
      expect(asked).toEqual([command]);
      expect(isError).toBe(said === 'deny');
      expect(existsSync(join(subject.folder, name))).toBe(said === 'allow');
    },
  );

  test('big output: it is cut, and the end of the command is known', async () => {
    const call = await make(subject.given());
    const { text, isError } = await call('seq 1 400000');
    expect(text.length).toBeLessThan(200_000);
    expect(text.startsWith('1\n') || text.includes('\n1\n2\n')).toBe(true);
    expect(text).toContain(subject.tasksFolder);
    expect(isError).toBe(false);
  });

  test('image: as an image if the format supports it, otherwise as text', async () => {
    const call = await make(subject.given());
    const { text, image, isError } = await call(`echo data:image/png\\;base64,${DOT}`);
    expect(text).toContain('image');
    expect(isError).toBe(false);
    if (showsImages) expect(image).toEqual({ mediaType: 'image/png', data: DOT });
    else expect(image).toBeUndefined();
  });

  test('cancelled: the command ends with its tree', async () => {
    const stop = new AbortController();
    const call = await make(
      subject.given({}, (event) => {
        if (event.type === 'stdout' || (event.type === 'status' && event.status === 'running')) stop.abort();
      }),
    );
    const { isError } = await call('echo ready; sleep 1000 & wait', { signal: stop.signal });
    expect(isError).toBe(true);
    expect((await subject.shell.tasks()).filter(({ state }) => state === 'running')).toEqual([]);
  });

  test('cancelled before: it does not run', async () => {
    const call = await make(subject.given());
    const { isError } = await call('touch cancelled-mark', { signal: AbortSignal.abort() });
    expect(isError).toBe(true);
    expect(existsSync(join(subject.folder, 'cancelled-mark'))).toBe(false);
  });

  test.each(BAD_INPUT.map((input) => [JSON.stringify(input), input]))(
    'bad input %s: an answer that says what is wrong',
    async (_, input) => {
      const call = await make(subject.given());
      // `undefined` would be the input that fits.
      const { text, isError } = await call('true', { input: input === undefined ? 'not JSON {' : input });
      expect(text).toMatch(/Invalid input|not valid|either "command"/);
      expect(isError).toBe(true);
    },
  );

  test('the onEvent of a caller that throws becomes an answer', async () => {
    const call = await make(
      subject.given({}, () => {
        throw new Error('broken listener');
      }),
    );
    await expect(call('echo hello')).resolves.toMatchObject({ text: expect.any(String) });
  });
});

describe.each(ADAPTERS.filter(({ name }) => name !== 'codexExec'))('$name', ({ make }) => {
  test('cd is remembered from call to call', async () => {
    const call = await make(subject.given());
    await call('mkdir -p inner && cd inner');
    expect((await call('pwd')).text).toContain(join(subject.folder, 'inner'));
  });
});

test.each(ADAPTERS.map(({ name, make }) => [name, make] as const))(
  '%s: wrong options are thrown with a hint',
  async (_, make) => {
    await expect(async () => make({} as never)).rejects.toMatchObject({
      code: 'invalid-argument',
      hint: expect.any(String),
    });
  },
);

describe.each([null, ...PROFILES])('the tools of the profile %s', (profile) => {
  test('run a command, and say where', async () => {
    const tools = await plainTools({ ...subject.given(), profile });
    const [first] = tools.filter(({ parameters }) => 'command' in parameters.properties);
    // Without a shell, as the guide and the layered document have it by default, it is a program.
    const { text, isError } = (await first?.call({ command: 'pwd' })) ?? {};
    expect([text?.includes(subject.folder), isError]).toEqual([true, false]);
    expect(first?.description).toContain(subject.folder);
    expect(Object.keys(await aiSdkTools({ ...subject.given(), profile }))).toEqual(tools.map(({ name }) => name));
  });
});

test('two adapters over one session share its folder', async () => {
  const session = subject.shell.session(subject.options());
  const [bash] = await plainTools({ shell: subject.shell, session });
  await bash?.call({ command: 'mkdir -p shared && cd shared' });
  const output = await openaiShell({ shell: subject.shell, session }).run({ commands: ['basename "$PWD"'] });
  expect(output).toMatchObject([{ stdout: 'shared\n' }]);
});

test('what a session is made with is enough', async () => {
  const tool = await plainTool({ shell: subject.shell, session: { cwd: subject.folder }, tool: 'bash_readonly' });
  expect((await tool.call({ command: 'pwd' })).text).toBe(`${subject.folder}\n`);
});
