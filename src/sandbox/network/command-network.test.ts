// The hosts that a command names are allowed as hosts, never as patterns.

import { expect, test } from 'vitest';
import { analyze } from '../../analyze/analyze.ts';
import { listHosts, type NetworkInputs } from './command-network.ts';

function allowedBy(command: string): readonly string[] {
  const facts = analyze(command, { cwd: '/w' });
  const terms = { session: null, policy: { rules: [] } } as unknown as NetworkInputs['terms'];
  const network = { allow: [], deny: [], areHostsFixed: false } as unknown as NetworkInputs['network'];
  const broker = {} as unknown as NetworkInputs['broker'];
  return listHosts({ terms, network, facts, broker }).allow;
}

test.each<[string, readonly string[]]>([
  ["curl 'https://example.com/x'", ['example.com']],
  ["curl 'http://[::1]:8080/'", ['[::1]:8080']],
  ["git remote add q 'ssh://a;b/x'", []],
  ["git clone 'ssh://*/x'", []],
  ["git clone 'ssh://*.com/x'", []],
])('%s', (command, hosts) => {
  expect(allowedBy(command).map((host) => host.replace(/:(?:443|22)$/, ''))).toEqual(hosts);
});
