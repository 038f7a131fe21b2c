// origin.js: a server on loopback. /small answers with a few bytes, /bulk/N with N bytes. Prints its port.

import { createServer } from 'node:http';

const PART = Buffer.alloc(256 * 1024, 'x');

function sendBulk(response, size) {
  let left = size;
  const send = () => {
    while (left > 0) {
      const part = left < PART.length ? PART.subarray(0, left) : PART;
      left -= part.length;
      if (!response.write(part)) return response.once('drain', send);
    }
    response.end();
  };
  response.writeHead(200, { 'content-length': size });
  send();
}

const server = createServer((request, response) => {
  const bulk = /^\/bulk\/(\d+)$/.exec(request.url ?? '');
  if (bulk === null) response.end('small');
  else sendBulk(response, Number(bulk[1]));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
process.stdin.on('end', () => process.exit(0)).resume();
