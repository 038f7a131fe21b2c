// bwrap: options with a fixed number of words each, then the command (bwrap(1)).
// Its mounts decide what paths mean inside, so the command is analyzed as if it ran here.

import type { WordValue } from '../../../core/facts.ts';
import { once } from '../../../core/values/once.ts';
import { literal, type ProgramAnalyser } from '../program.ts';
import { isOneWord } from '../words/wrapper-words.ts';

const NONE =
  '--unshare-all --share-net --unshare-user --unshare-user-try --unshare-ipc --unshare-pid --unshare-net ' +
  '--unshare-uts --unshare-cgroup --unshare-cgroup-try --disable-userns --assert-userns-disabled --clearenv ' +
  '--new-session --die-with-parent --as-pid-1';
const ONE =
  '--userns --userns2 --pidns --uid --gid --hostname --chdir --unsetenv --lock-file --sync-fd --remount-ro ' +
  '--exec-label --file-label --proc --dev --tmpfs --mqueue --dir --seccomp --add-seccomp-fd --block-fd ' +
  '--userns-block-fd --info-fd --json-status-fd --cap-add --cap-drop --perms --size --overlay-src ' +
  '--tmp-overlay --ro-overlay';
const TWO =
  '--bind --bind-try --dev-bind --dev-bind-try --ro-bind --ro-bind-try --setenv --file --bind-data ' +
  '--ro-bind-data --symlink --chmod';

const arities = once(
  () =>
    new Map<string, number>([
      ...NONE.split(' ').map((name) => [name, 0] as const),
      ...ONE.split(' ').map((name) => [name, 1] as const),
      ...TWO.split(' ').map((name) => [name, 2] as const),
      ['--overlay', 3],
    ]),
);

export const bwrap: ProgramAnalyser = (args, sink) => {
  const environment = new Map<string, WordValue | null>();
  const { words } = args;
  let index = 0;
  while (index < words.length) {
    const word = words[index] as WordValue;
    const text = literal(word);
    if (text === '--') {
      index++;
      break;
    }
    if (text !== null && !text.startsWith('-')) break;
    if (text === '--help' || text === '--version') return;
    const arity = text === null ? undefined : arities().get(text);
    const values = words.slice(index + 1, index + 1 + (arity ?? 0));
    const unclear = arity === undefined ? word : values.find((value) => !isOneWord(value));
    if (unclear !== undefined) {
      return sink.cannotTell('wrapper-arguments', 'the words before the command of bwrap are unknown', unclear.span);
    }
    const [first, second] = values;
    const name = literal(first);
    if (text === '--setenv' && second !== undefined) {
      if (name === null) return sink.cannotTell('wrapper-arguments', 'a variable of bwrap is unknown', word.span);
      environment.set(name, second);
    } else if (text === '--unsetenv' && name !== null) environment.set(name, null);
    else if (text === '--chdir' && first !== undefined) sink.chdir(first);
    index += 1 + (arity ?? 0);
  }
  sink.privilege();
  const command = words.slice(index);
  if (command.length > 0) sink.run(command, 'bwrap', { environment });
};
