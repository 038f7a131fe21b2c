// host.js TASKS-FOLDER VERB [ARGUMENT…]: another process that uses the public API. Prints one JSON line.
// `start CWD COMMAND` and `run-on CWD COMMAND [TIMEOUT]` (in the foreground first) stay until they are killed; `wait-for CWD COMMAND`
// stays for as long as the command, and `wait-for-started` says its task first; all others end.

import { createShell, DEFAULT_POLICY } from '../../dist/host.js';

const [tasksFolder, verb, ...words] = process.argv.slice(2);
const shell = createShell({ tasksFolder, recording: false });
const policy = { ...DEFAULT_POLICY, mode: 'bypass' };
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

if (verb === 'start' || verb === 'run-on') {
  const [cwd, command, timeout] = words;
  const timed = timeout === undefined ? {} : { timeout: Number(timeout), keepTimeout: true };
  const options = { cwd, policy, session: 'of-host', description: 'a task', ...timed };
  const { task, status, pid, pgid, outputFile } =
    verb === 'start'
      ? await shell.start(command, options)
      : await shell.run(command, { ...options, backgroundAfter: 200 });
  say({ task, status, pid, pgid, outputFile });
  setInterval(() => {}, 1000);
} else if (verb === 'wait-for') {
  const [cwd, command] = words;
  say(await shell.run(command, { cwd, policy, timeout: 600_000 }));
  await shell.close();
} else if (verb === 'wait-for-started') {
  const [cwd, command] = words;
  // A line of the command, so that it has written something.
  const onEvent = ({ type, task }) => type === 'stdout' && say({ task });
  await shell.run(command, { cwd, policy, onEvent });
} else {
  const task = verb === 'list' ? null : await shell.task(words[0]);
  const verbs = {
    list: async () => shell.tasks(),
    read: async () => task.read(),
    wait: async () => task.wait(),
    stop: async () => task.stop(),
    write: async () => task.write('x'),
    remove: async () => task.remove().then(() => 'removed'),
  };
  say(await verbs[verb]());
  await shell.close();
}
