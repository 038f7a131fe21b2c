// An error as failure.ts knows it, by its shape: the class would load the whole analysis.

export function refusal(code: string, message: string, hint: string, cause?: unknown): Error {
  const error = new Error(message, cause === undefined ? undefined : { cause });
  return Object.assign(error, { name: 'HardshellError', code, hint });
}
