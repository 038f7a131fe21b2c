// kubectl get, exec: secrets that an output format prints, and the command that runs in a pod.

import { literal, type ProgramAnalyser } from '../program.ts';
import { headOf, isCommandUncertain } from '../words/wrapper-words.ts';

// `-o=wide` arrives with its `=`.
const LISTS_NAMES = /^=?(?:name|wide)$/;

/** Any format but `wide` and `name` prints the data of a secret. */
export const kubectlGet: ProgramAnalyser = (args, sink) => {
  const format = args.value('-o');
  const template = args.has('--template');
  if (format === undefined && !template) return;
  if (format !== undefined && LISTS_NAMES.test(literal(format) ?? '') && !template) return;
  const [kinds] = args.operands;
  const isUnknown = args.has('-f') || args.has('-k') || kinds === undefined || kinds.kind !== 'literal';
  const named = args.operands.some(
    (word) => word.kind !== 'literal' || /(?:^|[,/.])secrets?(?:$|[,/.])/i.test(headOf(word)),
  );
  if (isUnknown || named) sink.discloses('cluster secrets');
};

export const kubectlExec: ProgramAnalyser = (args, sink) => {
  const before = args.has('-f') ? 0 : 1;
  if (isCommandUncertain(args, before, sink, 'kubectl exec')) return;
  const target = args.operands[0];
  const command = args.operands.slice(before);
  const where = before === 1 && target !== undefined ? (literal(target) ?? '?') : '?';
  if (command.length > 0) sink.run(command, 'kubectl exec', { elsewhere: `kubectl ${where}` });
  else sink.executes('program', null);
};
