// Output that is a single image → that image for the model, and a line of text in its place.

import type { RunResult } from '../../core/running.ts';
import { DEFAULT_IMAGE_LIMITS, type ImageFinding, recognizeImage } from '../../render/images.ts';
import type { KeptOutput } from '../../run/output.ts';

/** Enough to recognize the start of one. */
const LOOK_BYTES = 512;
/** As a data URI, the largest image is a third larger. */
const MAX_BYTES = Math.ceil(DEFAULT_IMAGE_LIMITS.bytes / 3) * 4 + LOOK_BYTES;

export interface Picture {
  readonly text: string;
  readonly image: RunResult['image'];
}

const REASONS: Readonly<Record<Extract<ImageFinding, { kind: 'refused' }>['reason'], string>> = {
  'cut-off': 'it is not complete',
  malformed: 'it is damaged',
  'too-many-bytes': 'it is too large',
  'too-many-pixels': 'it has too many pixels',
};

/** Null for output that is not an image. */
export async function findPicture(output: KeptOutput): Promise<Picture | null> {
  if (output.totalBytes === 0) return null;
  const start = await output.read(0, LOOK_BYTES);
  if (recognizeImage(start).kind === 'text') return null;
  const isWhole = output.missingBytes === 0 && output.totalBytes <= MAX_BYTES;
  const found = recognizeImage(isWhole ? await output.read(0, output.totalBytes) : start);
  if (found.kind === 'text') return null;
  if (found.kind === 'image') return showPicture(found);
  // Text that only looks like a data URI is text.
  if (start[0] === 0x64 || start.subarray(0, 64).includes('data:')) return null;
  const reason = isWhole ? REASONS[found.reason] : REASONS['too-many-bytes'];
  return { text: `[an image (${found.format}) that cannot be shown: ${reason}]\n`, image: null };
}

async function showPicture(found: Extract<ImageFinding, { kind: 'image' }>): Promise<Picture> {
  const { width, height, format, bytes } = found;
  // Decoding needs a library that nothing else needs.
  const { resizeImage } = await import('../../run/image-resize.ts');
  const resized = await resizeImage(bytes, found.mediaType);
  if (resized === null)
    return { text: `[an image (${format}) that cannot be shown: it cannot be decoded]\n`, image: null };
  const before = describeImage({ mediaType: found.mediaType, width, height, bytes });
  const now = describeImage(resized);
  return {
    text: `[image: ${now}${now === before ? '' : `; made smaller from ${before}`}]\n`,
    image: { mediaType: resized.mediaType, base64: Buffer.from(resized.bytes).toString('base64') },
  };
}

interface Described {
  readonly mediaType: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
}

function describeImage({ mediaType, width, height, bytes }: Described): string {
  return `${mediaType}, ${width} × ${height} pixels, ${bytes.length} bytes`;
}
