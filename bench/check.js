// `npm run bench -- check [--json] [--quick]`: the cost of deciding in addition to understanding, and whether many rules cost more
// than few, as ratios measured in one run.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { analyze, check, DEFAULT_POLICY, readRules } from '../dist/host.js';
import { everyday } from './lib/inputs.js';
import { interleave, ratioRow, report, timeRow } from './lib/measure.js';

const MAX_RATIO_TO_ANALYZE = 2;
const MAX_RATIO_OF_MANY_RULES = 1.3;
const variables = { HOME: '/home/u' };

/** Typical rules: prefixes, exact commands, wildcards, paths and domains, over many programs. */
export function policyWith(count) {
  const lists = { allow: [], ask: [], deny: [] };
  const forms = [
    (i) => `Bash(tool${i} run:*)`,
    (i) => `Bash(npm run script-${i})`,
    (i) => `Bash(git push origin branch-${i}:*)`,
    (i) => `Bash(docker * image-${i})`,
    (i) => `Bash(make target-${i} !-k)`,
    (i) => `Read(//srv/data-${i}/**)`,
    (i) => `Edit(src/module-${i}/**)`,
    (i) => `Network(host-${i}.example.com)`,
  ];
  const names = Object.keys(lists);
  for (let i = 0; i < count; i += 1) lists[names[i % 3]].push(forms[i % forms.length](i));
  return { ...DEFAULT_POLICY, rules: readRules(lists, 'user') };
}

export async function run(argv) {
  const rounds = argv.includes('--quick') ? 30 : 300;
  const cwd = mkdtempSync(join(tmpdir(), 'hardshell-bench-'));
  try {
    const [name, text] = Object.entries(everyday).find(([key]) => key.startsWith('200'));
    const request = (count) => ({ cwd, variables, policy: policyWith(count) });
    const [few, some, many] = [request(10), request(500), request(10_000)];
    const samples = interleave(
      {
        analyze: () => analyze(text, { cwd, variables }),
        few: () => check(text, few),
        some: () => check(text, some),
        many: () => check(text, many),
      },
      rounds,
    );
    const rows = [
      timeRow(`${name}: analyze`, samples.analyze),
      timeRow(`${name}: check, 10 rules`, samples.few),
      timeRow(`${name}: check, 500 rules`, samples.some),
      timeRow(`${name}: check, 10,000 rules`, samples.many),
      ratioRow(`${name}: check with 500 rules / analyze`, samples.some, samples.analyze, MAX_RATIO_TO_ANALYZE),
      ratioRow(`${name}: check with 10,000 rules / 10 rules`, samples.many, samples.few, MAX_RATIO_OF_MANY_RULES),
    ];
    report('check', rows, { json: argv.includes('--json') });
  } finally {
    rmSync(cwd, { recursive: true });
  }
}
