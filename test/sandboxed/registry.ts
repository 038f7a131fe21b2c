// A registry with one package, on this machine's loopback, and what a lock file says about it.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeTree } from './place.ts';

export interface Registry {
  readonly host: string;
  readonly port: number;
  readonly url: string;
  /** `METHOD path`, in order. */
  readonly requests: readonly string[];
  /** package.json and package-lock.json of a project that needs the package. */
  readonly files: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** A name, not an address: the proxy resolves it. Null if this machine's own name leads to another address. */
export async function nameOfLoopback(): Promise<string | null> {
  const name = hostname();
  const addresses = await lookup(name, { all: true }).catch(() => []);
  return addresses.some(({ address }) => address === '127.0.0.1') && name !== 'localhost' ? name : null;
}

const PATH = '/tiny-greeting/-/tiny-greeting-1.2.3.tgz';
const MANIFEST = { name: 'tiny-greeting', version: '1.2.3', main: 'greeting.js', bin: { greet: 'greeting.js' } };

function pack(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'hardshell-registry-'));
  try {
    writeTree(folder, {
      'package/package.json': JSON.stringify(MANIFEST),
      'package/greeting.js':
        "#!/usr/bin/env node\nmodule.exports = 'hello';\nif (require.main === module) console.log('greeted');\n",
    });
    execFileSync('tar', ['-czf', 'tiny.tgz', 'package'], { cwd: folder });
    return readFileSync(join(folder, 'tiny.tgz'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function serveRegistry(host: string): Promise<Registry> {
  const tarball = pack();
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const isThere = request.url === PATH;
    response.writeHead(isThere ? 200 : 404, { 'content-type': 'application/octet-stream' });
    response.end(isThere ? tarball : '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://${host}:${port}/`;
  const dependencies = { 'tiny-greeting': '1.2.3' };
  const lock = {
    name: 'project',
    lockfileVersion: 3,
    packages: {
      '': { name: 'project', dependencies },
      'node_modules/tiny-greeting': {
        version: '1.2.3',
        resolved: `http://${host}:${port}${PATH}`,
        integrity,
        bin: { greet: 'greeting.js' },
      },
    },
  };
  return {
    host,
    port,
    url,
    requests,
    files: {
      'package.json': JSON.stringify({ name: 'project', private: true, dependencies }),
      'package-lock.json': JSON.stringify(lock),
      '.npmrc': `registry=${url}\naudit=false\nfund=false\nupdate-notifier=false\n`,
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
