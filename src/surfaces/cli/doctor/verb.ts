// `hardshell doctor`: a diagnosis of this machine, drawn for a person or printed as JSON.
// 0: every guarantee holds and is proven; 1: something claimed or required is broken; 3: weaker than the best, as reported.

import { resolve } from 'node:path';
import { type Conclusion, diagnose } from '../../../host.ts';
import { readFolder } from '../input.ts';
import { SCHEMA_VERSION, toLine } from '../json.ts';
import { process } from '../process.ts';
import { createTerminal } from '../show/terminal.ts';
import { drawDiagnosis } from './drawing.ts';
import type { DoctorOptions } from './options.ts';

const EXIT_CODES: Readonly<Record<Conclusion, number>> = { good: 0, broken: 1, weaker: 3 };

export async function examine(
  options: DoctorOptions,
  diagnoseHere: typeof diagnose = diagnose,
  write: (text: string) => void = (text) => process.stdout.write(text),
): Promise<number> {
  const diagnosis = await diagnoseHere({
    cwd: readFolder(options.cwd),
    ...(options.settings !== undefined && { settingsFile: resolve(options.settings) }),
    ...(options.sandbox !== undefined && { sandbox: options.sandbox }),
  });
  const exitCode = EXIT_CODES[diagnosis.conclusion];
  if (options.json) write(toLine({ schemaVersion: SCHEMA_VERSION, exitCode, ...diagnosis }));
  else write(`${drawDiagnosis(diagnosis, createTerminal(options)).join('\n')}\n`);
  return exitCode;
}
