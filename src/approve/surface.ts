// The port between the broker and a surface that shows a request to a person.

import type { Answer, PendingApproval, Receipt, Reply, SurfaceName } from '../core/approval.ts';

/** Answers the request that was presented. The claim is made before the promise is returned: the first call wins. */
export type GiveAnswer = (reply: Reply) => Promise<Receipt>;

/** Closes the request as unanswered: the caller cannot wait longer. `reason` says what can be done. */
export type GiveUp = (reason: string) => void;

export interface Surface {
  /** Recorded as `by` in the answers of this surface. */
  readonly name: SurfaceName;
  /**
   * Shows the request and returns; the answer comes later through `answer`. Throwing or rejecting means that this surface
   * cannot ask about it. The broker does not wait for this.
   */
  present(pending: PendingApproval, answer: GiveAnswer, giveUp: GiveUp): void | Promise<void>;
  /** The request is closed, by any surface. */
  withdraw(code: string, answer: Answer): void;
}
