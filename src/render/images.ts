// Images: the output of a command → which image it is, by its content alone, or why it is not one.
// Pure. Reads headers and structure only, decodes no pixels, and refuses images that would cost too much to decode.

export const IMAGE_FORMATS = ['png', 'jpeg', 'gif', 'webp'] as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[number];

export interface ImageLimits {
  readonly bytes: number;
  /** Width times height: a few kilobytes can decompress to gigabytes. */
  readonly pixels: number;
}

export const DEFAULT_IMAGE_LIMITS: ImageLimits = { bytes: 20 << 20, pixels: 50_000_000 };

export interface RecognizedImage {
  readonly kind: 'image';
  readonly format: ImageFormat;
  readonly mediaType: `image/${ImageFormat}`;
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
}

export type ImageFinding =
  | RecognizedImage
  | { readonly kind: 'text' }
  /** It starts as an image, but is `cut-off`, `malformed` or too large; the host reports that instead of showing bytes. */
  | {
      readonly kind: 'refused';
      readonly reason: 'cut-off' | 'malformed' | 'too-many-bytes' | 'too-many-pixels';
      readonly format: ImageFormat;
    };

type Reason = Extract<ImageFinding, { kind: 'refused' }>['reason'];
type Measured = { readonly width: number; readonly height: number } | Reason;

/** The whole output: bytes of one image (a line break may follow), or one data URI (may be surrounded by white space). */
export function recognizeImage(output: Uint8Array, limits: ImageLimits = DEFAULT_IMAGE_LIMITS): ImageFinding {
  const format = formatOf(output);
  if (format !== null) return measure(format, output, limits);
  return recognizeDataUri(output, limits);
}

function formatOf(bytes: Uint8Array): ImageFormat | null {
  if (startsWith(bytes, 0, '\x89PNG\r\n\x1a\n')) return 'png';
  if (startsWith(bytes, 0, '\xff\xd8\xff')) return 'jpeg';
  if (startsWith(bytes, 0, 'GIF87a') || startsWith(bytes, 0, 'GIF89a')) return 'gif';
  if (startsWith(bytes, 0, 'RIFF') && startsWith(bytes, 8, 'WEBP')) return 'webp';
  return null;
}

const MEASURES: Readonly<Record<ImageFormat, (bytes: Uint8Array) => Measured>> = {
  png: measurePng,
  jpeg: measureJpeg,
  gif: measureGif,
  webp: measureWebp,
};

function measure(format: ImageFormat, output: Uint8Array, limits: ImageLimits): ImageFinding {
  if (output.length > limits.bytes) return { kind: 'refused', reason: 'too-many-bytes', format };
  const found = MEASURES[format](output);
  if (typeof found === 'string') return { kind: 'refused', reason: found, format };
  const { width, height } = found;
  if (width === 0 || height === 0) return { kind: 'refused', reason: 'malformed', format };
  if (width * height > limits.pixels) return { kind: 'refused', reason: 'too-many-pixels', format };
  return { kind: 'image', format, mediaType: `image/${format}`, width, height, bytes: output };
}

/** `data:image/png;base64,…`: the declared type is ignored, the content decides. */
const DATA_URI = /^data:image\/[a-z0-9.+-]{1,40}(?:;[a-z0-9=._-]{1,60}){0,4};base64,$/i;
const MAX_PREFIX = 320;

function recognizeDataUri(output: Uint8Array, limits: ImageLimits): ImageFinding {
  let start = 0;
  while (start < output.length && start < 64 && isSpace(output[start])) start++;
  if (!startsWith(output, start, 'data:image/')) return { kind: 'text' };
  const comma = output.subarray(start, start + MAX_PREFIX).indexOf(0x2c);
  if (comma === -1 || !DATA_URI.test(latin1(output.subarray(start, start + comma + 1)))) return { kind: 'text' };
  let end = output.length;
  while (end > start && isSpace(output[end - 1])) end--;
  const encoded = output.subarray(start + comma + 1, end);
  // Enough to detect the type, before anything is copied.
  const format = formatOf(decodeBase64(encoded.subarray(0, 64)) ?? new Uint8Array());
  if (format === null) return { kind: 'text' };
  if (encoded.length > Math.ceil(limits.bytes / 3) * 4) return { kind: 'refused', reason: 'too-many-bytes', format };
  const bytes = decodeBase64(encoded);
  return bytes === null ? { kind: 'refused', reason: 'malformed', format } : measure(format, bytes, limits);
}

/** Null for anything but plain base64: Node would skip unknown characters. */
function decodeBase64(encoded: Uint8Array): Uint8Array | null {
  const text = latin1(encoded);
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  return new Uint8Array(Buffer.from(text, 'base64'));
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

// Chunks one after the other until IEND: an image with data after it is not one image.
function measurePng(bytes: Uint8Array): Measured {
  const view = viewOf(bytes);
  if (bytes.length < 33) return 'cut-off';
  if (!startsWith(bytes, 12, 'IHDR') || view.getUint32(8) !== 13) return 'malformed';
  const size = { width: view.getUint32(16), height: view.getUint32(20) };
  for (let at = 8; at + 12 <= bytes.length; ) {
    const next = at + 12 + view.getUint32(at);
    if (startsWith(bytes, at + 4, 'IEND')) return endsAt(bytes, next, size);
    at = next;
  }
  return 'cut-off';
}

// Segments up to the image data; the end marker must be last.
function measureJpeg(bytes: Uint8Array): Measured {
  const view = viewOf(bytes);
  let size: Measured | null = null;
  for (let at = 2; at + 4 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return 'malformed';
    const marker = bytes[at + 1] as number;
    if (marker === 0xff) at++;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) at += 2;
    else {
      const length = view.getUint16(at + 2);
      if (length < 2) return 'malformed';
      if (isFrame(marker)) {
        if (at + 9 > bytes.length) return 'cut-off';
        size = { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
      }
      if (marker === 0xda) return size === null ? 'malformed' : endOfJpeg(bytes, size);
      at += 2 + length;
    }
  }
  return 'cut-off';
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function endOfJpeg(bytes: Uint8Array, size: Measured): Measured {
  let end = bytes.length;
  while (end > 0 && isSpace(bytes[end - 1])) end--;
  return bytes[end - 2] === 0xff && bytes[end - 1] === 0xd9 ? size : 'cut-off';
}

function measureGif(bytes: Uint8Array): Measured {
  if (bytes.length < 14) return 'cut-off';
  const view = viewOf(bytes);
  const size = { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  const packed = bytes[10] as number;
  let at = 13 + tableSize(packed);
  while (at < bytes.length) {
    const kind = bytes[at];
    if (kind === 0x3b) return endsAt(bytes, at + 1, size);
    if (kind === 0x21) at = afterBlocks(bytes, at + 2);
    else if (kind === 0x2c && at + 9 < bytes.length)
      at = afterBlocks(bytes, at + 11 + tableSize(bytes[at + 9] as number));
    else return kind === 0x2c ? 'cut-off' : 'malformed';
  }
  return 'cut-off';
}

function tableSize(packed: number): number {
  return (packed & 0x80) === 0 ? 0 : 3 << ((packed & 7) + 1);
}

function afterBlocks(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let length = bytes[at]; length !== undefined && length > 0; length = bytes[at]) at += length + 1;
  return at + 1;
}

function measureWebp(bytes: Uint8Array): Measured {
  if (bytes.length < 30) return 'cut-off';
  const view = viewOf(bytes);
  const size = measureWebpChunk(bytes, view);
  return typeof size === 'string' ? size : endsAt(bytes, 8 + view.getUint32(4, true), size);
}

function measureWebpChunk(bytes: Uint8Array, view: DataView): Measured {
  if (startsWith(bytes, 12, 'VP8X'))
    return { width: 1 + (view.getUint32(24, true) & 0xff_ffff), height: 1 + (view.getUint32(26, true) >>> 8) };
  if (startsWith(bytes, 12, 'VP8L') && bytes[20] === 0x2f) {
    const packed = view.getUint32(21, true);
    return { width: 1 + (packed & 0x3fff), height: 1 + ((packed >>> 14) & 0x3fff) };
  }
  if (startsWith(bytes, 12, 'VP8 ') && startsWith(bytes, 23, '\x9d\x01\x2a'))
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  return 'malformed';
}

/** After the last byte only a line break is allowed, as `echo` adds it. */
function endsAt(bytes: Uint8Array, end: number, size: Measured): Measured {
  if (end > bytes.length) return 'cut-off';
  return bytes.length - end <= 2 && bytes.subarray(end).every(isSpace) ? size : 'malformed';
}

/** The largest size with the same aspect ratio within the limits; never larger than the original, never zero. */
export function fitInside(
  { width, height }: { readonly width: number; readonly height: number },
  limit: { readonly width: number; readonly height: number },
): { readonly width: number; readonly height: number } {
  const scale = Math.min(1, limit.width / width, limit.height / height);
  return { width: Math.max(1, Math.floor(width * scale)), height: Math.max(1, Math.floor(height * scale)) };
}

function startsWith(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
