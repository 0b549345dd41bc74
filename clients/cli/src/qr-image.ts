import { crc32, deflateSync } from 'node:zlib';
import encodeQR from 'qr';

/** Dots of a picture for each module of the code. */
const scale = 8;

/** A text as a QR code: an SVG, or a PNG. */
export function qrImage(text: string, as: 'svg' | 'png'): string | Uint8Array {
  return as === 'svg' ? encodeQR(text, 'svg', { border: 4 }) : pngOf(encodeQR(text, 'raw', { border: 4, scale }));
}

/** Black where true, on white. PNG, second edition, sections 5 and 9. */
function pngOf(dots: readonly (readonly boolean[])[]): Uint8Array {
  const size = dots.length;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  // Eight bits of grey for each dot.
  head.writeUInt8(8, 8);
  const lines = dots.map((line) => Buffer.from([0, ...line.map((isBlack) => (isBlack ? 0 : 255))]));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(lines))),
    chunk('IEND'),
  ]);
}

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
