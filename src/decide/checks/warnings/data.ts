// Database statements that delete: in options, operands, here-strings, here-documents, and text piped into a client.

import type { CommandFact, Facts } from '../../../core/facts.ts';
import type { Check, Hit } from '../../check.ts';
import { names } from '../safety/terms/words.ts';

const CLIENTS = new Set(names('psql mysql mariadb sqlite3 sqlcmd duckdb clickhouse-client cockroach mycli pgcli usql'));
const DROP = /\b(?:drop|truncate)\s+(?:table|database|schema|view|index|user|role|column)\b|\btruncate\s+[a-z_"`]/i;
const DELETE = /\bdelete\s+from\s/gi;
/** Longer statements are skipped: a warning is not worth the time. */
const MAX_SQL = 20_000;

export const DATA_WARNINGS: readonly Check[] = [
  {
    id: 'sql-drop',
    layer: 'warnings',
    severity: 'high',
    verdict: 'allow',
    message: 'This deletes a table, a database or all of its rows.',
    instead: 'Make a dump first, for example with `pg_dump` or `mysqldump`.',
    inspectWhole: ({ facts }) => hitsOf(facts, (sql) => DROP.test(sql)),
    examples: {
      matches: [
        ...[
          "psql -c 'DROP TABLE x'",
          "mysql -e 'truncate table x'",
          "sqlite3 a.db 'drop table x'",
          "psql <<< 'drop  schema x'",
          "echo 'DROP DATABASE x' | psql",
          "psql -c'drop table x'",
        ],
        ...[
          "psql <<'EOF'\nDROP TABLE x;\nEOF",
          "sudo -u postgres psql -c 'drop database x'",
          'bash -c "psql -c \'drop table x\'"',
          'cat <<EOF | mysql\ndrop table x;\nEOF',
          "docker exec db psql -c 'DROP TABLE x'",
        ],
        ...["psql --command='DROP\nTABLE x'", "printf 'truncate users' | psql"],
      ],
      passes: [
        "psql -c 'select 1'",
        "echo 'drop table x'",
        'psql -c "select \'drop\' from table1"',
        'sqlite3 a.db .tables',
        "git commit -m 'drop table x'",
        'psql -f a.sql',
        "grep 'DROP TABLE' a.sql",
      ],
    },
  },
  {
    id: 'sql-delete-all',
    layer: 'warnings',
    severity: 'high',
    verdict: 'allow',
    message: 'A DELETE without WHERE deletes every row.',
    instead: 'Add a WHERE, or try it inside a transaction: `BEGIN; DELETE …; ROLLBACK`.',
    inspectWhole: ({ facts }) => hitsOf(facts, isUnboundedDelete),
    examples: {
      matches: [
        "sqlite3 a.db 'delete from x'",
        "psql -c 'DELETE FROM users;'",
        "mysql -e 'delete from a; select 1 where 1'",
        "psql <<< 'delete from x'",
        "echo 'delete from x;' | psql",
        'psql <<EOF\nDELETE FROM x;\nEOF',
        "sudo psql -c 'delete from x'",
      ],
      passes: [
        "psql -c 'delete from x where id=1'",
        "echo 'delete from x'",
        "psql -c 'select 1'",
        "sqlite3 a.db 'DELETE FROM x WHERE a=1;'",
        "git commit -m 'delete from x'",
      ],
    },
  },
];

function isUnboundedDelete(sql: string): boolean {
  for (const { index } of sql.matchAll(DELETE)) {
    const end = sql.indexOf(';', index);
    if (!/\bwhere\b/i.test(sql.slice(index, end < 0 ? undefined : end))) return true;
    if (end < 0) return false;
  }
  return false;
}

/** Clients that get such a statement: as words, as stdin, or through a pipe. */
function hitsOf(facts: Facts, isBad: (sql: string) => boolean): readonly Hit[] {
  const isClient = ({ name }: CommandFact) => name !== null && CLIENTS.has(name);
  if (!facts.commands.some(isClient)) return [];
  const clients = facts.commands.filter(isClient);
  const isBadText = (text: string | null) => text !== null && text.length <= MAX_SQL && isBad(text);
  const badPipelines = new Set<number>();
  for (const command of facts.commands) {
    const { pipeline, name } = command;
    if (pipeline === null || badPipelines.has(pipeline)) continue;
    const isPrinter = name === 'echo' || name === 'printf';
    const texts = isPrinter ? [command.argv.slice(1).join(' ')] : name === 'cat' ? inputsOf(command, facts) : [];
    if (texts.some(isBadText)) badPipelines.add(pipeline);
  }
  return clients
    .filter((client) => {
      if (client.pipeline !== null && badPipelines.has(client.pipeline)) return true;
      if (client.argv.slice(1).some(isBadText) || inputsOf(client, facts).some(isBadText)) return true;
      return client.effects.executes.some(({ text }) => isBadText(text));
    })
    .map(({ span }) => ({ span }));
}

function inputsOf(command: CommandFact, facts: Facts): readonly string[] {
  return command.redirects.flatMap(({ kind, target, span }) => {
    if (kind === 'herestring') return target?.kind === 'literal' ? [target.value] : [];
    // The body follows after the operator; for a warning the rest of the text is close enough.
    return kind === 'heredoc' ? [facts.command.slice(span[1])] : [];
  });
}
