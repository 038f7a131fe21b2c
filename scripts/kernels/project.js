// The project in which first commands run: a repository with a file, a server and a script that contacts a host.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export const PORT = 5173;

const FILES = {
  'README.md': 'a project\n',
  'server.js': `require('http').createServer((_, response) => {
  response.setHeader('connection', 'close');
  response.end('served');
  setTimeout(() => process.exit(0), 300);
}).listen(${PORT}, '127.0.0.1');
`,
  'fetch.sh': 'curl -sS --max-time 300 http://not-allowed.test/\n',
  'memory.js':
    'const kept = []; for (let i = 0; i < 64; i += 1) kept.push(Buffer.alloc(16 << 20, 1)); console.log(kept.length);\n',
  'processes.sh': 'for i in $(seq 30); do sleep 20 & done; wait\n',
  'limits.json': '{ "limits": { "memoryBytes": 268435456, "processes": 8 } }\n',
};

export function prepareProject() {
  const folder = join(homedir(), 'project');
  mkdirSync(folder);
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  const git = (...argv) => execFileSync('git', ['-C', folder, ...argv], { stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'tester');
  git('config', 'user.email', 'tester@example.com');
  return folder;
}
