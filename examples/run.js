// `createShell` runs commands in the sandbox, after deciding about them.
import { createShell, HardshellError } from 'hardshell';

// What is given here holds for every call: cwd (default: the folder of the process), env, timeout, mode, sandbox, …
const shell = createShell({ env: { NAME: 'world' }, timeout: 30_000 });
const { status, exitCode, output, enforcement } = await shell.run('printf "%s" "hello $NAME"');
console.log(status, exitCode, output, enforcement.held.includes('writes-outside')); // exited 0 hello world true
console.log((await shell.run('cat', { input: 'typed', env: { NAME: 'other' } })).output); // typed
const refused = await shell.run('rm -rf /');
console.log(refused.status, refused.failure.type); // denied security_validation_failed
await shell.run('ls', { cwd: 'relative' }).catch((error) => {
  console.log(error instanceof HardshellError, error.code); // true invalid-argument
});
await shell.close();
await shell.run('ls').catch((error) => {
  console.log(error.code); // closed
});
