// Changes of commands can be staged: they are listed, can be undone, or wait until a person applies them.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createShell, openStagedCommands } from 'hardshell';

const cwd = mkdtempSync(join(tmpdir(), 'staging-'));
process.env.HARDSHELL_STATE_DIR = `${cwd}-state`; // on the file system of the project
writeFileSync(join(cwd, 'notes.txt'), 'one\n');
const shell = createShell({ cwd, staging: 'apply', assumeYes: true });
const { changes } = await shell.run('echo two >> notes.txt');
console.log(changes.state, changes.created, changes.changed); // landed 0 1
const stages = openStagedCommands();
console.log([...(await stages.diff(changes.id))].map(({ path }) => path).join()); // notes.txt
await stages.undo(changes.id);
console.log(JSON.stringify(readFileSync(join(cwd, 'notes.txt'), 'utf8'))); // "one\n"
await shell.close();
