// Processes that a command left running, and that were ended with it → a sentence about them.

/** Empty if there were none. `background`: what the reader uses to start a task; `null` if there is no way. */
export function describeLeftovers(
  { leftoversKilled: count }: { readonly leftoversKilled: number },
  background: string | null,
): readonly string[] {
  if (count === 0) return [];
  const ended =
    count === 1
      ? '1 process that was still running was ended with the command.'
      : `${count} processes that were still running were ended with the command.`;
  return [background === null ? ended : `${ended} Start servers as background tasks (${background}).`];
}
