// The names that generated programs may run. Names without a real program behind them only log and answer.

/** Run for real, confined, after they were logged: wrappers must run their arguments, file tools must have their effect. */
export const REAL_PROGRAMS =
  'bash sh env timeout nice nohup setsid stdbuf xargs find cat rm touch mkdir tee cp mv ln sort sed head tr wc'.split(
    ' ',
  );

export const COMMANDS = 'c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 ls git curl'.split(' ');

/** Names that only exist so that a strange parse finds something to run. */
const ODD = [
  ...'! [[ ]] { } if then else fi do done in case esac for while until function select time coproc a#b #c0 a=b -n -- -c +x'.split(
    ' ',
  ),
  ...'{a a} {a,b} {c0 c0} {c0,c1} x=c0 x+ = ~ * ? [a] c0, @ % ^ :x a:b $ $x $c0 ` ( ) () & ; | < > c0; c0& c0() \' " \\ c0\\'.split(
    ' ',
  ),
  ...'alpha beta one out sub hidden words tool f1 foo bar sudo x[0] a[0] echo printf pwd kill true false test'.split(
    ' ',
  ),
  ...'C0 C1 C2 RM c00 c01 c0c1 c1c0 c0a ac0 c0. c0: c0= c0- rmc0 c0c0 b.txt'.split(' '),
  ...['a b', 'c0 a', 'c1 a', 'f g'],
];

export function stubNames() {
  const letters = [...'abcdefghijklmnopqrstuvwxyz0123456789'];
  const short = letters.flatMap((first) => [first, ...letters.map((second) => first + second)]);
  const names = new Set([...REAL_PROGRAMS, ...COMMANDS, ...ODD, ...short]);
  // The runner makes this one first, and all the others as links to it.
  names.delete('c0');
  return [...names];
}
