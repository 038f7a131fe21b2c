// A caller's function that answers → a surface. Any error inside it denies, with its message; nothing escapes.

import type { Answer, ApprovalRequest, ApprovalScope, Receipt, Reply } from '../core/approval.ts';
import { describeBounded } from './asking/reply.ts';
import type { GiveAnswer, Surface } from './surface.ts';

export interface AskDetails {
  readonly code: string;
  readonly scopes: readonly ApprovalScope[];
  /** Aborted when another surface closes the request: remove the question. */
  readonly signal: AbortSignal;
}

export type OnAsk = (
  request: ApprovalRequest,
  details: AskDetails,
) => Promise<Reply | 'allow' | 'deny'> | Reply | 'allow' | 'deny';

export function callbackSurface(onAsk: OnAsk): Surface {
  const open = new Map<string, AbortController>();
  return {
    name: 'callback',
    present({ code, request, scopes }, answer) {
      const controller = new AbortController();
      open.set(code, controller);
      void ask(onAsk, request, { code, scopes, signal: controller.signal }, answer);
    },
    withdraw(code: string, answer: Answer) {
      const controller = open.get(code);
      open.delete(code);
      controller?.abort(new Error(`answered: ${answer.verdict} by ${answer.by}`));
    },
  };
}

async function ask(onAsk: OnAsk, request: ApprovalRequest, details: AskDetails, answer: GiveAnswer): Promise<void> {
  let reply: Reply;
  try {
    reply = toReply(await onAsk(request, details));
  } catch (error) {
    reply = { verdict: 'deny', reason: `The function that answers questions failed: ${describeBounded(error)}` };
  }
  const receipt: Receipt = await answer(reply);
  // It gets no second chance to answer.
  if (receipt.status === 'refused')
    await answer({ verdict: 'deny', reason: `The answer cannot be used: ${receipt.problem}` });
}

function toReply(said: unknown): Reply {
  if (said === 'allow' || said === 'deny') return { verdict: said };
  if (typeof said === 'object' && said !== null && 'verdict' in said) return said as Reply;
  return {
    verdict: 'deny',
    reason: 'The function that answers questions returned neither "allow", "deny" nor an object with a verdict.',
  };
}
