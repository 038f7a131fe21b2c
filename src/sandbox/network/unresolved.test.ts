import { expect, test } from 'vitest';
import type { SandboxViolation } from '../../core/confinement.ts';
import { explainUnresolved } from './unresolved.ts';

const OUTPUT = 'ssh: Could not resolve hostname evil.example: Temporary failure in name resolution\n';
const violation = (kind: SandboxViolation['kind']): SandboxViolation => ({
  kind,
  operation: 'connect',
  target: '192.0.2.53:53',
  rule: 'only the proxy resolves names, for the hosts that are allowed',
  instead: '',
});

test.each([
  ['a failed lookup is explained', OUTPUT, [], true],
  ['not if a violation has explained it', OUTPUT, [violation('network')], false],
  ['violations of another kind explain nothing', OUTPUT, [violation('file')], true],
  ['other output needs no explanation', 'make: *** No rule to make target\n', [], false],
] as const)('%s', (_, output, seen, isExplained) => {
  expect(explainUnresolved(output, seen, 'proxy') !== null).toBe(isExplained);
});
