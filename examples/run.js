// `createShell` runs commands in the sandbox, after deciding about them.
import { createShell, HardshellError } from 'hardshell';

const shell = createShell();
const { status, exitCode, output, enforcement } = await shell.run('printf "%s" hello', { cwd: process.cwd() });
console.log(status, exitCode, output, enforcement.held.includes('writes-outside')); // exited 0 hello true
const refused = await shell.run('rm -rf /', { cwd: process.cwd() });
console.log(refused.status, refused.failure.type); // denied security_validation_failed
await shell.run('ls', { cwd: 'relative' }).catch((error) => {
  console.log(error instanceof HardshellError, error.code); // true invalid-argument
});
await shell.close();
