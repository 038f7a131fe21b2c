// Every node type of the parser is reached: a new one in the parser fails here until the walker handles it.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { analyze, parse } from '../../src/host.ts';
import { forEachChild, type SyntaxNode } from '../../src/parse/tree.ts';

/** A text for each type; where commands can stand inside the node, `inner` stands there. */
const SAMPLES: Readonly<Record<string, string>> = {
  Script: 'inner',
  Statement: 'inner &',
  CompoundList: '{ inner; }',
  Command: 'inner a',
  Pipeline: 'a | inner',
  AndOr: 'a && inner',
  Redirected: '{ a; } > f$(inner)',
  Time: 'time inner',
  Negation: '! inner',
  If: 'if a; then inner; fi',
  Elif: 'if a; then b; elif inner; then c; fi',
  For: 'for x in $(inner); do a; done',
  ArithmeticFor: 'for ((i=0; i<2; i++)); do inner; done',
  Select: 'select x in a; do inner; done',
  While: 'while a; do inner; done',
  Function: 'f() { inner; }; f',
  Coproc: 'coproc inner',
  Subshell: '(inner)',
  BraceGroup: '{ inner; }',
  Case: 'case $(inner) in a) b;; esac',
  CaseItem: 'case x in a) inner;; esac',
  TestCommand: '[[ -n $(inner) ]]',
  TestUnary: '[[ -z $(inner) ]]',
  TestBinary: '[[ a == $(inner) ]]',
  TestLogical: '[[ a && $(inner) ]]',
  TestNot: '[[ ! -n $(inner) ]]',
  TestGroup: '[[ ( -n $(inner) ) ]]',
  ArithmeticCommand: '(( $(inner) ))',
  ArithmeticBinary: '(( 1 + $(inner) ))',
  ArithmeticUnary: '(( -$(inner) ))',
  ArithmeticTernary: '(( 1 ? 2 : $(inner) ))',
  ArithmeticGroup: '(( ( $(inner) ) ))',
  ArithmeticWord: 'echo $((a[$(inner)]))',
  ArithmeticCommandExpansion: '(( $(inner) ))',
  Word: 'inner',
  Literal: '"a"inner; inner',
  Glob: 'echo [$(inner)]*',
  SingleQuoted: "'inner'",
  DoubleQuoted: 'echo "$(inner)"',
  AnsiCQuoted: "$'inner'",
  LocaleString: 'echo $"$(inner)"',
  SimpleExpansion: 'x=inner; $x',
  ParameterExpansion: 'x=inner; ${x}',
  CommandExpansion: 'echo $(inner)',
  ArithmeticExpansion: 'echo $((1 + $(inner)))',
  ProcessSubstitution: 'cat <(inner)',
  ExtendedGlob: 'echo @(a|$(inner))',
  BraceExpansion: 'echo {a,$(inner)}',
  Default: 'echo ${x:-$(inner)}',
  Remove: 'echo ${x#$(inner)}',
  Replace: 'echo ${x/a/$(inner)}',
  Slice: 'echo ${x:$(inner)}',
  CaseModification: 'echo ${x^$(inner)}',
  Transform: 'echo ${x@Q}; inner',
  Names: 'echo ${!x@}; inner',
  Unknown: 'echo ${x~}; inner',
  Assignment: 'x=$(inner)',
  ArrayValue: 'x=(a $(inner))',
  Redirect: 'a > f$(inner)',
  FileDescriptor: 'a 2> f$(inner)',
  FileDescriptorVariable: 'a {fd}> f$(inner)',
  HereString: 'a <<< $(inner)',
  HereDoc: 'a <<E\n$(inner)\nE',
  HereDocBody: 'a <<E\n$(inner)\nE',
  HereDocDelimiter: 'a <<E\n$(inner)\nE',
};

function parserTypes(): readonly string[] {
  const entry = createRequire(import.meta.url).resolve('unbash');
  const text = readFileSync(join(dirname(entry), 'types.d.ts'), 'utf8');
  return [...new Set([...text.matchAll(/readonly type: "(\w+)"/g)].map((match) => match[1] ?? ''))];
}

function typesIn(text: string): ReadonlySet<string> {
  const types = new Set<string>();
  const visit = (node: SyntaxNode): void => {
    types.add(node.type);
    forEachChild(node, visit);
  };
  const { script } = parse(text);
  if (script) visit(script);
  return types;
}

test('the parser declares its node types where this test looks for them', () => {
  expect(parserTypes().length).toBeGreaterThan(60);
});

test.each(parserTypes())('%s is walked', (type) => {
  const sample = SAMPLES[type];
  expect(sample, `a sample for the node type ${type}`).toBeDefined();
  if (sample === undefined) return;
  expect(typesIn(sample)).toContain(type);
  const facts = analyze(sample);
  expect(facts.commands.map((command) => command.argv[0])).toContain('inner');
});
