// psql, mysql, sqlite3: SQL text and client commands in it, some of which run a shell or write files.
// Only sqlite3 -readonly with plain queries is known to change nothing.

import type { WordValue } from '../../../core/facts.ts';
import { wordSet } from '../../../core/values/once.ts';
import { type EffectSink, literal, literalWord, type ProgramAnalyser } from '../program.ts';
import { afterHead, headOf } from '../words/wrapper-words.ts';

/** psql -c: one backslash command, or SQL for the server (psql(1), -c). */
function judgePsqlText(text: WordValue, sink: EffectSink): void {
  const head = headOf(text).trimStart();
  const known = literal(text);
  if (head.startsWith('\\!')) {
    sink.shell(known === null ? text : literalWord(head.slice(2), text), 'psql \\!', { shell: 'sh' });
  } else if (
    head.startsWith('\\') &&
    !/^\\(?:d[A-Za-z+]*|l\+?|z|conninfo|encoding|timing|x|sf\+?|sv\+?)(?:\s+[\w.*"?]+)?\s*$/.test(known ?? '\\')
  ) {
    sink.executes('code', text);
    sink.cannotTell('dynamic-code', 'this backslash command may run a program', text.span);
  } else sink.executes('code', text);
}

export const psql: ProgramAnalyser = (args, sink) => {
  let hasCode = args.has('-f -l --list');
  for (const { name, value } of args.options) {
    if (value === null) continue;
    if (name === '-c') {
      hasCode = true;
      judgePsqlText(value, sink);
    } else if (name === '-o') {
      if (headOf(value).startsWith('|')) sink.shell(afterHead(value, 1), 'psql -o', { shell: 'sh' });
      else sink.path('write', value);
    }
  }
  if (!hasCode && !args.has('-V --version -? --help')) sink.executes('code', null);
};

/** mysql: `\!` and `system` run a shell, `\T` and `\P` write and pipe, in any position. */
export const mysql: ProgramAnalyser = (args, sink) => {
  let hasCode = false;
  for (const { name, value } of args.options) {
    if (name !== '-e' || value === null) continue;
    hasCode = true;
    sink.executes('code', value);
    const shell = /^\s*(?:\\!|system\s)\s*(.*)$/is.exec(literal(value) ?? '')?.[1];
    if (shell !== undefined && !shell.includes(';'))
      sink.shell(literalWord(shell, value), 'mysql \\!', { shell: 'sh' });
    else if (/\\[!.TPe]|(?:^|[;\n])\s*(?:system|tee|pager|source|edit)\b/i.test(literal(value) ?? '\\!')) {
      sink.cannotTell('dynamic-code', 'a command of the client may run a program', value.span);
    }
  }
  if (!hasCode && !args.has('-V --version -? --help')) sink.executes('code', null);
};

const QUERY = /^(?:select|values|explain|with)\b/i;
const PRAGMA_NAMES = wordSet(
  'table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list database_list ' +
    'compile_options function_list page_count page_size freelist_count encoding schema_version user_version ' +
    'integrity_check quick_check',
);
const PRAGMA = /^pragma\s+(?:\w+\.)?(\w+)\s*(?:\(\s*['"\w]*\s*\))?\s*$/i;
const RISKY_FUNCTION =
  /\b(?:writefile|readfile|load_extension|edit|fts3_tokenizer|fsdir|zipfile|sqlar_\w+|lsmode)\s*\(|\bfsdir\b|\binto\b/i;
const SHOWING_COMMANDS = wordSet(
  'table tables schema fullschema indexes indices databases dbinfo dump header headers mode show width ' +
    'nullvalue separator timer stats help version eqp print echo bail changes explain limit lint',
);
const PLAIN_COMMAND = /^\.([a-z]+)(?:\s+[\w%*.,"' -]*)?$/i;

function isPlainQuery(text: string): boolean {
  if (RISKY_FUNCTION.test(text)) return false;
  return text.split(';').every((piece) => {
    const statement = piece.trim();
    return (
      statement === '' || QUERY.test(statement) || PRAGMA_NAMES.has(PRAGMA.exec(statement)?.[1]?.toLowerCase() ?? '')
    );
  });
}

/** Dot commands with effects outside sqlite3: shell text, pipes and files (sqlite.org/cli.html). */
function judgeDotCommand(text: string, word: WordValue, sink: EffectSink): void {
  if (SHOWING_COMMANDS.has(PLAIN_COMMAND.exec(text)?.[1]?.toLowerCase() ?? '')) return;
  const match = /^\.([a-z]+)\s*(.*)$/is.exec(text);
  const [, name = '', rest = ''] = match ?? [];
  const target = rest.replace(/^(?:-\w+\s+)+/, '').replace(/^(["'])(.*)\1$/s, '$2');
  if (/^(?:sh|she|shel|shell|sy|sys|syst|syste|system)$/i.test(name))
    sink.shell(literalWord(rest, word), 'sqlite3 .shell', { shell: 'sh' });
  else if (/^["']?\|/.test(target)) {
    sink.executes('shell', word);
    sink.cannotTell('dynamic-code', 'a dot command pipes into a program', word.span);
  } else if (/^(?:ou|on)[a-z]*$|^(?:save|backup|log|trace|clone)$/i.test(name))
    sink.path('write', literalWord(target, word));
  else if (/^read$/i.test(name)) sink.executes('file', literalWord(target, word));
  else if (/^load$/i.test(name)) sink.executes('file', literalWord(target, word));
  else {
    sink.executes('code', word);
    sink.unknown('a dot command of sqlite3');
  }
}

export const sqlite3: ProgramAnalyser = (args, sink) => {
  // Anything before it runs before it is read.
  if (args.words.length === 1 && (args.has('-version') || args.has('-help'))) return;
  const [database, ...statements] = args.operands;
  const commands = args.options.filter((option) => option.name === '-cmd').flatMap((option) => option.value ?? []);
  const isReadOnly = args.has('-readonly') && !args.uncertain;
  if (database !== undefined && literal(database) !== ':memory:') sink.path(isReadOnly ? 'read' : 'edit', database);
  if (statements.length === 0) sink.executes('code', null);
  for (const word of [...commands, ...statements]) {
    const text = literal(word)?.trim();
    if (text === undefined) sink.executes('code', word);
    else if (text.startsWith('.')) judgeDotCommand(text, word, sink);
    else if (!isPlainQuery(text)) sink.executes('code', word);
  }
};
