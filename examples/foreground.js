// Commands that a process of this user waits for can be seen, followed and stopped from any other process.
import { setTimeout } from 'node:timers/promises';
import { createShell, followForeground, listForeground, stopForeground } from 'hardshell';

const shell = createShell();
const running = shell.run('echo started; sleep 60');
let command;
for (let turn = 0; command === undefined && turn < 200; turn += 1) {
  await setTimeout(100); // it is listed after a quarter of a second
  command = (await listForeground()).commands.find(({ host }) => host.pid === process.pid);
}
let seen = '';
const onOutput = ({ text }) => {
  seen += text;
};
const following = followForeground(command, { cursor: 0, signal: AbortSignal.timeout(30_000), onOutput });
console.log(await stopForeground(command)); // true
console.log((await running).status, await following, seen.trim()); // cancelled true started
await shell.close();
