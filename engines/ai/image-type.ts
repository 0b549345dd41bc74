import type { GeneratedImage } from './ai-engine.ts';

/** What bytes are by how they begin; undefined for anything but an image that browsers show. */
export function imageType(bytes: Buffer): GeneratedImage['contentType'] | undefined {
  if (bytes.subarray(0, 8).equals(pngSignature)) return 'image/png';
  if (bytes.subarray(0, 3).equals(jpegSignature)) return 'image/jpeg';
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
  return isWebp ? 'image/webp' : undefined;
}

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const jpegSignature = Buffer.from([0xff, 0xd8, 0xff]);
