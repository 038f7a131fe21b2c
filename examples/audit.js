// A shell records in the audit log of the user by default; here in another one. It is chained and signed: changes are noticed.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createShell } from 'hardshell';
import { auditObserver, createMetrics, openAudit, queryAudit, verifyAudit } from 'hardshell/audit';

const cwd = mkdtempSync(join(tmpdir(), 'audit-'));
const place = { folder: join(cwd, 'log'), keyFolder: join(cwd, 'key') };
const audit = openAudit(place);
const metrics = createMetrics();
const shell = createShell({ cwd, recording: false, observers: [auditObserver(audit), metrics.observer] });
await shell.run('true');
await shell.close();
await audit.close();
for await (const record of queryAudit({ ...place, types: ['end'] })) {
  console.log(record.command, record.exit); // true 0
}
console.log(verifyAudit(place).isIntact); // true
