// The text of a fixture file (JSONC) → its cases, or every error in it with line, column and what to write instead.
// Never skips anything: an unknown key or a file without cases would be a test that cannot fail.

import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Mode, Shell, VerdictName } from '../../../host.ts';
import { MODE_NAMES } from '../options.ts';
import type { CaseRules } from './tools.ts';

export interface Fixture {
  readonly line: number;
  readonly command: string;
  readonly expect: VerdictName;
  /** The id of a check, or text that must occur in a finding or in the rule that it names. */
  readonly because?: string;
  readonly cwd?: string;
  readonly mode?: Mode;
  readonly shell?: Shell;
  readonly settings?: string;
  readonly rules?: CaseRules;
}

export interface Problem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly fix: string;
}

export interface FixtureFile {
  readonly fixtures: readonly Fixture[];
  readonly problems: readonly Problem[];
}

const EXPECTED = ['allow', 'ask', 'deny'] as const satisfies readonly VerdictName[];
const SHELL_NAMES = ['bash', 'sh', 'zsh'] as const satisfies readonly Shell[];

/** A key's value: any text, one of some names, or lists of rules. */
type Form = 'text' | readonly string[] | 'rules' | 'cases';

const FILE_KEYS: Readonly<Record<string, Form>> = {
  $schema: 'text',
  settings: 'text',
  mode: MODE_NAMES,
  cwd: 'text',
  shell: SHELL_NAMES,
  cases: 'cases',
};
const CASE_KEYS: Readonly<Record<string, Form>> = {
  command: 'text',
  expect: EXPECTED,
  because: 'text',
  cwd: 'text',
  mode: MODE_NAMES,
  shell: SHELL_NAMES,
  rules: 'rules',
};
/** One error causes many others; the first ones are enough. */
const MAX_ERRORS = 10;
const EXAMPLE = '{"command": "git status", "expect": "allow"}';

export function parseFixtures(text: string): FixtureFile {
  const problems: Problem[] = [];
  const at = locator(text);
  const report = (offset: number, message: string, fix: string) => {
    problems.push({ ...at(offset), message, fix });
  };
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (root === undefined) {
    report(0, 'The file is empty.', `Write a list of cases: [${EXAMPLE}]`);
    return { fixtures: [], problems };
  }
  for (const { error, offset } of errors.slice(0, MAX_ERRORS)) {
    report(
      offset,
      `This is not valid JSON: ${phrase(printParseErrorCode(error))}.`,
      'Correct the text here or just before.',
    );
  }
  if (problems.length > 0) return { fixtures: [], problems };

  const reader = new Reader(report);
  const shared = root.type === 'object' ? reader.readObject(root, FILE_KEYS) : {};
  const cases = root.type === 'array' ? root : findValue(root, 'cases');
  if (cases === undefined || cases.type !== 'array') {
    if (root.type !== 'object' || cases === undefined)
      report(root.offset, 'No cases.', `Write a list, or an object with "cases": [${EXAMPLE}]`);
    return { fixtures: [], problems };
  }
  const nodes = cases.children ?? [];
  if (nodes.length === 0) report(cases.offset, 'The list of cases is empty.', `Add at least one: ${EXAMPLE}`);
  const { cases: _, $schema: __, ...defaults } = shared;
  const fixtures = nodes.flatMap((node) => readCase(node, reader, report, defaults, at(node.offset).line));
  return { fixtures: problems.length === 0 ? fixtures : [], problems };
}

type Report = (offset: number, message: string, fix: string) => void;
type Values = Readonly<Record<string, unknown>>;

function readCase(node: Node, reader: Reader, report: Report, defaults: Values, line: number): readonly Fixture[] {
  if (node.type !== 'object') {
    report(node.offset, 'A case must be an object.', `Write it like this: ${EXAMPLE}`);
    return [];
  }
  const values = reader.readObject(node, CASE_KEYS);
  for (const key of ['command', 'expect']) {
    if (findValue(node, key) === undefined)
      report(node.offset, `The case has no "${key}".`, `Write it like this: ${EXAMPLE}`);
  }
  if (values.command === '')
    report(node.offset, 'The command is empty.', 'Write the command as the shell would get it.');
  return [{ line, ...defaults, ...values } as Fixture];
}

class Reader {
  readonly #report: Report;

  constructor(report: Report) {
    this.#report = report;
  }

  readObject(node: Node, keys: Readonly<Record<string, Form>>): Values {
    const values: Record<string, unknown> = {};
    const seen = new Set<string>();
    for (const property of node.children ?? []) {
      const [keyNode, valueNode] = property.children ?? [];
      if (keyNode === undefined || valueNode === undefined) continue;
      const key = String(keyNode.value);
      if (!Object.hasOwn(keys, key)) {
        const known = Object.keys(keys).filter((each) => each !== '$schema');
        this.#report(keyNode.offset, `Unknown key: "${key}".`, `Use one of: ${known.join(', ')}.`);
      } else if (seen.has(key)) {
        this.#report(keyNode.offset, `Duplicate key: "${key}".`, 'Keep one of them.');
      } else {
        values[key] = this.#readValue(key, valueNode, keys[key] as Form);
      }
      seen.add(key);
    }
    return values;
  }

  #readValue(key: string, node: Node, form: Form): unknown {
    if (form === 'rules') return this.#readRules(node);
    if (form === 'cases') {
      if (node.type !== 'array') this.#report(node.offset, '"cases" must be a list.', `Write: "cases": [${EXAMPLE}]`);
      return undefined;
    }
    if (node.type !== 'string') {
      this.#report(node.offset, `"${key}" must be a string.`, 'Put the value in double quotes.');
    } else if (form !== 'text' && !form.includes(node.value)) {
      this.#report(node.offset, `"${key}" cannot be "${node.value}".`, `Use one of: ${form.join(', ')}.`);
    }
    return node.value;
  }

  #readRules(node: Node): CaseRules | undefined {
    if (node.type !== 'object') {
      this.#report(node.offset, '"rules" must be an object.', 'Write: "rules": {"allow": ["Bash(git push:*)"]}');
      return undefined;
    }
    const rules: Record<string, readonly string[]> = {};
    for (const property of node.children ?? []) {
      const [keyNode, list] = property.children ?? [];
      if (keyNode === undefined || list === undefined) continue;
      const key = String(keyNode.value);
      if (!(EXPECTED as readonly string[]).includes(key)) {
        this.#report(keyNode.offset, `Unknown list of rules: "${key}".`, `Use one of: ${EXPECTED.join(', ')}.`);
        continue;
      }
      const texts = list.type === 'array' ? (list.children ?? []) : null;
      if (texts === null || texts.some(({ type }) => type !== 'string'))
        this.#report(list.offset, `"${key}" must be a list of strings.`, `Write: "${key}": ["Bash(git push:*)"]`);
      else rules[key] = texts.map(({ value }) => String(value));
    }
    return rules;
  }
}

function findValue(node: Node, key: string): Node | undefined {
  if (node.type !== 'object') return undefined;
  return node.children?.find(({ children }) => children?.[0]?.value === key)?.children?.[1];
}

function locator(text: string): (offset: number) => { readonly line: number; readonly column: number } {
  const starts = [0];
  for (let i = text.indexOf('\n'); i !== -1; i = text.indexOf('\n', i + 1)) starts.push(i + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] as number) + 1 };
  };
}

/** `CommaExpected` → `comma expected`. */
function phrase(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}
