// The part of the internal door that shows kept output to a person. Loads nothing else.

export { OutputRedactor } from '../record/redact/output-redactor.ts';

/** Text would only be a mess of it. */
export function isBinary(text: string): boolean {
  return text.includes('\0');
}

export function describeBinary(task: string, bytes: number): string {
  return `Binary output, ${bytes} bytes. Save it with: hardshell tasks logs ${task} > FILE\n`;
}
