import { expect, test } from 'vitest';
import { hasLoopToFollow } from './loop-text.ts';

test.each([
  'while :; do :; done',
  'a; until b; do c; done',
  'if a; then while b; do c; done; fi',
  'case x in x) while :; do :; done;; esac',
  '! while :; do :; done',
  'for ((;;)); do :; done',
  'select x in a b; do :; done',
  'coproc cat',
  'wh\\\nile :; do :; done',
  'x=`while :; do :; done`',
  'echo {1..1000000000}',
  'while read x; do sleep 1 & done',
  'for x in a b; do sleep 1 & done',
  'read() { :; }; while read x; do :; done',
])('%j is followed', (text) => expect(hasLoopToFollow(text)).toBe(true));

test.each([
  'for x in a b; do echo "$x" >&2; done',
  'while read -r x; do echo "$x" && :; done < f',
  'while IFS= read -r x; do :; done &> log',
  "jq '.a | select(.b)' f",
  '# it stays there until it is removed',
  'echo wait for it',
])('%j ends', (text) => expect(hasLoopToFollow(text)).toBe(false));
