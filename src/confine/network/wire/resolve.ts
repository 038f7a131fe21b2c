// Names → all their addresses from the system resolver, a few at a time.
// The system's lookup blocks a thread of this process: a flood of names must not use all of them.

const AT_ONCE = 2;
const MAX_WAITING = 1000;

export function createResolver(look: (host: string) => Promise<readonly string[]> = lookUpAll) {
  const open = new Map<string, Promise<readonly string[]>>();
  const waiting: (() => void)[] = [];
  let running = 0;

  const run = async (host: string): Promise<readonly string[]> => {
    if (running >= AT_ONCE) {
      if (waiting.length >= MAX_WAITING) throw new Error('Too many concurrent DNS lookups.');
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return await look(host);
    } finally {
      // The slot is passed on, or released.
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };

  return (host: string): Promise<readonly string[]> => {
    const before = open.get(host);
    if (before !== undefined) return before;
    const found = run(host).finally(() => open.delete(host));
    open.set(host, found);
    return found;
  };
}

async function lookUpAll(host: string): Promise<string[]> {
  const { lookup } = await import('node:dns/promises');
  return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);
}
