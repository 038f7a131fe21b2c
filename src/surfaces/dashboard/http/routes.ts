// Path and method → the answer. Everything below /api except the entrance itself needs a session.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { actOn, readChanges } from '../data/changes.ts';
import { readCommand, readHistory } from '../data/history.ts';
import { findMatches } from '../data/matches.ts';
import type { Sources } from '../data/sources.ts';
import { countRecords } from '../data/statistics.ts';
import { Refused } from '../refused.ts';
import type { Asset } from './assets.ts';
import type { Entrance } from './entrance.ts';
import { readJson, send, sendJson } from './exchange.ts';
import { streamOutput } from './output-stream.ts';

interface Exchange {
  readonly url: URL;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The returned value is sent as JSON; `undefined`: it has already answered. */
type Route = (exchange: Exchange) => unknown;

export function createRoutes(sources: Sources, entrance: Entrance, assets: ReadonlyMap<string, Asset>) {
  const { tasks, policies, feed, audit } = sources;
  const routes: Readonly<Record<string, Route>> = {
    'GET /api/events': ({ response }) => {
      if (!feed.attach(response)) throw new Refused(503, 'Too many open pages. Close one.');
    },
    'POST /api/answer': async ({ request }) => feed.approvals.answer(await readJson(request)),
    'GET /api/matches': ({ url }) => {
      const { searchParams } = url;
      const rule = searchParams.get('rule') ?? '';
      const approval = feed.approvals.find(searchParams.get('code') ?? '');
      if (approval?.request.suggestions.includes(rule) !== true)
        throw new Refused(404, 'The question was answered, or this rule was not suggested for it.');
      return findMatches(audit, rule, approval.request.command);
    },
    'GET /api/output': ({ url, response }) => streamOutput(tasks, taskOf(url), cursorOf(url), response),
    'POST /api/stop': async ({ request }) => tasks.stop(String((await readJson(request)).task)),
    'GET /api/history': ({ url }) => readHistory(audit, tasks, url.searchParams),
    'GET /api/command': ({ url }) => readCommand(taskOf(url), { reader: audit, tasks, policies }),
    'GET /api/changes': ({ url }) => readChanges(taskOf(url), cursorOf(url) ?? 0),
    'POST /api/act': async ({ request }) => {
      const report = await actOn(await readJson(request));
      feed.noteAct();
      return report;
    },
    'GET /api/statistics': ({ url }) => countRecords(audit, url.searchParams.get('span') ?? 'day', Date.now()),
    'GET /api/policy': () => policies.view(),
    'POST /api/try': async ({ request }) => policies.try((await readJson(request)).command),
    'POST /api/doctor': async ({ request }) => {
      const { again } = await readJson(request);
      return sources.diagnose({ isAgain: again === true });
    },
  };

  return async (request: IncomingMessage, response: ServerResponse, port: number): Promise<void> => {
    const url = new URL(request.url ?? '/', `http://127.0.0.1:${port}`);
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const asset = assets.get(url.pathname);
    if (asset !== undefined && method === 'GET') return send(response, 200, asset.body, { 'content-type': asset.type });
    if (!url.pathname.startsWith('/api/')) throw new Refused(404, 'Not found.');
    if (`${method} ${url.pathname}` === 'POST /api/enter') return enter(request, response, entrance);
    if (!entrance.isLetIn(request))
      throw new Refused(
        401,
        'Open the link that `hardshell dashboard` printed. It works once; restart it for another.',
      );
    const route = routes[`${method} ${url.pathname}`];
    if (route === undefined) {
      const isKnown = Object.keys(routes).some((name) => name.endsWith(` ${url.pathname}`));
      throw new Refused(isKnown ? 405 : 404, isKnown ? 'Method not allowed.' : 'Not found.');
    }
    const answer = await route({ url, request, response });
    if (answer !== undefined) sendJson(response, answer);
  };
}

async function enter(request: IncomingMessage, response: ServerResponse, entrance: Entrance): Promise<void> {
  const { token } = await readJson(request);
  const session = entrance.enter(token);
  if (session === null)
    throw new Refused(
      401,
      'This link was already used, or is not the newest. Restart `hardshell dashboard` for another.',
    );
  sendJson(response, { key: session.key }, 200, { 'set-cookie': session.cookie });
}

function taskOf({ searchParams }: URL): string {
  const task = searchParams.get('task') ?? '';
  if (task === '' || task.length > 100) throw new Refused(400, 'Name the task.');
  return task;
}

function cursorOf({ searchParams }: URL): number | null {
  const text = searchParams.get('cursor');
  if (text === null) return null;
  if (!/^\d{1,15}$/.test(text)) throw new Refused(400, 'The cursor must be a number.');
  return Number(text);
}
