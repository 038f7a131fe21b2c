// Questions: through the client where it can ask, through other terminals besides; the first answer wins, silence denies.

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { connect, type Elicit, KINDS, Surroundings, until } from './subject.ts';

const place = new Surroundings();
afterAll(() => place.close());

let count = 0;
function newFile(): { readonly command: string; readonly isThere: () => boolean } {
  count += 1;
  const name = `asked-${count}`;
  return { command: `touch ${name}`, isThere: () => existsSync(join(place.work, name)) };
}

const choose =
  (decision: string): Elicit =>
  () => ({ action: 'accept', content: { decision } });

function choicesOf(params: object): readonly string[] {
  const { requestedSchema } = params as { requestedSchema: { properties: { decision: { enum: string[] } } } };
  return requestedSchema.properties.decision.enum;
}

async function findCode(command: string): Promise<string | undefined> {
  const { pending } = JSON.parse(await place.cli('pending', '--json')) as {
    pending: readonly { code: string; request: { command: string } }[];
  };
  return pending.find(({ request }) => request.command === command)?.code;
}

function codeOf(command: string): Promise<string> {
  return until(() => findCode(command));
}

/** On a busy machine an answer that is given at once may arrive as late as that of a person: then it shows nothing. */
async function untilAtOnce<Tried extends { readonly isAtOnce: boolean }>(
  attempt: () => Promise<Tried>,
): Promise<Tried> {
  for (let left = 10; ; left -= 1) {
    const tried = await attempt();
    if (tried.isAtOnce || left === 0) return tried;
  }
}

describe.each(KINDS)('$name', (kind) => {
  test('a yes runs the command; the question shows the command, why it is asked, and what can be said', async () => {
    const asked: string[] = [];
    const client = await connect(place, kind, {
      elicit(params) {
        asked.push(params.message, JSON.stringify('requestedSchema' in params ? params.requestedSchema : null));
        return { action: 'accept', content: { decision: 'allow once' } };
      },
    });
    const { command, isThere } = newFile();
    const answer = await client.call('bash', { command: `${command}; echo 'a\u200bb'` });
    expect(answer).toMatchObject({ isError: false, structuredContent: { output: 'a\u200bb\n' } });
    expect(isThere()).toBe(true);
    const [message, schema] = asked;
    expect(message).toContain(`    | ${command}; echo 'a\\u{200b}b'`);
    expect(message?.split('\n')[0]).toMatch(
      /^\[[a-z0-9]+\] Risk [a-z]+\. Run «touch asked-\d+; echo 'a\\u\{200b\}b'»\? /,
    );
    expect(message).toContain('Why: ');
    expect(message).toContain('risky part: ');
    expect(schema).toContain('"allow once"');
    expect(schema).toContain('"deny"');
    await client.close();
  });

  test('a yes for the session holds for this client, and for no other', async () => {
    let questions = 0;
    const elicit: Elicit = (params) => {
      questions += 1;
      const forSession = choicesOf(params).find((choice) => choice.startsWith('allow for this session: Bash('));
      return { action: 'accept', content: { decision: forSession ?? 'none' } };
    };
    const client = await connect(place, kind, { elicit });
    const [first, second] = [newFile(), newFile()];
    await client.call('bash', { command: first.command });
    await client.call('bash', { command: first.command });
    expect(questions).toBe(1);
    expect(first.isThere()).toBe(true);
    await client.close();
    const other = await connect(place, kind, { elicit: choose('deny') });
    expect(await other.call('bash', { command: second.command })).toMatchObject({ isError: true });
    expect(second.isThere()).toBe(false);
    await other.close();
  });

  test('a yes for the project or for the person is saved, and counts for the next client', async () => {
    const files = {
      'allow for this project: ': join(place.work, '.hardshell/settings.local.json'),
      'allow always, for you: ': join(place.env.HOME as string, '.config/hardshell/settings.json'),
    };
    place.setSettings({ trustedFolders: [`/${place.work}`] });
    for (const [words, file] of Object.entries(files)) {
      const asked: string[] = [];
      const elicit: Elicit = (params) => {
        asked.push(params.message);
        return {
          action: 'accept',
          content: { decision: choicesOf(params).find((each) => each.startsWith(words)) ?? '' },
        };
      };
      const client = await connect(place, kind, { elicit });
      await client.call('bash', { command: 'echo before' });
      const { command, isThere } = newFile();
      await client.call('bash', { command: `cd / && cd ${place.work} && ${command}` });
      expect(isThere()).toBe(true);
      expect(asked[0]).toContain('other command of this session');
      expect(asked[0]).toContain(`is saved in ${file}`);
      await until(() => existsSync(file));
      expect(readFileSync(file, 'utf8')).toContain('"Bash(touch ');
      await client.close();
      const other = await connect(place, kind, { elicit: choose('deny') });
      expect(await other.call('bash', { command })).toMatchObject({ isError: false });
      await other.close();
      rmSync(file);
    }
    place.setSettings({});
  });

  test('what was not offered cannot be chosen: a folder that is not trusted keeps no rules', async () => {
    let offered: readonly string[] = [];
    const client = await connect(place, kind, {
      elicit(params) {
        offered = choicesOf(params);
        const rule = offered
          .find((each) => each.startsWith('allow always'))
          ?.replace('always, for you', 'for this project');
        return { action: 'accept', content: { decision: rule ?? 'allow for this project: Bash(touch:*)' } };
      },
    });
    const { command, isThere } = newFile();
    expect(await client.call('bash', { command })).toMatchObject({ isError: true });
    expect(offered.filter((each) => each.includes('project'))).toEqual([]);
    expect([isThere(), existsSync(join(place.work, '.hardshell/settings.local.json'))]).toEqual([false, false]);
    await client.close();
  });

  test('a no denies', async () => {
    const client = await connect(place, kind, { elicit: choose('deny') });
    const { command, isThere } = newFile();
    const answer = await client.call('bash', { command });
    expect(answer).toMatchObject({ isError: true, structuredContent: { status: 'denied' } });
    expect(JSON.stringify(answer)).toContain('The user said no.');
    expect(isThere()).toBe(false);
    await client.close();
  });

  test('a client that cannot ask is told how to approve; another terminal can', async () => {
    const client = await connect(place, kind, { args: ['--answer-within', '1'] });
    const denied = newFile();
    const answer = await client.call('bash', { command: denied.command });
    expect(answer).toMatchObject({ isError: true, structuredContent: { status: 'denied' } });
    expect(JSON.stringify(answer)).toContain('hardshell pending --watch');
    expect(denied.isThere()).toBe(false);
    await client.close();

    const patient = await connect(place, kind);
    const allowed = newFile();
    const call = patient.call('bash', { command: allowed.command });
    await place.cli('approve', await codeOf(allowed.command));
    expect(await call).toMatchObject({ isError: false });
    expect(allowed.isThere()).toBe(true);
    await patient.close();
  });

  test('a connection of a running command is refused at once if the client cannot ask and a timeout runs', async () => {
    const client = await connect(place, kind, { args: ['--profile', 'layered', '--mode', 'bypass'] });
    writeFileSync(join(place.work, 'fetch.sh'), 'curl -s -m 60 http://refused.example/\n');
    const { structuredContent } = await client.call('bash', { command: 'sh', args: ['fetch.sh'] });
    expect(structuredContent).toMatchObject({ success: false, error: { type: 'network_error' } });
    await client.close();
  });

  test('while the client asks, another terminal may answer first', async () => {
    let isAsked = false;
    let release = (): void => {};
    const late = new Promise<void>((resolve) => {
      release = resolve;
    });
    const client = await connect(place, kind, {
      async elicit(_, signal) {
        isAsked = true;
        // A client of the newer protocol cannot be told: the user answers too late.
        if (kind.sdk === 'v2-modern') await late;
        else await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return { action: 'decline' };
      },
    });
    const { command, isThere } = newFile();
    const call = client.call('bash', { command });
    await until(() => isAsked);
    await place.cli('approve', await codeOf(command));
    await until(isThere);
    release();
    expect(await call).toMatchObject({ isError: false, structuredContent: { status: 'exited' } });
    await client.close();
  });

  test('a client that goes away takes its question with it', async (context) => {
    if (kind.sdk === 'v2-modern' && kind.over === 'http')
      context.skip('between two requests the server cannot know that such a client has gone: its question times out');
    let isAsked = false;
    const client = await connect(place, kind, {
      elicit() {
        isAsked = true;
        return new Promise(() => {});
      },
    });
    const { command, isThere } = newFile();
    client.call('bash', { command }).catch(() => {});
    await until(() => isAsked);
    await codeOf(command);
    await client.close();
    await until(async () => !(await place.cli('pending', '--json')).includes(command));
    expect(isThere()).toBe(false);
  });
});

test.each(KINDS)('$name: a question without an answer in time denies', async (kind) => {
  const hasty = new Surroundings();
  hasty.setSettings({ approval: { timeoutSeconds: 1 } });
  const client = await connect(hasty, kind, {
    // Where it is not withdrawn, the person answers when it is too late.
    elicit: (_, signal) =>
      new Promise((resolve) => {
        const say = (): void => resolve({ action: 'accept', content: { decision: 'allow once' } });
        signal.addEventListener('abort', say);
        if (kind.sdk === 'v2-modern')
          void until(async () => (await hasty.cli('pending', '--json')).includes('"pending":[]')).then(say);
      }),
  });
  const answer = await client.call('bash', { command: 'touch late' });
  expect(answer).toMatchObject({ isError: true, structuredContent: { status: 'denied' } });
  expect(existsSync(join(hasty.work, 'late'))).toBe(false);
  await client.close();
  await hasty.close();
});

describe.each(KINDS)(
  '$name: a client that answers automatically, before a person could have read the question',
  (kind) => {
    const atOnce: readonly [string, Elicit][] = [
      ['a decline', () => ({ action: 'decline' })],
      ['a dismissal', () => ({ action: 'cancel' })],
      ['a yes', choose('allow once')],
      ['a no', choose('deny')],
    ];

    test.each(atOnce)('%s is not an answer: the model is told that no one answered', async (_, elicitAtOnce) => {
      const client = await connect(place, kind, { elicitAtOnce, args: ['--answer-within', '1'] });
      const { answer, isThere } = await untilAtOnce(async () => {
        const { command, isThere } = newFile();
        const answer = await client.call('bash', { command });
        return { answer, isThere, isAtOnce: JSON.stringify(answer).includes('answered faster than a person') };
      });
      expect(answer).toMatchObject({ isError: true, structuredContent: { status: 'denied' } });
      const text = JSON.stringify(answer);
      expect(text).toContain(
        'Not approved: no one answered within 1 s. The client answered faster than a person can read the question',
      );
      expect(text).toContain('hardshell pending --watch');
      expect(text).not.toContain('said no');
      expect(isThere()).toBe(false);
      await client.close();
    });

    test('the question waits for another terminal', async () => {
      const client = await connect(place, kind, { elicitAtOnce: () => ({ action: 'decline' }) });
      const { answer, isThere } = await untilAtOnce(async () => {
        const { command, isThere } = newFile();
        let isOver = false;
        const call = client.call('bash', { command }).finally(() => {
          isOver = true;
        });
        const code = await until(async () => (await findCode(command)) ?? (isOver && 'none'));
        if (code !== 'none') await place.cli('approve', code).catch(() => {});
        const answer = await call;
        return { answer, isThere, isAtOnce: answer.isError === false };
      });
      expect(answer).toMatchObject({ isError: false });
      expect(isThere()).toBe(true);
      await client.close();
    });
  },
);

describe.each([KINDS[0], KINDS[5]])('$name', (kind) => {
  test.each<[string, Elicit]>([
    ['a decline', () => ({ action: 'decline' })],
    ['a dismissal', () => ({ action: 'cancel' })],
    ['an answer that was not offered', choose('allow for ever')],
    ['an acceptance without a decision', () => ({ action: 'accept', content: {} })],
  ])('%s denies', async (_, elicit) => {
    const client = await connect(place, kind, { elicit });
    const { command, isThere } = newFile();
    const answer = await client.call('bash', { command });
    expect(answer).toMatchObject({ isError: true, structuredContent: { status: 'denied' } });
    expect(isThere()).toBe(false);
    await client.close();
  });
});
