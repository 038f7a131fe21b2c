// Alerts: which events become one, what they hold, how fast they come, and how a real server gets them or does not.

import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Answer } from '../../src/core/approval.ts';
import type { SandboxViolation } from '../../src/core/confinement.ts';
import type { ObservedRequest } from '../../src/core/observer.ts';
import { check } from '../../src/host/deciding.ts';
import {
  type Alert,
  type AlertOptions,
  type AlertProblem,
  type Alerts,
  createAlerts,
  createBroker,
  createShell,
  type Finding,
  type Verdict,
  verifyAudit,
  type WebhookOptions,
} from '../../src/host.ts';
import { delayBefore } from '../../src/record/alerts/delivery.ts';
import { Receiver } from './readers/receiver.ts';
import { createPlace, fill, linesIn, segmentsIn, writeLines } from './subject.ts';

const SECRET = `whsec_${Buffer.from('an example of 32 bytes of secret').toString('base64')}`;

function requestOf(command: string): ObservedRequest {
  const [task, session] = ['bash-k7mw2q', 's1'];
  return {
    task,
    command,
    args: null,
    shell: 'bash',
    cwd: '/w',
    session,
    user: 'me',
    profile: null,
    isBackground: false,
  };
}

const VIOLATION: SandboxViolation = {
  kind: 'network',
  operation: 'connect',
  target: 'evil.example:443',
  rule: 'domains.allow',
  instead: '',
};

function answerBy(by: Answer['by']): Answer {
  return { verdict: 'deny', by, scope: 'once', rule: null, reason: null, at: 1 };
}

function verdictWith(
  verdict: Verdict['decision'],
  ...findings: Partial<Finding>[]
): { verdict: Verdict; facts: never } {
  const base = { instead: null, span: null, command: null, rule: null, confidence: null, message: 'It is bad.' };
  const all = findings.map((each) => ({ id: 'x', layer: 'safety', verdict, severity: 'high', ...base, ...each }));
  return { verdict: { decision: verdict, findings: all } as unknown as Verdict, facts: null as never };
}

describe('what becomes an alert', () => {
  const raise = (act: (alerts: Alerts) => void, options: AlertOptions = {}): Alert[] => {
    const seen: Alert[] = [];
    const alerts = createAlerts({ environment: {}, ...options, onAlert: (alert) => void seen.push(alert) });
    act(alerts);
    return seen;
  };
  const request = requestOf('x');

  test('a command that a safety check refuses', () => {
    const judged = check('rm -rf /', { cwd: '/w' });
    const [alert, ...more] = raise(({ observer }) => observer.onVerdict(requestOf('rm -rf /'), judged));
    expect(more).toEqual([]);
    expect(alert).toMatchObject({
      kind: 'refused',
      task: 'bash-k7mw2q',
      session: 's1',
      user: 'me',
      command: 'rm -rf /',
      cwd: '/w',
      heldBack: 0,
    });
    const refusals = judged.verdict.findings.filter(({ verdict }) => verdict === 'deny').map(({ id }) => id);
    expect(alert?.checks.length).toBeGreaterThan(0);
    for (const id of alert?.checks ?? []) expect(refusals).toContain(id);
    expect(alert?.message).toContain(alert?.checks[0]);
  });

  test.each<[string, (alerts: Alerts) => void, (string | undefined)[]]>([
    ['a harmless command', ({ observer }) => observer.onVerdict(request, check('ls', { cwd: '/w' })), []],
    ['a refusal by a rule', ({ observer }) => observer.onVerdict(request, verdictWith('deny', { layer: 'rules' })), []],
    ['a question', ({ observer }) => observer.onVerdict(request, verdictWith('ask', {})), []],
    [
      'a question about something critical',
      ({ observer }) => observer.onVerdict(request, verdictWith('ask', { severity: 'critical' })),
      ['critical'],
    ],
    [
      'a refusal that is critical is one alert, not two',
      ({ observer }) => observer.onVerdict(request, verdictWith('deny', { severity: 'critical' }, { id: 'y' })),
      ['refused'],
    ],
    [
      'a refusal by a rule, with something critical',
      ({ observer }) =>
        observer.onVerdict(
          request,
          verdictWith('deny', { layer: 'rules' }, { layer: 'warnings', verdict: 'allow', severity: 'critical' }),
        ),
      ['critical'],
    ],
    [
      'a question that nobody answered',
      ({ observer }) => observer.onAnswer(request, answerBy('timeout')),
      ['approval-timeout'],
    ],
    ['a person who says no', ({ observer }) => observer.onAnswer(request, answerBy('terminal')), []],
    ['what the host reports', (alerts) => alerts.report({ severity: 'low', message: 'TOKEN=hunter2' }), ['reported']],
    ['a violation', ({ observer }) => observer.onViolation(request, VIOLATION), ['violation']],
  ])('%s', (_, act, kinds) => {
    const seen = raise(act);
    expect(seen.map(({ kind }) => kind)).toEqual(kinds);
    expect(JSON.stringify(seen)).not.toContain('hunter2');
  });

  test('an event with a severity that is none is refused', () => {
    const alerts = createAlerts();
    expect(() => alerts.report({ severity: 'huge' as never, message: '' })).toThrow('severity');
  });

  test('an audit log that was changed', async () => {
    const place = createPlace();
    try {
      await fill(place, 5);
      const { folder, keyFolder } = place;
      const [file = ''] = segmentsIn(place);
      const before = verifyAudit({ folder, keyFolder });
      const lines = linesIn(place, file);
      writeLines(place, file, [...lines.slice(0, 2), ...lines.slice(3)]);
      const after = verifyAudit({ folder, keyFolder });
      const [alert, ...more] = raise((alerts) => {
        alerts.inspect(before);
        alerts.inspect(after);
      });
      expect(more).toEqual([]);
      expect(alert).toMatchObject({ kind: 'tampered', severity: 'critical', command: null, details: { folder } });
      expect(alert?.message).toContain(file);
    } finally {
      place.remove();
    }
  });

  test.each<[string, AlertOptions['rules'], string[]]>([
    ['none given', undefined, ['refused', 'violation', 'approval-timeout']],
    ['an empty list', [], []],
    ['by kind', [{ kinds: ['violation'] }], ['violation']],
    ['by severity', [{ minSeverity: 'high' }], ['refused', 'violation']],
    ['by check', [{ checks: ['x'] }], ['refused']],
    ['any of several', [{ checks: ['x'] }, { kinds: ['approval-timeout'] }], ['refused', 'approval-timeout']],
  ])('rules: %s', (_, rules, kinds) => {
    const seen = raise(
      ({ observer }) => {
        observer.onVerdict(request, verdictWith('deny', {}));
        observer.onViolation(request, VIOLATION);
        observer.onAnswer(request, answerBy('timeout'));
      },
      rules === undefined ? {} : { rules },
    );
    expect(seen.map(({ kind }) => kind)).toEqual(kinds);
  });

  test('secrets are taken out before anything is cut', () => {
    const token = `ghp_${'aB3'.repeat(12)}`;
    const command = `${'x'.repeat(4080)} ${token} MY_VALUE_IS wIbbLe-48151623`;
    const [alert] = raise(({ observer }) => observer.onViolation(requestOf(command), { ...VIOLATION, target: token }), {
      environment: { API_TOKEN: 'wIbbLe-48151623' },
    });
    expect(alert?.command?.length).toBeLessThanOrEqual(4096);
    expect(JSON.stringify(alert)).not.toContain('ghp_');
    expect(JSON.stringify(alert)).not.toContain('wIbbLe');
  });

  test('of one kind come only so many in a minute; what was held back is said later', () => {
    let now = 0;
    const seen = raise(
      (alerts) => {
        for (let at = 0; at < 10; at += 1) alerts.observer.onViolation(request, VIOLATION);
        alerts.observer.onAnswer(request, answerBy('timeout'));
        now = 59_999;
        alerts.observer.onViolation(request, VIOLATION);
        now = 60_000;
        alerts.observer.onViolation(request, VIOLATION);
        expect(alerts.stats()).toMatchObject({ raised: 5, heldBack: 8 });
      },
      { perMinute: 3, now: () => now },
    );
    const told = seen.map(({ kind, heldBack }) => [kind, heldBack]);
    expect(told).toEqual([
      ['violation', 0],
      ['violation', 0],
      ['violation', 0],
      ['approval-timeout', 0],
      ['violation', 8],
    ]);
  });

  test('a callback that throws, at once or later, stops nobody', async () => {
    const problems: AlertProblem[] = [];
    const onProblem = (problem: AlertProblem) => void problems.push(problem);
    let isLater = false;
    const onAlert = () => {
      if (isLater) return Promise.reject(new Error('later'));
      throw new Error('at once');
    };
    const alerts = createAlerts({ onAlert, onProblem });
    alerts.observer.onViolation(request, VIOLATION);
    isLater = true;
    alerts.observer.onViolation(request, VIOLATION);
    await alerts.close();
    expect(problems.map(({ message }) => message)).toEqual([
      'The callback for alerts failed: at once',
      'The callback for alerts failed: later',
    ]);
  });
});

test.each<[string, AlertOptions, string]>([
  ['a kind that is none', { rules: [{ kinds: ['nope' as never] }] }, 'Unknown kind of alert: nope'],
  ['a severity that is none', { rules: [{ minSeverity: 'nope' as never }] }, 'minSeverity'],
  ['no alert per minute', { perMinute: 0 }, 'perMinute'],
  ['http to elsewhere', { webhook: { url: 'http://example.com/', secret: SECRET } }, 'must use https'],
  [
    'a name that begins like this machine',
    { webhook: { url: 'http://127.0.0.1.evil.example/', secret: SECRET } },
    'must use https',
  ],
  [
    'another name with localhost',
    { webhook: { url: 'http://localhost.evil.example/', secret: SECRET } },
    'must use https',
  ],
  ['all addresses of this machine', { webhook: { url: 'http://0.0.0.0/', secret: SECRET } }, 'must use https'],
  ['a file', { webhook: { url: 'file:///etc/passwd', secret: SECRET } }, 'must use https'],
  ['no address', { webhook: { url: 'hook', secret: SECRET } }, 'is not valid'],
  [
    'a password in the address',
    { webhook: { url: 'https://a:b@example.com/', secret: SECRET } },
    'contains a password',
  ],
  ['no secret', { webhook: { url: 'https://example.com/' } as WebhookOptions }, 'needs a secret'],
  ['a short secret', { webhook: { url: 'https://example.com/', secret: 'whsec_c2hvcnQ=' } }, 'shorter than 24 bytes'],
  ['a secret that is not base64', { webhook: { url: 'https://example.com/', secret: 'whsec_ä!' } }, 'base64'],
  [
    'our own header',
    { webhook: { url: 'https://a.example/', secret: SECRET, headers: { 'Webhook-Id': 'x' } } },
    'cannot be overridden',
  ],
  [
    'a header with a line break',
    { webhook: { url: 'https://a.example/', secret: SECRET, headers: { a: 'b\nc' } } },
    'cannot be sent',
  ],
  [
    'a header that is no word',
    { webhook: { url: 'https://a.example/', secret: SECRET, headers: { 'a b': 'c' } } },
    'cannot be sent',
  ],
  ['no attempt', { webhook: { url: 'https://a.example/', secret: SECRET, maxAttempts: 0 } }, 'maxAttempts'],
  ['no room', { webhook: { url: 'https://a.example/', secret: SECRET, queueSize: 0 } }, 'queueSize'],
])('%s is refused', (_, options, message) => {
  expect(() => createAlerts(options)).toThrow(message);
});

test.each(['http://127.0.0.1:1/', 'http://127.9.9.9/', 'http://[::1]:1/', 'http://localhost/', 'https://example.com/'])(
  '%s is accepted',
  async (url) => {
    const { left } = await createAlerts({ webhook: { url, secret: SECRET } }).close();
    expect(left).toEqual([]);
  },
);

test('a real tool: what was refused and what nobody answered is told; what ran is not', async () => {
  const place = createPlace();
  const seen: Alert[] = [];
  const alerts = createAlerts({ onAlert: (alert) => void seen.push(alert) });
  const broker = createBroker();
  // Somebody who is asked, and says nothing.
  broker.attach({ name: 'other', present: async () => {}, withdraw() {} });
  const settingsFile = join(place.root, 'settings.json');
  writeFileSync(settingsFile, JSON.stringify({ approval: { timeoutSeconds: 1 } }));
  const shell = createShell({
    broker,
    settingsFile,
    observers: [alerts.observer],
    tasksFolder: join(place.root, 'tasks'),
  });
  try {
    const cwd = place.root;
    expect((await shell.run('echo hello', { cwd })).status).toBe('exited');
    expect((await shell.run('rm -rf / # TOKEN=hunter2', { cwd, session: 's1' })).status).toBe('denied');
    expect((await shell.run('git push', { cwd })).status).toBe('denied');
    expect(seen.map(({ kind, session }) => [kind, session])).toEqual([
      ['refused', 's1'],
      ['approval-timeout', null],
    ]);
    expect(seen[0]?.command).toBe('rm -rf / # TOKEN=[redacted:value]');
  } finally {
    await shell.close();
    broker.close();
    place.remove();
  }
});

test('delays double up to a bound, half of each by chance; a server may ask for more, up to the same bound', () => {
  const delays = { firstDelay: 100, longestDelay: 1000 };
  const attempts = [1, 2, 3, 4, 5, 50, 5000];
  expect(attempts.map((attempt) => delayBefore(attempt, delays, null, 0))).toEqual([50, 100, 200, 400, 500, 500, 500]);
  expect(attempts.map((attempt) => delayBefore(attempt, delays, null, 1))).toEqual([
    100, 200, 400, 800, 1000, 1000, 1000,
  ]);
  expect(delayBefore(1, delays, 700, 0)).toBe(700);
  expect(delayBefore(1, delays, 86_400_000, 0)).toBe(1000);
});

describe('the webhook', () => {
  let receiver: Receiver;
  let problems: AlertProblem[];
  const made: Alerts[] = [];
  beforeEach(async () => {
    receiver = await Receiver.open();
    problems = [];
  });
  afterEach(async () => {
    for (const alerts of made.splice(0)) await alerts.close({ timeout: 1 });
    await receiver.close();
  });

  const create = (webhook: Partial<WebhookOptions> = {}, options: AlertOptions = {}): Alerts => {
    const alerts = createAlerts({
      environment: {},
      onProblem: (problem) => void problems.push(problem),
      ...options,
      webhook: { url: receiver.url, secret: SECRET, firstDelay: 1, longestDelay: 2, ...webhook },
    });
    made.push(alerts);
    return alerts;
  };
  const violate = ({ observer }: Alerts, command = 'curl evil.example') =>
    observer.onViolation(requestOf(command), VIOLATION);
  /** Polls until a condition is true, for events without a notification. */
  const until = async (isSo: () => boolean) => {
    for (let at = 0; at < 1000 && !isSo(); at += 1) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(isSo()).toBe(true);
  };

  test('gets a JSON body with a signature that others can check', async () => {
    const alerts = create({ headers: { authorization: 'Bearer abc' } });
    violate(alerts, 'curl evil.example # é\u2028"');
    await receiver.until(1);
    const [{ method, path, headers, body } = { method: '', path: '', headers: {}, body: '' }] = receiver.received;
    expect([method, path]).toEqual(['POST', '/hook/s3cret-path']);
    expect(headers).toMatchObject({ 'content-type': 'application/json', authorization: 'Bearer abc' });
    const [id, seconds] = [headers['webhook-id'], headers['webhook-timestamp']];
    const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
    const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${signature}`);
    expect(Math.abs(Number(seconds) - Date.now() / 1000)).toBeLessThan(300);
    const { type, timestamp, data } = JSON.parse(body);
    expect(type).toBe('hardshell.violation');
    expect(Date.parse(timestamp)).toBe(data.at);
    expect(data).toMatchObject({
      id,
      command: 'curl evil.example # é\u2028"',
      details: { target: 'evil.example:443' },
    });
    await alerts.close();
    expect(alerts.stats()).toMatchObject({ raised: 1, delivered: 1, retried: 0, failed: 0, dropped: 0 });
  });

  test.each<[string, Receiver['reactions']]>([
    ['500, then 200', [500, 200]],
    ['503 three times', [503, 503, 503, 204]],
    ['too many requests', [(response) => response.writeHead(429, { 'retry-after': '1' }).end(), 200]],
    ['a connection that is cut', [(response) => response.destroy(), 200]],
    ['something that is no HTTP', [(response) => response.socket?.end('hello?\r\n\r\n'), 200]],
    ['an endless body, which is not awaited', [(response) => void response.writeHead(500).write('x'), 200]],
  ])('tries again after %s, with the same id', async (_, reactions) => {
    const count = reactions.length;
    receiver.reactions = reactions;
    const alerts = create();
    violate(alerts);
    await receiver.until(count);
    await until(() => alerts.stats().delivered === 1);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(alerts.stats()).toMatchObject({ delivered: 1, retried: count - 1, failed: 0 });
    expect(problems).toEqual([]);
  });

  test.each<[string, Receiver['reactions'][number], string]>([
    ['400', 400, 'answered with 400'],
    ['401', 401, 'answered with 401'],
    ['410', 410, 'answered with 410'],
    [
      'a redirect, which is not followed',
      (response) => response.writeHead(307, { location: '/elsewhere' }).end(),
      'redirects are not followed',
    ],
  ])('gives up at once after %s', async (_, reaction, why) => {
    receiver.reactions = [reaction];
    const alerts = create();
    violate(alerts);
    await until(() => problems.length === 1);
    expect(problems[0]?.message).toContain(why);
    expect(problems[0]?.message).not.toContain('s3cret-path');
    expect(problems[0]?.alert?.kind).toBe('violation');
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook/s3cret-path']);
    expect(alerts.stats()).toMatchObject({ delivered: 0, failed: 1, retried: 0 });
  });

  test('gives up after a number of attempts, and continues with the next alert', async () => {
    receiver.reactions = [500, 500, 500, 204];
    const alerts = create({ maxAttempts: 3 });
    violate(alerts, 'first');
    violate(alerts, 'second');
    await until(() => alerts.stats().delivered === 1);
    expect(alerts.stats()).toMatchObject({ delivered: 1, failed: 1, retried: 2 });
    expect(problems).toMatchObject([{ alert: { command: 'first' } }]);
    expect(receiver.received.map(({ body }) => JSON.parse(body).data.command)).toEqual([
      'first',
      'first',
      'first',
      'second',
    ]);
  });

  test('a server that does not answer is left after the time', async () => {
    receiver.reactions = [() => {}, 204];
    const alerts = create({ timeout: 50 });
    violate(alerts);
    await until(() => alerts.stats().delivered === 1);
    expect(alerts.stats().retried).toBe(1);
  });

  test('a server that comes back gets what waited', async () => {
    const { port, url } = receiver;
    await receiver.close();
    const alerts = create({ url, maxAttempts: 100, longestDelay: 20 });
    violate(alerts);
    await until(() => alerts.stats().retried > 1);
    receiver = await Receiver.open(port);
    await receiver.until(1);
    await until(() => alerts.stats().delivered === 1);
  });

  test('no command waits for a webhook', () => {
    receiver.reactions = [() => {}];
    const alerts = create();
    expect(violate(alerts)).toBeUndefined();
    expect(alerts.stats()).toMatchObject({ raised: 1, delivered: 0, queued: 1 });
  });

  test('the queue is bounded: the least severe and newest gives way, and is counted', async () => {
    let release = (): void => {};
    receiver.reactions = [
      (response) => {
        release = () => void response.writeHead(204).end();
      },
      204,
    ];
    const alerts = create({ queueSize: 3 });
    violate(alerts, 'first');
    await receiver.until(1);
    for (const name of ['a', 'b']) violate(alerts, name);
    alerts.observer.onAnswer(requestOf('timeout 1'), answerBy('timeout'));
    alerts.observer.onAnswer(requestOf('timeout 2'), answerBy('timeout'));
    violate(alerts, 'c');
    violate(alerts, 'd');
    expect(alerts.stats()).toMatchObject({ dropped: 3, queued: 4 });
    release();
    await receiver.until(4);
    expect(receiver.received.map(({ body }) => JSON.parse(body).data.command)).toEqual(['first', 'a', 'b', 'c']);
  });

  describe('closing', () => {
    test('delivers what waits', async () => {
      const alerts = create();
      for (let at = 0; at < 5; at += 1) violate(alerts);
      const closed = await alerts.close();
      expect(closed).toMatchObject({ delivered: 5, left: [], queued: 0 });
      expect(receiver.received.length).toBe(5);
    });

    test('does not wait for a pause to end, but tries at once', async () => {
      receiver.reactions = [500, 204];
      const alerts = create({ firstDelay: 3_600_000, longestDelay: 3_600_000 });
      violate(alerts);
      await receiver.until(1);
      expect(await alerts.close()).toMatchObject({ delivered: 1, retried: 1, left: [] });
    });

    test('says what is left when the server fails', async () => {
      receiver.reactions = [500];
      const alerts = create({ firstDelay: 3_600_000, longestDelay: 3_600_000 });
      for (const name of ['a', 'b', 'c']) violate(alerts, name);
      const { left, delivered } = await alerts.close();
      expect([left.map(({ command }) => command), delivered]).toEqual([['a', 'b', 'c'], 0]);
    });

    test('and when it does not answer within the bound', async () => {
      receiver.reactions = [() => {}];
      const alerts = create({ timeout: 600_000 });
      for (const name of ['a', 'b']) violate(alerts, name);
      await receiver.until(1);
      const { left } = await alerts.close({ timeout: 50 });
      expect(left.map(({ command }) => command)).toEqual(['a', 'b']);
    });

    test('and when there is no server, or one that only accepts', async () => {
      const { url } = receiver;
      await receiver.close();
      const refused = create({ url });
      violate(refused);
      expect((await refused.close()).left.length).toBe(1);
      const sockets: Socket[] = [];
      const silent = createServer((socket) => void sockets.push(socket));
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      const { port } = silent.address() as { port: number };
      const alerts = create({ url: `http://127.0.0.1:${port}/` });
      violate(alerts);
      expect((await alerts.close({ timeout: 50 })).left.length).toBe(1);
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => silent.close(resolve));
      receiver = await Receiver.open();
    });

    test('afterwards no more alerts are sent, and that is counted', async () => {
      const seen: Alert[] = [];
      const alerts = create({}, { onAlert: (alert) => void seen.push(alert) });
      await alerts.close();
      violate(alerts);
      expect(seen).toEqual([]);
      expect(alerts.stats()).toMatchObject({ raised: 0, dropped: 1 });
    });

    test('a callback that never ends does not hold it up', async () => {
      const alerts = create({}, { onAlert: () => new Promise<void>(() => {}) });
      violate(alerts);
      expect(await alerts.close({ timeout: 500 })).toMatchObject({ delivered: 1 });
    });
  });
});
