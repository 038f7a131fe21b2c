// The filtering proxy, tested on loopback: it listens, refuses a host that is not listed, and allows one that is.

import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CheckFinding } from '../confine/doctor/diagnosis.ts';
import { createProxy } from '../confine/network/proxy.ts';

const LISTED = 'listed.test';
/** For a machine that is slow or busy; it takes milliseconds. */
const PATIENCE_MS = 15_000;

export async function checkProxy(): Promise<CheckFinding> {
  const base = { name: 'proxy', details: [] } as const;
  try {
    const problem = await tryProxy();
    if (problem === null)
      return {
        ...base,
        state: 'good',
        says: 'listens, refuses a host that is not listed, allows one that is',
        fixes: [],
      };
    return {
      ...base,
      state: 'broken',
      says: problem,
      fixes: ['Report this: the proxy must refuse hosts that are not listed.'],
    };
  } catch (error) {
    const says = `does not work: ${(error as Error).message}`;
    return {
      ...base,
      state: 'broken',
      says,
      fixes: ['Check for a firewall on the loopback interface (127.0.0.1).'],
    };
  }
}

async function tryProxy(): Promise<string | null> {
  const target = createServer((_, response) => response.end('reached'));
  await new Promise<void>((resolve, reject) => target.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = target.address() as AddressInfo;
  try {
    const proxy = await createProxy({
      listen: { port: 0 },
      domains: { allow: [`${LISTED}:${port}`], deny: [] },
      allowAddresses: ['127.0.0.1'],
      resolve: async () => ['127.0.0.1'],
    });
    try {
      if ((await ask(proxy.port as number, `http://unlisted.test:${port}/`)) !== 403)
        return 'a host that is not listed was not refused';
      if ((await ask(proxy.port as number, `http://${LISTED}:${port}/`)) !== 200)
        return 'a host that is listed could not be reached';
      return null;
    } finally {
      await proxy.close();
    }
  } finally {
    target.closeAllConnections();
    target.close();
  }
}

function ask(port: number, url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { host: new URL(url).host };
    const request = get({ host: '127.0.0.1', port, path: url, headers, agent: false }, (response) => {
      response.resume().once('close', () => resolve(response.statusCode ?? 0));
    });
    request.setTimeout(PATIENCE_MS, () => request.destroy(new Error('no answer in time')));
    request.once('error', reject);
  });
}
