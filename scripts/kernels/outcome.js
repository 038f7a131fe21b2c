// Row and the parts of its report → what the table shows, and the problems: each of them fails the run.

import { REFUSED } from './commands.js';

/** Missing everywhere: a name that does not exist yet cannot be protected. */
const BEYOND_EVERY_TIER = 'protected-absent';
const NETWORK_COMMANDS = ['refused host', 'published port'];
/** The feature of Landlock with this number in the doctor's check exists from this ABI on. */
const FEATURES = [1, 2, 3, 4, 5, 6, 9];

const lastOf = (parts, name) => parts.filter(({ part }) => part === name).at(-1);
const same = (one, other) => [...one].sort().join() === [...other].sort().join();

function checkDoctor(row, doctor, landlockAbi) {
  const { diagnosis } = doctor;
  if (diagnosis === null) return [`the doctor failed: ${doctor.said}`];
  const problems = diagnosis.guarantees
    .filter(({ verdict }) => verdict === 'broken')
    .map(({ guarantee, why }) => `the doctor found ${guarantee} broken: ${why}`);
  if (row.tier !== undefined && diagnosis.tier !== row.tier)
    problems.push(`the tier is ${diagnosis.tier}, not ${row.tier}`);
  const missing = missingOf(diagnosis);
  if (row.tier !== undefined && row.tier !== 'none' && !same(missing, row.missing))
    problems.push(`missing: ${missing.join(', ') || 'nothing'}; expected: ${row.missing.join(', ') || 'nothing'}`);
  const says = diagnosis.checks.find(({ name }) => name === 'landlock')?.says ?? '';
  const named = [...says.matchAll(/\((\d+)\)/g)].map(([, number]) => Number(number));
  const known = FEATURES.filter((number) => number <= landlockAbi);
  if (!same(named, known)) problems.push(`the kernel has Landlock ${landlockAbi}, the doctor says: ${says}`);
  for (const { name, state, says: text } of diagnosis.checks)
    if (state === 'broken') problems.push(`the doctor's check ${name} is broken: ${text}`);
  return problems;
}

function missingOf({ guarantees }) {
  const names = guarantees.filter(({ verdict }) => verdict === 'missing').map(({ guarantee }) => guarantee);
  return names.filter((name) => name !== BEYOND_EVERY_TIER);
}

/** Without a sandbox every command must be refused. Bubblewrap has no network: nothing can be published or reported. */
function checkCommands(commands, tier) {
  const isRefused = ({ problem }) => problem?.startsWith(REFUSED) === true;
  return commands
    .filter(({ name }) => tier !== 'bubblewrap' || !NETWORK_COMMANDS.includes(name))
    .filter((command) => (tier === 'none' ? !isRefused(command) : command.problem !== null))
    .map(({ name, problem }) => (tier === 'none' ? `${name} was not refused: ${problem}` : `${name}: ${problem}`));
}

/** Groups of tests are named after the tier that they use: `as user, by namespaces`. */
function checkAttacks({ tests, said }, diagnosis, landlockAbi) {
  if (tests === null) return [`the attacks could not be run: ${said}`];
  const problems = tests
    .filter(({ status }) => status === 'failed')
    .map(({ file, group, name, why }) => `${file} > ${group} > ${name}: ${why}`);
  const works = (tier) => tests.some(({ group, status }) => status === 'passed' && group.endsWith(`by ${tier}`));
  const expected = {
    namespaces: diagnosis?.tier === 'namespaces',
    landlock: landlockAbi > 0 && diagnosis?.tier !== 'none',
  };
  for (const [tier, isThere] of Object.entries(expected))
    if (works(tier) !== isThere)
      problems.push(
        `the doctor's tier is ${diagnosis?.tier}, but attacks ${isThere ? 'could not use' : 'used'} ${tier}`,
      );
  return problems;
}

export function judgeRow(row, parts, failure) {
  const [setup, kernel, doctor, attacks] = ['setup', 'kernel', 'doctor', 'attacks'].map((name) => lastOf(parts, name));
  const commands = parts.filter(({ part }) => part === 'command');
  const landlockAbi = kernel?.landlockAbi ?? null;
  const diagnosis = doctor?.diagnosis ?? null;
  const problems = [
    ...(setup === undefined ? [] : [setup.problem]),
    ...(failure === null ? [] : [failure]),
    ...(doctor === undefined ? ['the doctor did not run'] : checkDoctor(row, doctor, landlockAbi)),
    ...checkCommands(commands, diagnosis?.tier),
    ...(commands.length === 0 ? ['no command was run'] : []),
    ...(attacks === undefined ? [] : checkAttacks(attacks, diagnosis, landlockAbi)),
  ];
  const verdicts = (verdict) => (diagnosis?.guarantees ?? []).filter((each) => each.verdict === verdict);
  const count = (status) => (attacks?.tests ?? []).filter((test) => test.status === status).length;
  return {
    name: row.name,
    release: kernel?.release ?? row.kernel.release,
    what: row.what,
    landlockAbi,
    tier: diagnosis?.tier ?? null,
    held: verdicts('held').length,
    notProven: verdicts('not-proven').map(({ guarantee }) => guarantee),
    guarantees: diagnosis?.guarantees.length ?? 0,
    missing: diagnosis === null ? [] : missingOf(diagnosis),
    commands: { worked: commands.filter(({ problem }) => problem === null).length, all: commands.length },
    attacks: attacks === undefined ? null : { failed: count('failed'), tried: count('passed') + count('failed') },
    problems,
  };
}
