// An image that a command printed → the same image inside the limits, or null: broken, too large, or too slow to decode.
// The result is smaller, or the image as it was: scaling down a drawing can make its file ten times larger.
// Decoding runs in a separate thread that can be ended, with a fixed amount of memory; nothing is loaded before that.
// Trusts no header: an image is never allowed because of the size that it claims.

import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

export interface ResizeLimit {
  /** Of the original image; also limits the memory for decoding. */
  readonly maxPixels: number;
  /** Of the returned image: the longer side. A larger one is kept if scaling it down would need more bytes. */
  readonly maxEdge: number;
  /** No returned image is larger: models reject it. */
  readonly hardEdge: number;
  /** Of the returned image; one that is larger in its own format is tried as JPEG. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** Models read images of up to 5 MB in base64, and scale larger edges down themselves. */
const DEFAULT_RESIZE_LIMIT: ResizeLimit = {
  maxPixels: 50_000_000,
  maxEdge: 2000,
  hardEdge: 8000,
  maxBytes: 3_750_000,
  timeoutMs: 10_000,
};

export interface ResizedImage {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  readonly width: number;
  readonly height: number;
}

/** An image that is already inside the limits is returned unchanged, after it was decoded. Never throws. */
export async function resizeImage(
  bytes: Uint8Array,
  mediaType: string,
  limit: Partial<ResizeLimit> = {},
): Promise<ResizedImage | null> {
  const limits = { ...DEFAULT_RESIZE_LIMIT, ...limit };
  try {
    const found = await decodeInWorker(bytes, mediaType, limits);
    if (found === null) return null;
    return 'bytes' in found ? found : { bytes, mediaType, ...found };
  } catch {
    return null;
  }
}

interface Job {
  readonly library: string;
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  readonly limits: ResizeLimit;
  readonly maxPages: number;
}

/** Only a size: the image stays as it is. */
type Answer = ResizedImage | Pick<ResizedImage, 'width' | 'height'> | null;

const PAGE_BYTES = 64 << 10;
/** Four gigabytes, the maximum that the library can address. */
const ALL_PAGES = 65_536;
/** The library itself, and buffers whose size does not depend on the image. */
const BASE_BYTES = 32 << 20;
/** As decoded, as four channels, and a copy of those. */
const DECODED_BYTES = 12;
/** One direction is scaled before the other; in between, a channel is a four-byte number. */
const HALF_RESIZED_BYTES = 20;

function pagesFor(fileBytes: number, { maxPixels, maxEdge }: ResizeLimit): number {
  const halfResized = Math.min(maxPixels, maxEdge * Math.sqrt(maxPixels));
  const bytes = BASE_BYTES + 2 * fileBytes + DECODED_BYTES * maxPixels + HALF_RESIZED_BYTES * halfResized;
  return Math.min(ALL_PAGES, Math.ceil(bytes / PAGE_BYTES));
}

async function decodeInWorker(bytes: Uint8Array, mediaType: string, limits: ResizeLimit): Promise<Answer> {
  const library = createRequire(import.meta.url).resolve('@silvia-odwyer/photon-node');
  // A transferred copy, and a real one: `slice` of a Buffer would transfer the caller's memory.
  const job: Job = {
    library,
    bytes: new Uint8Array(bytes),
    mediaType,
    limits,
    maxPages: pagesFor(bytes.length, limits),
  };
  const worker = new Worker(`(${work})(require)`, {
    eval: true,
    workerData: job,
    transferList: [job.bytes.buffer as ArrayBuffer],
    env: {},
    execArgv: [],
    // Messages of the library when it fails are not part of hardshell's output.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 },
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Answer>((resolve) => {
      timer = setTimeout(resolve, limits.timeoutMs, null);
      worker.once('message', resolve);
      worker.once('error', () => resolve(null));
      worker.once('exit', () => resolve(null));
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

// Its source text runs in the thread, so it cannot use anything of this file; `load` is the thread's `require`.
// An error ends the thread, and that is the answer.
function work(load: NodeJS.Require): void {
  const { parentPort, workerData } = load('node:worker_threads') as typeof import('node:worker_threads');
  const { library, bytes, mediaType, limits, maxPages } = workerData as Job;
  // The library's memory may grow to 4 GB, and thread limits do not count it. So it is loaded with a maximum:
  // section 5 of a module holds "one memory, no maximum, first size", and gets a maximum.
  const engine = (globalThis as unknown as { WebAssembly: { Module: new (code: Uint8Array) => object } }).WebAssembly;
  const Original = engine.Module;
  let isBounded = false;
  engine.Module = class extends Original {
    constructor(code: Uint8Array) {
      let patched = code;
      for (let at = 8; at < code.length && !isBounded; ) {
        const section = code[at] as number;
        let size = 0;
        let start = at + 1;
        for (let shift = 0; ; shift += 7, start += 1) {
          size |= ((code[start] as number) & 0x7f) << shift;
          if (((code[start] as number) & 0x80) === 0) break;
        }
        start += 1;
        if (section === 5 && code[start] === 1 && code[start + 1] === 0) {
          const first = code.subarray(start + 2, start + size);
          const maximum = [0, 7, 14].map((shift) => ((maxPages >> shift) & 0x7f) | (shift < 14 ? 0x80 : 0));
          const content = [1, 1, ...first, ...maximum];
          patched = Buffer.concat([
            code.subarray(0, at),
            Uint8Array.from([5, content.length, ...content]),
            code.subarray(start + size),
          ]);
          isBounded = true;
        }
        at = start + size;
      }
      super(patched);
    }
  };
  const photon = load(library) as typeof import('@silvia-odwyer/photon-node');
  if (!isBounded) throw new Error('the memory of the library has no bound');

  const image = photon.PhotonImage.new_from_byteslice(bytes);
  const [width, height] = [image.get_width(), image.get_height()];
  if (width * height > limits.maxPixels) throw new Error('too many pixels');
  const scale = Math.min(1, limits.maxEdge / Math.max(width, height));
  if (scale === 1 && bytes.length <= limits.maxBytes) {
    parentPort?.postMessage({ width, height });
    return;
  }
  const [newWidth, newHeight] = [width, height].map((edge) => Math.max(1, Math.floor(edge * scale))) as [
    number,
    number,
  ];
  // 5 is Lanczos, the sharpest of the filters: text in screenshots must stay readable.
  const small = scale === 1 ? image : photon.resize(image, newWidth, newHeight, 5);
  const candidates: (() => Pick<ResizedImage, 'bytes' | 'mediaType'>)[] = [
    () => ({ bytes: small.get_bytes_jpeg(85), mediaType: 'image/jpeg' }),
    () => ({ bytes: small.get_bytes_jpeg(60), mediaType: 'image/jpeg' }),
  ];
  // Only the first frame of an animation is kept.
  if (mediaType === 'image/webp') candidates.unshift(() => ({ bytes: small.get_bytes_webp(), mediaType }));
  else if (mediaType !== 'image/jpeg') candidates.unshift(() => ({ bytes: small.get_bytes(), mediaType: 'image/png' }));
  const canStay = bytes.length <= limits.maxBytes && Math.max(width, height) <= limits.hardEdge;
  const most = canStay ? Math.min(limits.maxBytes, bytes.length - 1) : limits.maxBytes;
  for (const encode of candidates) {
    const encoded = encode();
    if (encoded.bytes.length > most) continue;
    parentPort?.postMessage({ ...encoded, width: newWidth, height: newHeight });
    return;
  }
  parentPort?.postMessage(canStay ? { width, height } : null);
}
