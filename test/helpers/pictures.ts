import { deflateSync } from 'node:zlib';
import sharp from 'sharp';

/** A picture without any pattern, which no format makes small. */
export const noise = (width: number, height: number) =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: '#000',
      noise: { type: 'gaussian', mean: 128, sigma: 30 },
    },
  });

/** A picture of one colour. */
export const plain = (width: number, height: number, background = '#c33') =>
  sharp({ create: { width, height, channels: 3, background } });

/** Frames that differ, as one picture after the other. */
export function frames(width: number, height: number, count: number) {
  const size = width * height * 3;
  const raw = Buffer.alloc(size * count, 0);
  for (let frame = 0; frame < count; frame += 1) raw.fill((frame * 37) % 256, frame * size, frame * size + size / 2);
  return sharp(raw, { raw: { width, height: height * count, channels: 3, pageHeight: height } });
}

/** The picture of a camera that was held upright, with where it was. */
export const photograph = () =>
  noise(800, 400)
    .withExif({
      IFD0: { Make: 'Acme', Model: 'One\u0000' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 3230/100' },
    })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();

const crcTable = Uint32Array.from({ length: 256 }, (_none, at) => {
  let value = at;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

const crcOf = (bytes: Buffer) => ~bytes.reduce((crc, byte) => crcTable[(crc ^ byte) & 255]! ^ (crc >>> 8), -1) >>> 0;

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crcOf(typed), 4);
  return Buffer.concat([ends.subarray(0, 4), typed, ends.subarray(4)]);
}

/** A PNG that says it has so many pixels, of one bit each, in next to no bytes. */
export function pngBomb(width: number, height: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 1;
  const rows = deflateSync(Buffer.alloc((1 + Math.ceil(width / 8)) * height), { level: 9 });
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))]);
}
