// A conversation → its SDK server: lists the tools of the profile with the current state, and calls them.
// Failures of tools are results; protocol errors are only for malformed requests.

import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { MAX_TIMER_MS } from '../../host/values.ts';
import { describeError, HardshellError, offeredTools, type ProfileTool, type ToolAnswer } from '../../host.ts';
import { log } from './host.ts';
import { CAPABILITIES, type Identity, instructionsFor } from './identity.ts';
import type { Conversation } from './tools/conversation.ts';
import type { Link } from './tools/tool-call.ts';

const QUESTION = 'approval';

export function createProtocolServer(conversation: Conversation, identity: Identity): Server {
  const { profile } = conversation.host;
  const server = new Server(
    { ...identity },
    { capabilities: CAPABILITIES, instructions: instructionsFor(profile.name) },
  );
  server.onerror = (error) => log(error.message);
  server.setRequestHandler('tools/list', () => listTools(conversation));
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const tool = profile.tools.find(({ name }) => name === params.name);
    if (tool === undefined)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Unknown tool: ${JSON.stringify(params.name)}. Known tools: ${profile.tools.map(({ name }) => name).join(', ')}.`,
      );
    try {
      return await callTool(conversation, tool, params.arguments ?? {}, ctx, server);
    } catch (error) {
      return describeFailure(error);
    }
  });
  return server;
}

async function listTools({ host, session }: Conversation): Promise<{ tools: Tool[] }> {
  const surroundings = await host.look(session.cwd);
  const tools = offeredTools(host.profile.tools, host.openChanges(session)).map((tool) => ({
    name: tool.name,
    title: tool.title,
    description: tool.describe(surroundings),
    inputSchema: tool.inputSchema,
    outputSchema: tool.outputSchema,
    annotations: { title: tool.title, ...tool.annotations },
  }));
  return { tools: tools as unknown as Tool[] };
}

async function callTool(
  conversation: Conversation,
  tool: ProfileTool,
  input: Record<string, unknown>,
  ctx: ServerContext,
  server: Server,
): Promise<CallToolResult | InputRequiredResult> {
  const { mcpReq } = ctx;
  const link = linkTo(ctx);
  const asked = JSON.stringify([tool.name, input]);
  const key = mcpReq.requestState<string>();
  const call =
    key === undefined
      ? conversation.begin(tool, input, link, canShowForms(ctx, server))
      : conversation.resume(key, asked);
  if (call === null && key === undefined)
    return failed('Too many calls of this client are running. Wait for some of them to end.');
  if (call === null) return failed('The question is no longer open. Call the tool again without the answer.');
  if (key !== undefined) call.receive(mcpReq.inputResponses?.[QUESTION]);
  const step = await call.wait(link);
  if (step.kind === 'answer') return toResult(step.answer);
  const { message, requestedSchema } = step.form;
  return inputRequired({
    inputRequests: { [QUESTION]: inputRequired.elicit({ message, requestedSchema }) },
    requestState: conversation.park(call, asked, step.form.deadline),
  });
}

function linkTo({ mcpReq }: ServerContext): Link {
  const progressToken = mcpReq._meta?.progressToken;
  const isModern = mcpReq.envelope !== undefined;
  return {
    request: mcpReq.id,
    signal: mcpReq.signal,
    sendProgress:
      progressToken === undefined
        ? null
        : (progress) => {
            const params = { progressToken, ...progress };
            // A client that disconnects is noticed through its request.
            mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
          },
    // Not the SDK's elicitInput, which throws if the answer does not match: such an answer is a no.
    elicit: isModern
      ? null
      : ({ message, requestedSchema }, signal) =>
          mcpReq.send(
            { method: 'elicitation/create', params: { message, requestedSchema } },
            // The broker ends an unanswered question.
            { signal, timeout: MAX_TIMER_MS },
          ),
  };
}

function canShowForms({ mcpReq }: ServerContext, server: Server): boolean {
  const envelope: Readonly<Record<string, unknown>> | undefined = mcpReq.envelope;
  const said = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  const capabilities = said as ClientCapabilities | undefined;
  const elicitation = capabilities?.elicitation;
  if (typeof elicitation !== 'object' || elicitation === null) return false;
  // An empty object means forms, from before there was anything else.
  return 'form' in elicitation || !('url' in elicitation);
}

function toResult({ text, data, isError, image }: ToolAnswer): CallToolResult {
  const picture = image === null ? [] : [{ type: 'image' as const, data: image.base64, mimeType: image.mediaType }];
  return { content: [{ type: 'text', text }, ...picture], structuredContent: { ...data }, isError };
}

function describeFailure(error: unknown): CallToolResult {
  if (error instanceof HardshellError) {
    return failed(error.hint === null ? error.message : `${error.message}\n${error.hint}`);
  }
  const message = describeError(error);
  log(`internal error: ${message}`);
  return failed(`Internal error: ${message}\nThis is a bug in hardshell. Please report it with the command.`);
}

function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
