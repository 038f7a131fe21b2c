// A model that follows a script, in the protocols of Anthropic, OpenAI (chat completions and responses) and Google, on
// 127.0.0.1. A step is `{ input }` (a call of the shell tool) or `{ text }` (the end). Which step is next follows from
// the number of results in the request, so that a repeated request gets the same answer.

import { createServer } from 'node:http';

/** @returns the port, what the shell tool answered to each step, and how to end it. */
export async function startModel(tool, steps) {
  const results = [];
  let count = 0;
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = parse(Buffer.concat(chunks).toString());
    const { pathname } = new URL(request.url ?? '/', 'http://x');
    const protocol = request.method === 'POST' ? protocolOf(pathname) : null;
    if (protocol === null) return sendJson(response, { object: 'list', data: [{ id: 'fake' }], models: [] });
    const seen = READ[protocol](body);
    const offered = seen.tools.find(({ name }) => name === tool || name?.endsWith(`.${tool}`));
    // Titles and summaries are asked for without tools.
    const step = offered === undefined ? { text: 'ok' } : (steps[seen.results.length] ?? { text: 'done' });
    if (offered !== undefined) results.splice(0, results.length, ...seen.results);
    count += 1;
    const isStream = protocol === 'gemini' ? pathname.includes(':stream') : body.stream === true;
    const call = step.input === undefined ? null : { ...offered, input: step.input };
    ANSWER[protocol](response, {
      call,
      text: step.text ?? '',
      id: String(count),
      isStream,
      model: body.model ?? 'fake',
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { port: server.address().port, results, close };
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function protocolOf(path) {
  if (path.endsWith('/messages')) return 'anthropic';
  if (path.endsWith('/chat/completions')) return 'chat';
  if (path.endsWith('/responses')) return 'responses';
  return /:(?:stream)?generateContent$/i.test(path) ? 'gemini' : null;
}

const asText = (value) => {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.map((part) => part.text ?? '').join('\n') : JSON.stringify(value ?? '');
};

/** What a request offers, and the results that it has. */
const READ = {
  anthropic: ({ tools = [], messages = [] }) => ({
    tools,
    results: messages
      .flatMap(({ content }) => (Array.isArray(content) ? content : []))
      .filter(({ type }) => type === 'tool_result')
      .map(({ content }) => asText(content)),
  }),
  chat: ({ tools = [], messages = [] }) => ({
    tools: tools.map((each) => each.function ?? each),
    results: messages.filter(({ role }) => role === 'tool').map(({ content }) => asText(content)),
  }),
  responses: ({ tools = [], input = [] }) => ({
    tools: tools.flatMap((each) =>
      each.type === 'namespace' ? each.tools.map((inner) => ({ ...inner, namespace: each.name })) : [each],
    ),
    results: [input]
      .flat()
      .filter(({ type }) => type?.endsWith('_call_output'))
      .map(({ output }) => asText(output)),
  }),
  gemini: ({ tools = [], contents = [] }) => ({
    tools: tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations),
    results: contents
      .flatMap(({ parts = [] }) => parts)
      .filter(({ functionResponse }) => functionResponse)
      .map(({ functionResponse: { response } }) => asText(response?.output ?? response)),
  }),
};

function sendJson(response, value) {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

function sendEvents(response, events, { isNamed = false } = {}) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    const name = isNamed ? `event: ${event.type}\n` : '';
    response.write(`${name}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
  }
  response.end();
}

const ANSWER = {
  anthropic(response, { call, text, id, isStream, model }) {
    const block =
      call === null
        ? { type: 'text', text }
        : { type: 'tool_use', id: `toolu_${id}`, name: call.name, input: call.input };
    const stop_reason = call === null ? 'end_turn' : 'tool_use';
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = {
      id: `msg_${id}`,
      type: 'message',
      role: 'assistant',
      model,
      content: [block],
      stop_reason,
      usage,
    };
    if (!isStream) return sendJson(response, message);
    const delta =
      call === null
        ? { type: 'text_delta', text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(call.input) };
    const empty = call === null ? { type: 'text', text: '' } : { ...block, input: {} };
    const events = [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
      { type: 'content_block_start', index: 0, content_block: empty },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ];
    return sendEvents(response, events, { isNamed: true });
  },
  chat(response, { call, text, id, isStream, model }) {
    const calls =
      call === null
        ? undefined
        : [
            {
              index: 0,
              id: `call_${id}`,
              type: 'function',
              function: { name: call.name, arguments: JSON.stringify(call.input) },
            },
          ];
    const finish_reason = call === null ? 'stop' : 'tool_calls';
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const base = { id: `chatcmpl-${id}`, created: 1, model, usage };
    const message = { role: 'assistant', content: text, ...(calls === undefined ? {} : { tool_calls: calls }) };
    if (!isStream)
      return sendJson(response, {
        ...base,
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason }],
      });
    const chunk = (delta, reason) => ({
      ...base,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: reason }],
    });
    return sendEvents(response, [chunk(message, null), chunk({}, finish_reason), '[DONE]']);
  },
  responses(response, { call, text, id, model }) {
    const item =
      call === null
        ? {
            type: 'message',
            id: `msg_${id}`,
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text, annotations: [] }],
          }
        : {
            type: 'function_call',
            id: `fc_${id}`,
            call_id: `call_${id}`,
            name: call.name,
            ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
            arguments: JSON.stringify(call.input),
            status: 'completed',
          };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const whole = { id: `resp_${id}`, object: 'response', status: 'completed', model, output: [item], usage };
    const events = [
      { type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: whole },
    ];
    return sendEvents(response, events, { isNamed: true });
  },
  gemini(response, { call, text, isStream }) {
    const part = call === null ? { text } : { functionCall: { name: call.name, args: call.input } };
    const candidates = [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }];
    const value = { candidates, usageMetadata: { promptTokenCount: 1, totalTokenCount: 2 } };
    return isStream ? sendEvents(response, [value]) : sendJson(response, value);
  },
};
