// The part of the internal API that shows kept output to a person. Loads nothing else.

export { OutputRedactor } from '../record/redact/output-redactor.ts';

/** Output with NUL bytes is not shown as text. */
export function isBinary(text: string): boolean {
  return text.includes('\0');
}

export function describeBinary(task: string, bytes: number): string {
  return `Binary output, ${bytes} bytes. Save it with: hardshell tasks logs ${task} > FILE\n`;
}
