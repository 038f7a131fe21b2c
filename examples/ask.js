// Questions: a broker collects answers from callbacks, this terminal and other processes. The first one wins.
import {
  answerPending,
  authorize,
  callbackSurface,
  createBroker,
  createShell,
  headlineOf,
  listPending,
  openApprovalSocket,
  watchPending,
} from 'hardshell';

const broker = createBroker();
const detach = broker.attach(
  callbackSurface(async (request) => ({ verdict: request.risk === 'low' ? 'allow' : 'deny' })),
);
const { isAllowed, answer } = await authorize('npm publish', { broker });
console.log(isAllowed, answer.by); // false callback
detach();

// The shorter way: a shell that asks a function.
const shell = createShell({ onAsk: ({ risk }) => (risk === 'low' ? 'allow' : 'deny') });
console.log((await shell.run('npm publish')).failure.message.split('.')[0]); // Not approved: the answer was no
await shell.close();

// Another process can answer as well: `hardshell approve CODE`, or these functions.
const socket = await openApprovalSocket(broker);
const waiting = authorize('npm publish', { broker });
const [pending] = (await listPending()).pending;
console.log(headlineOf(pending.request).line.startsWith('Risk')); // true
const ended = new AbortController();
const watching = watchPending((event) => event.is === 'pending' && ended.abort(), { signal: ended.signal });
console.log((await answerPending(pending.longCode, { verdict: 'allow' })).status); // accepted
console.log((await waiting).isAllowed); // true
ended.abort();
await watching;
await socket.close();
broker.close();
