// The public entry point of a diagnosis; its implementation is loaded on use.

import type { Diagnosis } from '../confine/doctor/diagnosis.ts';
import type { DiagnoseOptions } from './options.ts';

/** What is enforced on this machine: real attempts against each guarantee, and checks of its prerequisites. */
export async function diagnose(options: DiagnoseOptions = {}): Promise<Diagnosis> {
  const { examineMachine } = await import('./examination.ts');
  return examineMachine(options);
}
