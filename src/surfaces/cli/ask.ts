// `hardshell check --ask`: if approval is needed, the user is asked here and in other terminals, until one answers.

import { authorize, type Permission } from '../../host.ts';
import { gatherPeople } from './approvals/people.ts';
import { permitAsTool, policyFor, type Question } from './deciding.ts';
import type { CheckOptions } from './options.ts';

export async function askPeople(question: Question, options: CheckOptions): Promise<Permission> {
  const { command, cwd, shell, variables, user } = question;
  const { broker, close } = gatherPeople({ cwd, color: options.color, waits: true });
  try {
    const policy = policyFor(cwd, options);
    if (options.profile !== undefined || policy.mode === 'auto') return await permitAsTool(question, broker, options);
    const timeout = options.timeout === undefined ? {} : { timeout: options.timeout * 1_000 };
    return await authorize(command, { cwd, shell, variables, policy, context: { user }, broker, ...timeout });
  } finally {
    await close();
  }
}
