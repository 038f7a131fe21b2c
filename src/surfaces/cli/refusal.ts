// Errors as failure.ts knows them, by their shape: the class would load the whole analysis.

export function refusal(code: string, message: string, hint: string, cause?: unknown): Error {
  const error = new Error(message, cause === undefined ? undefined : { cause });
  return Object.assign(error, { name: 'HardshellError', code, hint });
}

/** The words of the command line cannot be used. */
export function usageError(message: string, hint: string): Error {
  return refusal('usage', message, hint);
}
