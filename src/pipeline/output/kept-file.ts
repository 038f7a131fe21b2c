// Output that was in memory and is not shown completely → a file like any other kept output, so that the rest can be read.

import { rmSync } from 'node:fs';
import type { KeptOutput } from '../../run/output.ts';
import { SpoolWriter } from '../../run/spool-writer.ts';

const STEP = 16 << 10;

/** False if it could not be written; then no file is left. */
export async function writeKept(output: KeptOutput, path: string): Promise<boolean> {
  let writer: SpoolWriter | null = null;
  try {
    const bytes = await output.read(0, output.totalBytes);
    writer = new SpoolWriter({ path, headBytes: Math.ceil(bytes.length / STEP) * STEP, tailBytes: STEP }, false);
    writer.write('stdout', bytes);
    writer.finish();
    return true;
  } catch {
    for (const file of [path, `${path}.map`]) rmSync(file, { force: true });
    return false;
  } finally {
    writer?.close();
  }
}
