// The public way to a diagnosis; what makes it is loaded when it is used.

import type { Diagnosis } from '../confine/doctor/diagnosis.ts';
import type { DiagnoseOptions } from './options.ts';

/** What holds on this machine: real attempts against each guarantee, and everything that it stands on. */
export async function diagnose(options: DiagnoseOptions = {}): Promise<Diagnosis> {
  const { examineMachine } = await import('./examination.ts');
  return examineMachine(options);
}
