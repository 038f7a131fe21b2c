import { describe, expect, test } from 'vitest';
import { BadFile } from './bad-file.ts';
import { hasTable, removeTable, setTable } from './toml-edit.ts';
import { readToml } from './toml-text.ts';

const PATH = ['mcp_servers', 'hardshell'];
const VALUES = { command: '"/usr/bin/node"', args: '["/h.js", "mcp"]' };
const OURS = '[mcp_servers.hardshell]\ncommand = "/usr/bin/node"\nargs = ["/h.js", "mcp"]\n';

describe('our table is added at the end, and taking it out gives back the same bytes', () => {
  test.each([
    ['an empty file', ''],
    ['keys', 'model = "o5"\n'],
    [
      'other tables, comments and strange strings',
      '# top\n[a]\nb = """\n[mcp_servers.hardshell]\n"""\nc = [\n  1, # ]\n]\n',
    ],
    ['dotted and quoted names', "[mcp_servers.\"other\".env]\n'x.y' = '''it's'''\n"],
    ['inline tables and dates', 'd = { e = [1, { f = "}" }], g = 2026-01-01T00:00:00Z }\n'],
    ['lists of tables', '[[profiles]]\nx = 1\n[[profiles]]\nx = 2\n'],
    ['line ends of Windows', 'a = 1\r\n[b]\r\nc = 2\r\n'],
    ['four quotes at the end of a text', 'a = """x""""\nb = 1\n'],
    ['escaped quotes', 'a = "\\\\\\""\nb = \'\\\'\n'],
  ])('%s', (_name, text) => {
    const added = setTable(text, PATH, VALUES);
    const eol = text.includes('\r\n') ? '\r\n' : '\n';
    expect(added).toBe(text + (text === '' ? '' : eol) + OURS.replaceAll('\n', eol));
    expect(hasTable(added, PATH)).toBe(true);
    expect(setTable(added, PATH, VALUES)).toBe(added);
    expect(removeTable(added, PATH)).toBe(text);
  });

  test('a file without a last line end gets one', () => {
    expect(setTable('a = 1', PATH, VALUES)).toBe(`a = 1\n\n${OURS}`);
  });
});

test('an old entry is brought up to date, and what a person added to it stays', () => {
  const old = '[mcp_servers.hardshell] # mine\ncommand = "npx" # old\nstartup_timeout_sec = 20\n\n[z]\n';
  expect(setTable(old, PATH, VALUES)).toBe(
    '[mcp_servers.hardshell] # mine\nargs = ["/h.js", "mcp"]\ncommand = "/usr/bin/node" # old\nstartup_timeout_sec = 20\n\n[z]\n',
  );
});

test('with the table goes what stands below it; the comment of the next table stays', () => {
  const text = `a = 1\n\n${OURS}\n[mcp_servers.hardshell.env]\nX = "1"\n\n# about z\n[z]\ny = 2\n`;
  expect(removeTable(text, PATH)).toBe('a = 1\n\n# about z\n[z]\ny = 2\n');
});

test('a table in a text is none', () => {
  expect(hasTable('a = """\n[mcp_servers.hardshell]\n"""\n', PATH)).toBe(false);
  expect(hasTable("[mcp_servers.'hardshell']\n", PATH)).toBe(true);
});

describe('what cannot be followed is refused with its place', () => {
  test.each([
    ['a = "x\nb = 1\n', 1, 5, /text is not closed/],
    ['a = 1\nb = """x\n', 2, 5, /text is not closed/],
    ['a = [1,\n2\n', 1, 5, /value is not closed/],
    ['a = 1 ]\n', 1, 7, /unmatched/],
    ['[a\nb = 1\n', 1, 1, /no closing \]/],
    ['[[a]\n', 1, 1, /no closing \]\]/],
    ['a\n', 1, 1, /a key, a table or a comment/],
    ['a = \n', 1, 5, /a value was expected/],
    ['{"a": 1}\n', 1, 1, /a key was expected/],
    ['[a] b = 1\n', 1, 5, /the line should end/],
    ['mcp_servers = { x = 1 }\n', 1, 15, /on one line/],
    ['mcp_servers.hardshell.command = "x"\n', 1, 33, /on one line/],
    ['[[mcp_servers]]\n', 1, 1, /list of tables/],
  ])('%j', (text, line, column, message) => {
    const attempt = () => setTable(text, PATH, VALUES);
    expect(attempt).toThrow(BadFile);
    expect(attempt).toThrow(message);
    try {
      attempt();
    } catch (error) {
      expect((error as BadFile).spot).toEqual({ line, column });
    }
  });
});

test('keys carry the path of their table', () => {
  const { keys } = readToml('a.b = 1\n[c]\n"d e".f = 2\n');
  expect(keys.map(({ path }) => path)).toEqual([
    ['a', 'b'],
    ['c', 'd e', 'f'],
  ]);
});
