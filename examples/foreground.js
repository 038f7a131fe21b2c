// Commands that a process of this user waits for can be seen, followed and stopped from any other process.
import { createShell, followForeground, listForeground, stopForeground } from 'hardshell';

const shell = createShell();
const running = shell.run('echo started; sleep 60');
await new Promise((resolve) => setTimeout(resolve, 1_000));
const { commands } = await listForeground();
const command = commands.find(({ host }) => host.pid === process.pid);
let seen = '';
const onOutput = ({ text }) => {
  seen += text;
};
const following = followForeground(command, { cursor: 0, signal: AbortSignal.timeout(30_000), onOutput });
console.log(await stopForeground(command)); // true
console.log((await running).status, await following, seen.trim()); // cancelled true started
await shell.close();
