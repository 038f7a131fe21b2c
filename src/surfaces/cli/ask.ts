// `hardshell check --ask`: if approval is needed, the user is asked here and in other terminals, until one answers.

import { authorize, type CheckRequest, type Permission } from '../../host.ts';
import { gatherPeople } from './approvals/people.ts';

export async function askPeople(
  command: string,
  request: CheckRequest & { readonly cwd: string },
  options: { readonly timeout?: number; readonly color: boolean },
): Promise<Permission> {
  const people = gatherPeople({ cwd: request.cwd, color: options.color, waits: true });
  try {
    return await authorize(command, {
      ...request,
      broker: people.broker,
      ...(options.timeout === undefined ? {} : { timeout: options.timeout * 1_000 }),
    });
  } finally {
    await people.close();
  }
}
