// `hardshell audit verify` and `mark`: whether the log is unchanged, and marking a finding as a false alarm.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type LaneHead, openAudit, queryAudit, type VerifyReport, verifyAudit } from '../../../api/audit.ts';
import { EXIT } from '../failure.ts';
import { SCHEMA_VERSION, toLine } from '../json.ts';
import { process } from '../process.ts';
import { refusal } from '../refusal.ts';
import { createTerminal, type Terminal } from '../show/terminal.ts';
import { visible } from '../show/visible.ts';
import { type MarkOptions, readPlace, type VerifyOptions } from './options.ts';

const EXIT_CHANGED = 1;

export async function verify(options: VerifyOptions): Promise<number> {
  const report = verifyAudit({
    ...readPlace(options),
    ...(options.key === undefined ? {} : { keyFile: resolve(options.key) }),
    ...(options.against === undefined ? {} : { against: readHeads(resolve(options.against)) }),
  });
  const text = options.json
    ? toLine({ schemaVersion: SCHEMA_VERSION, ...report })
    : `${drawReport(report, createTerminal(options)).join('\n')}\n`;
  process.stdout.write(text);
  return report.isIntact ? EXIT.ok : EXIT_CHANGED;
}

/** The output of an earlier `verify --json`. */
function readHeads(path: string): LaneHead[] {
  try {
    const { heads } = JSON.parse(readFileSync(path, 'utf8')) as Partial<VerifyReport>;
    if (!Array.isArray(heads)) throw new Error('It has no heads.');
    return heads.map((head: LaneHead) => {
      if (!Number.isSafeInteger(head.lane) || !Number.isSafeInteger(head.n) || typeof head.hash !== 'string')
        throw new Error('One of its heads is not valid.');
      return head;
    });
  } catch (cause) {
    const hint = 'Pass the output of an earlier hardshell audit verify --json.';
    throw refusal('unreadable-audit', `Cannot compare with ${path}: ${(cause as Error).message}`, hint, cause);
  }
}

function drawReport(report: VerifyReport, { colors, glyphs }: Terminal): string[] {
  const { problems, notices, moreProblems, lines, segments, heads } = report;
  const place = (file: string, line: number | null) => visible(line === null ? file : `${file}:${line}`);
  const drawn = [
    ...problems.map(
      ({ file, line, kind, message }) =>
        `${colors.red(place(file, line))}  ${visible(message)} ${colors.dim(`[${kind}]`)}`,
    ),
    ...(moreProblems === 0 ? [] : [colors.red(`and ${moreProblems} more problems`)]),
    ...notices.map(({ file, line, message }) => `${colors.yellow(place(file, line))}  ${visible(message)}`),
  ];
  const what = `${lines} lines in ${segments} segments`;
  const unsigned = heads.reduce((sum, head) => sum + head.unsigned, 0);
  if (lines === 0 && problems.length === 0) drawn.push('The audit log is empty.');
  else if (problems.length === 0) drawn.push(`${colors.green('Nothing was changed')}: ${what} form an unbroken chain.`);
  else drawn.push(`${colors.red('The log was changed')}: ${problems.length + moreProblems} problems in ${what}.`);
  if (unsigned > 0)
    drawn.push(colors.dim(`The last ${unsigned} lines are not signed yet: their removal would not be noticed.`));
  for (const { lane, n, hash } of heads)
    drawn.push(colors.dim(`lane ${lane} ${glyphs.dot} ${n} ${glyphs.dot} ${hash}`));
  return drawn;
}

export async function mark(task: string, finding: string, options: MarkOptions): Promise<number> {
  const place = readPlace(options);
  for await (const record of queryAudit({ ...place, task, types: ['verdict'] })) {
    if (record.type !== 'verdict' || !record.findings.some(({ id }) => id === finding)) continue;
    const audit = openAudit({ ...place, fsync: 'always' });
    try {
      const { session, command } = record;
      const { reason = null, user = null } = options;
      const receipt = await audit.record({ type: 'false-positive', session, user, task, command, finding, reason });
      const said = `Recorded: ${visible(finding)} was a false alarm for ${visible(task)}.\n`;
      process.stdout.write(options.json ? toLine({ schemaVersion: SCHEMA_VERSION, receipt }) : said);
      return EXIT.ok;
    } finally {
      await audit.close();
    }
  }
  const hint = `hardshell audit query --task ${task} --type verdict --json shows the findings.`;
  throw refusal('invalid-argument', `The log has no finding ${finding} for the task ${task}.`, hint);
}
