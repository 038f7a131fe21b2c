// What is tried: kernels by series, each as an ordinary user, and variants of one of them.
// `tier` and `missing` are what hardshell has to report there; `protected-absent` is missing everywhere.

const LANDLOCK_TIER = ['metadata-outside', 'hidden-names', 'protected-existing', 'processes-unseen'];
const NO_NAMESPACES = { 'user.max_user_namespaces': 0 };

/** `newest`: of all suites, release candidates included. */
export const ROWS = [
  // The keeper needs mount_setattr (5.12).
  { name: '5.10', kernel: '5.10', tier: 'bubblewrap', missing: ['hidden-content', 'protected-existing'] },
  { name: '6.1', kernel: '6.1', tier: 'namespaces' },
  { name: '6.12', kernel: '6.12', tier: 'namespaces' },
  { name: '6.18', kernel: '6.18', tier: 'namespaces' },
  { name: '7.2', kernel: '7.2', tier: 'namespaces' },
  { name: 'newest', kernel: 'newest', tier: 'namespaces' },
  { name: '6.12-root', kernel: '6.12', what: 'as root', as: 'root', tier: 'namespaces' },
  {
    name: '5.10-no-namespaces',
    kernel: '5.10',
    what: 'no user namespaces',
    sysctls: NO_NAMESPACES,
    tier: 'none',
  },
  {
    name: '6.1-no-namespaces',
    kernel: '6.1',
    what: 'no user namespaces',
    sysctls: NO_NAMESPACES,
    tier: 'landlock',
    missing: [...LANDLOCK_TIER, 'writes-outside', 'devices', 'signals-outside'],
  },
  {
    name: '6.12-no-namespaces',
    kernel: '6.12',
    what: 'no user namespaces',
    sysctls: NO_NAMESPACES,
    tier: 'landlock',
    missing: LANDLOCK_TIER,
  },
  {
    name: '7.2-no-namespaces',
    kernel: '7.2',
    what: 'no user namespaces',
    sysctls: NO_NAMESPACES,
    tier: 'landlock',
    missing: LANDLOCK_TIER,
  },
  {
    name: '6.12-yama-1',
    kernel: '6.12',
    what: 'ptrace_scope 1',
    sysctls: { 'kernel.yama.ptrace_scope': 1 },
    tier: 'namespaces',
  },
  {
    name: '6.12-yama-2',
    kernel: '6.12',
    what: 'ptrace_scope 2',
    sysctls: { 'kernel.yama.ptrace_scope': 2 },
    tier: 'namespaces',
  },
  {
    name: '6.12-no-landlock',
    kernel: '6.12',
    what: 'without Landlock',
    parameters: ['lsm=yama'],
    tier: 'namespaces',
    missing: ['devices'],
  },
  {
    name: '6.12-cgroup',
    kernel: '6.12',
    what: 'cgroup delegated',
    cgroup: 'delegated',
    tier: 'namespaces',
    tests: ['test/run/cgroup.test.ts'],
  },
];

const byName = (name) => ROWS.find((row) => row.name === name);

/** Names of rows, or series of kernels that the archive has (6.17): each with its kernel. All rows if there are none. */
export function chooseRows(words, kernels) {
  const chosen = words.length === 0 ? ROWS : words.map((word) => byName(word) ?? { name: word, kernel: word });
  return chosen.map((row) => {
    const kernel = row.kernel === 'newest' ? kernels.at(-1) : kernels.find(({ series }) => series === row.kernel);
    return { as: 'user', what: '', missing: [], ...row, kernel: kernel ?? null };
  });
}
