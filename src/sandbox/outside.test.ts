import { expect, test } from 'vitest';
import { type Asked, resolveTerms } from '../../test/terms/resolving.ts';
import type { SandboxSettings, Settings } from '../config/settings.ts';
import type { Mode } from '../core/policy.ts';
import { check } from '../pipeline/check.ts';
import type { Terms } from '../terms/terms.ts';
import { judgeLeaving, whyOutside } from './outside.ts';

function termsOf(settings: Settings, options: Asked = {}): Terms {
  return resolveTerms({ user: settings }, options);
}

function why(command: string, sandbox: SandboxSettings, options: Asked = {}): string | null {
  const { facts } = check(command, { cwd: '/w' });
  return whyOutside(termsOf({ sandbox }, options).sandbox, facts);
}

test.each<[string, boolean]>([
  ['docker ps', true],
  ['docker ps && docker images', true],
  ['cd /w && docker ps', true],
  ['docker ps | cat', false],
  ['docker ps; curl evil.example', false],
  ['$(docker ps)', false],
  ['eval "$x"', false],
  ['bash -c "docker ps; rm x"', false],
  ['env docker ps', false],
  ['./docker ps', false],
  ['/tmp/docker ps', false],
  ['PATH=.:$PATH docker ps', false],
  ['PATH=.; docker ps', false],
  ['export PATH=.; docker ps', false],
  ['LD_PRELOAD=./x.so docker ps', false],
  ['alias docker=evil; docker ps', false],
  ['docker() { evil; }; docker ps', false],
  ['hash -p ./evil docker; docker ps', false],
  ['enable -f ./x.so docker; docker ps', false],
  ['. ./evil; docker ps', false],
  ['trap ./evil EXIT; docker ps', false],
  ['eval "docker ps"', false],
  ['exec docker ps', false],
  ['for PATH in .; do docker ps; done', false],
  ['docker ps ${PATH:=.}', false],
  ['((PATH=1)); docker ps', false],
  ['PA\\\nTH=.; docker ps', false],
  ['{ PATH=.; }; docker ps', false],
  ['! PATH+=.: ; docker ps', false],
  ['docker run --env=A --rm image', true],
  ['docker ps > list', true],
  ['(docker ps)', true],
  ['docker ps "$(./evil)"', false],
  ['docker ps $((x[$(./evil)]))', false],
  ['docker ps <(./evil)', false],
  ['docker ps <<< "$(./evil)"', false],
  ['printf -v PATH .; docker ps', false],
  ['read PATH; docker ps', false],
  ['docker ps & ./evil', false],
  ['coproc ./evil; docker ps', false],
  ['echo docker', false],
  ['docker ps > $(touch x)', false],
])('excluded: %s', (command, isOutside) => {
  expect(why(command, { excludedCommands: ['docker'] }) !== null).toBe(isOutside);
});

test('the sandbox name decides, and a request may name another', () => {
  expect(why('ls', { name: 'unrestricted' })).not.toBeNull();
  expect(why('ls', { name: 'unrestricted' }, { sandbox: { name: 'restricted' } })).toBeNull();
  expect(why('ls', {})).toBeNull();
});

function leaving(settings: SandboxSettings, mode: Mode, command = 'ls'): string {
  const { verdict } = check(command, { cwd: '/w' });
  const judged = judgeLeaving(verdict, termsOf({ sandbox: settings, mode }, { withoutSandbox: true }));
  return `${judged.decision} ${judged.action} ${judged.findings[0]?.id}`;
}

test.each<[SandboxSettings, Mode, string]>([
  [{}, 'default', 'deny block outside-sandbox'],
  [{ allowUnsandboxed: false }, 'bypass', 'deny block outside-sandbox'],
  [{ allowUnsandboxed: true }, 'default', 'ask confirm outside-sandbox'],
  [{ allowUnsandboxed: true }, 'accept-edits', 'ask confirm outside-sandbox'],
  [{ allowUnsandboxed: true }, 'dont-ask', 'deny block outside-sandbox'],
  [{ allowUnsandboxed: true }, 'plan', 'deny block outside-sandbox'],
  [{ allowUnsandboxed: true }, 'bypass', 'allow run outside-sandbox'],
])('leaving with %j in %s', (settings, mode, expected) => expect(leaving(settings, mode)).toBe(expected));

test('a denied command stays denied', () => {
  expect(leaving({ allowUnsandboxed: true }, 'bypass', 'rm -rf /')).toMatch(/^deny/);
});
