// `node writer.js '{"folder", "keyFolder", "count", "together", "size", …}'`: records, and prints each receipt when it has it.

import { writeSync } from 'node:fs';
import { openAudit } from '../../dist/record/audit.js';

const { count, together, size, ...options } = JSON.parse(process.argv[2]);
const audit = openAudit({ environment: {}, ...options });
const command = 'x'.repeat(size);

for (let index = 0; index < count; index += together) {
  const batch = Array.from({ length: together }, async (_, at) => {
    const { lane, n, hash } = await audit.record({
      type: 'false-positive',
      session: null,
      user: null,
      task: `${process.pid}-${index + at}`,
      command,
      finding: 'x',
      reason: null,
    });
    return `${JSON.stringify({ lane, n, hash })}\n`;
  });
  const settled = await Promise.allSettled(batch);
  writeSync(1, settled.flatMap(({ value }) => value ?? []).join(''));
  const failed = settled.find(({ status }) => status === 'rejected');
  if (failed !== undefined) process.exit(failed.reason.code === 'unwritable-audit' ? 3 : 4);
}
await audit.close();
