// `check` understands a command and decides about it; `decide` does the second half, with a policy of your own.
import { analyze, check, createDiskProbe, DEFAULT_CONTEXT, DEFAULT_POLICY, decide, loadPolicy } from 'hardshell';

const { verdict } = check('git push --force');
console.log(verdict.decision, verdict.findings[0].id); // deny git-force-push
const context = { ...DEFAULT_CONTEXT, cwd: '/w', probe: createDiskProbe() };
console.log(decide(analyze('ls', { cwd: '/w' }), { ...DEFAULT_POLICY, mode: 'plan' }, context).decision); // allow
console.log(loadPolicy({ cwd: '/' }).policy.mode); // default
