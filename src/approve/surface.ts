// The port between the broker and whatever shows a request to a person.

import type { Answer, PendingApproval, Receipt, Reply, SurfaceName } from '../core/approval.ts';

/** Answers the request that was presented. The claim is made before the promise is returned: the first call wins. */
export type GiveAnswer = (reply: Reply) => Promise<Receipt>;

/** Closes the request as one that nobody answered: whoever waits cannot wait longer. `reason` says what they can do. */
export type GiveUp = (reason: string) => void;

export interface Surface {
  /** Recorded as `by` in the answers that come from here. */
  readonly name: SurfaceName;
  /**
   * Shows the request and returns; the answer comes later through `answer`. To throw or to reject means that this surface
   * cannot ask about it. The broker waits for nothing here.
   */
  present(pending: PendingApproval, answer: GiveAnswer, giveUp: GiveUp): void | Promise<void>;
  /** The request is closed, whoever answered it. */
  withdraw(code: string, answer: Answer): void;
}
