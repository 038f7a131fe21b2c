// Bash constructs that other shells parse differently: under `sh` or `zsh` they make the result uncertain.

import type { Command, CommandNode, CompoundList, Pipeline, Redirection } from '../../parse/tree.ts';
import { type Scope, spanOf } from '../machine.ts';
import type { Recorder } from '../recorder.ts';

const NOT_IN_SH: Readonly<Record<string, string>> = {
  TestCommand: '[[ ]]',
  ArithmeticCommand: '(( ))',
  ArithmeticFor: 'for (( ))',
  Select: 'select',
  Coproc: 'coproc',
};

export function checkDialect(node: CommandNode | CompoundList | Pipeline, scope: Scope, recorder: Recorder): void {
  if (scope.shell === 'bash') return;
  const construct = scope.shell === 'sh' ? bashism(node, scope) : null;
  if (construct) recorder.cannotTell('dialect', `${construct} means something else in sh`, spanOf(scope, node));
}

function bashism(node: CommandNode | CompoundList | Pipeline, scope: Scope): string | null {
  if (node.type === 'Pipeline') {
    if (node.operators.includes('|&')) return '|&';
    return node.prefixes.some((prefix) => prefix.type === 'Time') ? 'time' : null;
  }
  if (node.type === 'Function') return scope.source.startsWith('function', node.pos) ? 'function' : null;
  if (node.type === 'Redirected') return redirectBashism(node.redirects);
  return NOT_IN_SH[node.type] ?? null;
}

/** Simple commands are checked separately: they are by far the most frequent node. */
export function checkCommandDialect(node: Command, scope: Scope, recorder: Recorder): void {
  const construct = scope.shell === 'sh' ? (redirectBashism(node.redirects) ?? assignmentBashism(node)) : null;
  if (construct) recorder.cannotTell('dialect', `${construct} means something else in sh`, spanOf(scope, node));
}

function assignmentBashism(node: Command): string | null {
  for (const item of node.prefix) {
    if (item.type === 'Assignment' && (item.append || item.index || item.value.type === 'ArrayValue')) return item.text;
  }
  return null;
}

function redirectBashism(redirects: readonly Redirection[]): string | null {
  for (const redirect of redirects) {
    if (redirect.operator === '&>' || redirect.operator === '&>>' || redirect.operator === '<<<')
      return redirect.operator;
    const descriptor = redirect.descriptor;
    if (descriptor?.type === 'FileDescriptorVariable') return '{name}>';
    // Only one digit is a descriptor in sh; `02>f` runs 02.
    if (descriptor && descriptor.end - descriptor.pos > 1) return 'a descriptor of several digits';
    if (redirect.operator === '>&' && redirect.target && !/^[0-9-]+$/.test(redirect.target.text)) return '>&';
  }
  return null;
}
