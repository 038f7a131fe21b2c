// What a shell tool does → records: with real facts and verdicts, and the field names that readers rely on.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { auditObserver, type ObservedRequest, tailAudit } from '../../src/api/audit.ts';
import { check } from '../../src/host/deciding.ts';
import { createShell, type RunResult } from '../../src/host.ts';
import { createPlace, openAt, type Place } from './subject.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => place.remove());

const request: ObservedRequest = {
  task: 'bash-k7mw2q',
  command: 'API_TOKEN=hunter2 rm -r /work/build && curl https://example.com/x',
  args: null,
  shell: 'bash',
  cwd: '/work',
  session: 's1',
  user: 'me',
  profile: 'req',
  isBackground: false,
  description: 'Remove the build',
};
const subject = { task: 'bash-k7mw2q', session: 's1', user: 'me', cwd: '/work' };

test('every step becomes a record that is complete in itself', async () => {
  const audit = openAt(place);
  const observer = auditObserver(audit);
  const judged = check(request.command, { cwd: '/work' });
  await observer.onVerdict(request, { ...judged, elapsedMs: 2 });
  await observer.onAnswer(request, {
    verdict: 'allow',
    by: 'terminal',
    scope: 'once',
    rule: null,
    reason: null,
    at: 1,
  });
  await observer.onStart(request, { pid: 7, at: 1, enforcement: null, withheld: ['AWS_SECRET_ACCESS_KEY'] });
  await observer.onViolation(request, {
    kind: 'file',
    operation: 'write',
    target: '/etc/passwd',
    rule: 'writes-outside',
    instead: 'Write in /work.',
  });
  const files = {
    created: Array.from({ length: 300 }, (_, at) => `/work/${at}`),
    changed: [],
    deleted: [],
    isComplete: true,
  };
  const result = {
    verdict: judged.verdict,
    status: 'exited',
    answer: { verdict: 'allow', by: 'terminal', scope: 'once', rule: null, reason: null, at: 1 },
    exitCode: 0,
    signal: null,
    startedAt: 1,
    usage: null,
    outputBytes: 3,
    leftoversKilled: 0,
    violations: [{ kind: 'file' }],
    failure: null,
    files,
  } as unknown as RunResult;
  await observer.onEnd(request, result);
  await audit.close();

  const [verdict, answer, start, violation, end] = tailAudit({ folder: place.folder, count: 5 });
  expect(verdict).toMatchObject({
    type: 'verdict',
    ...subject,
    verdict: judged.verdict.decision,
    risk: judged.verdict.risk,
    class: judged.facts.class,
    profile: 'req',
    description: 'Remove the build',
    elapsedMs: 2,
    operations: { deletes: ['/work/build'], hosts: ['example.com'] },
  });
  expect(verdict).toHaveProperty('findings.length', judged.verdict.findings.length);
  expect(answer).toMatchObject({ type: 'answer', ...subject, verdict: 'allow', by: 'terminal', scope: 'once' });
  expect(start).toMatchObject({ type: 'start', ...subject, pid: 7, withheld: ['AWS_SECRET_ACCESS_KEY'] });
  expect(violation).toMatchObject({ type: 'violation', ...subject, kind: 'file', target: '/etc/passwd' });
  expect(end).toMatchObject({
    type: 'end',
    ...subject,
    status: 'exited',
    exit: 0,
    answeredBy: 'terminal',
    violations: 1,
  });
  expect(end).toHaveProperty('files.isComplete', false);
  expect(end).toHaveProperty('files.created.length', 200);
  for (const record of [verdict, answer, start, violation, end])
    expect(record).toMatchObject({ command: request.command.replace('hunter2', '[redacted:value]') });
});

test('a shell tool that is observed: what ran and what was refused is in the log', async () => {
  const audit = openAt(place);
  const shell = createShell({ observers: [auditObserver(audit)], tasksFolder: join(place.root, 'tasks') });
  try {
    const cwd = place.root;
    const ran = await shell.run('echo API_TOKEN=hunter2', { cwd, session: 's1' });
    const refused = await shell.run('rm -rf /', { cwd, session: 's1', assumeYes: true });
    await audit.flush();
    const records = tailAudit({ folder: place.folder, count: 100 });
    const typesOf = (task: string) => records.flatMap((one) => ('task' in one && one.task === task ? [one.type] : []));
    expect(typesOf(ran.task)).toEqual(['verdict', 'start', 'end']);
    expect(typesOf(refused.task)).toEqual(['verdict', 'end']);
    expect(records.at(-1)).toMatchObject({ type: 'end', status: 'denied', verdict: 'deny', session: 's1' });
    expect(JSON.stringify(records)).not.toContain('hunter2');
  } finally {
    await shell.close();
    await audit.close();
  }
});

test('what cannot be recorded is not done, unless that was asked for', async () => {
  writeFileSync(place.folder, '');
  const judged = check('ls', { cwd: '/work' });
  const strict = auditObserver(openAt(place));
  await expect(strict.onVerdict(request, judged)).rejects.toMatchObject({ code: 'unwritable-audit' });
  const problems: unknown[] = [];
  const lenient = auditObserver(openAt(place), {
    whenUnwritable: 'continue',
    onProblem: (error) => problems.push(error),
  });
  await lenient.onVerdict(request, judged);
  expect(problems).toMatchObject([{ code: 'unwritable-audit' }]);
});
