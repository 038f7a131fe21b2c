// A suggested rule → recent commands that it would have matched, so that a person sees its scope.

import { type AuditReader, createMatcher } from '../../../host.ts';
import type { RuleMatches } from '../wire.ts';

const MAX_SHOWN = 5;
const MAX_RECORDS = 1_000;
const MAX_DIFFERENT = 200;
const MAX_LENGTH = 2_000;

export async function findMatches(reader: AuditReader, rule: string, asked: string): Promise<RuleMatches> {
  const isMatched = createMatcher(rule);
  // The command in question is omitted.
  const seen = new Set<string>([asked]);
  const commands: string[] = [];
  for await (const record of reader.query({ types: ['verdict'], limit: MAX_RECORDS })) {
    if (record.type !== 'verdict' || record.command.length > MAX_LENGTH || seen.has(record.command)) continue;
    seen.add(record.command);
    if (isMatched(record.command, record.cwd)) commands.push(record.command);
    if (commands.length === MAX_SHOWN || seen.size > MAX_DIFFERENT) break;
  }
  return { rule, commands, looked: seen.size - 1 };
}
