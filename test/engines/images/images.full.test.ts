import { isBlurhashValid } from 'blurhash';
import sharp from 'sharp';
import { afterAll, expect, test } from 'vitest';
import { createImages } from '../../../engines/images/images.ts';
import { frames, noise, photograph, plain, pngBomb } from '../../helpers/pictures.ts';

const images = createImages({ threads: 1 });
afterAll(() => images.close());

const shapes = (variants: readonly { readonly name: string; readonly width: number; readonly height: number }[]) =>
  variants.map(({ name, width, height }) => [name, width, height]);

test('a picture is measured, summed up in a BlurHash, and made smaller in three widths', async () => {
  const { facts, variants } = await images.examine(await noise(2_400, 1_200).jpeg().toBuffer());
  expect(facts).toMatchObject({
    format: 'jpeg',
    width: 2_400,
    height: 1_200,
    info: { has_alpha: false, color_space: 'srgb', animated: false, frame_count: 1, bit_depth: 8, orientation: null },
    exif: null,
    specVersion: 1,
  });
  expect(isBlurhashValid(facts.blurhash!).result).toBe(true);
  expect(facts.placeholder).toMatch(/^data:image\/webp;base64,/);
  expect(shapes(variants)).toEqual([
    ['thumb', 320, 160],
    ['medium', 800, 400],
    ['large', 1_920, 960],
  ]);
  for (const { bytes, width, height } of variants)
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width, height });
});

test('no variant is larger than its original, and a small picture has none', async () => {
  const { variants } = await images.examine(await plain(500, 400).png().toBuffer());
  expect(shapes(variants)).toEqual([
    ['thumb', 320, 256],
    ['medium', 500, 400],
    ['large', 500, 400],
  ]);
  expect(variants[1]!.bytes).toEqual(variants[2]!.bytes);
  const small = await images.examine(await plain(319, 4_000).png().toBuffer());
  expect(small.variants).toEqual([]);
  expect(small.facts).toMatchObject({ width: 319, height: 4_000, blurhash: expect.any(String) });
});

test('variants stand upright and carry nothing of what the camera noted', async () => {
  const original = await photograph();
  const { facts, variants } = await images.examine(original);
  expect(facts).toMatchObject({ width: 400, height: 800, info: { orientation: 6 } });
  expect(facts.exif).toMatchObject({ Make: 'Acme', Model: 'One', GPSLatitude: '51, 30, 32.3' });
  expect(shapes(variants)[0]).toEqual(['thumb', 320, 640]);
  for (const { bytes } of variants) {
    const { exif, icc, xmp, orientation } = await sharp(bytes).metadata();
    expect([exif, icc, xmp, orientation]).toEqual([undefined, undefined, undefined, undefined]);
    expect(Buffer.from(bytes).includes('Acme')).toBe(false);
  }
});

test.each([
  ['jpeg', () => noise(400, 400).jpeg()],
  ['png', () => noise(400, 400).png()],
  ['webp', () => noise(400, 400).webp()],
  ['gif', () => noise(400, 400).gif()],
  ['avif', () => noise(400, 400).avif({ effort: 0 })],
  ['tiff', () => noise(400, 400).tiff()],
] as const)('%s is known by its bytes', async (format, make) => {
  const { facts, variants } = await images.examine(await make().toBuffer());
  expect(facts).toMatchObject({ format, width: 400, height: 400 });
  expect(variants).toHaveLength(3);
});

test('grey, transparent, deep and CMYK pictures become plain ones for the web', async () => {
  const grey = await images.examine(await plain(400, 400).toColourspace('b-w').png().toBuffer());
  expect(grey.facts.info).toMatchObject({ color_space: 'b-w', has_alpha: false });
  const deep = await images.examine(await plain(400, 400).ensureAlpha(0.5).toColourspace('rgb16').png().toBuffer());
  expect(deep.facts.info).toMatchObject({ bit_depth: 16, has_alpha: true });
  const cmyk = await images.examine(await plain(400, 400).toColourspace('cmyk').jpeg().toBuffer());
  expect(cmyk.facts.info.color_space).toBe('cmyk');
  expect((await sharp(deep.variants[0]!.bytes).metadata()).hasAlpha).toBe(true);
  for (const { variants } of [grey, deep, cmyk])
    expect(await sharp(variants[0]!.bytes).metadata()).toMatchObject({ space: 'srgb', depth: 'uchar' });
});

test('the first frame stands for an animation, however many there are', async () => {
  const gif = await images.examine(await frames(400, 400, 12).gif().toBuffer());
  expect(gif.facts).toMatchObject({ width: 400, height: 400, info: { animated: true, frame_count: 12 } });
  const webp = await images.examine(await frames(16, 16, 1_500).webp({ effort: 0 }).toBuffer());
  expect(webp.facts).toMatchObject({ width: 16, height: 16, info: { animated: true, frame_count: 1_500 } });
  for (const { bytes } of gif.variants) expect((await sharp(bytes).metadata()).pages).toBeUndefined();
});

test('a picture of too many pixels is refused by its head, and costs no other one anything', async () => {
  const bomb = pngBomb(50_000, 50_000);
  await expect(images.examine(bomb)).rejects.toMatchObject({
    fault: 'too_large',
    details: { width_px: 50_000, height_px: 50_000 },
  });
  await expect(images.examine(pngBomb(12_001, 1))).rejects.toMatchObject({ fault: 'too_large' });
  await expect(images.examine(pngBomb(8_001, 5_000))).rejects.toMatchObject({ fault: 'too_large' });
  await expect(images.examine(Buffer.alloc(50_000_001))).rejects.toMatchObject({ fault: 'too_large' });
  expect((await images.examine(pngBomb(8_000, 5_000))).facts).toMatchObject({ width: 8_000, height: 5_000 });
});

const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400"><rect width="9" height="9"/></svg>';

test.each([
  ['nothing', async () => Buffer.alloc(0)],
  ['a text', async () => Buffer.from('<html>')],
  ['SVG', async () => Buffer.from(svg)],
  ['SVG after an XML declaration', async () => Buffer.from(`<?xml version="1.0"?>${svg}`)],
  ['PDF', async () => Buffer.from('%PDF-1.7\n')],
  ['a PPM, which no browser shows', async () => Buffer.from('P6 1 1 255\n\0\0\0', 'latin1')],
  ['half of a JPEG', async () => half(await noise(600, 600).jpeg().toBuffer())],
  ['half of a PNG', async () => half(await noise(600, 600).png().toBuffer())],
  ['half of a WebP', async () => half(await noise(600, 600).webp().toBuffer())],
  ['half of an AVIF', async () => half(await noise(600, 600).avif({ effort: 0 }).toBuffer())],
  ['the head of a JPEG and no more', async () => (await noise(600, 600).jpeg().toBuffer()).subarray(0, 700)],
])('%s is refused', async (_case, make) => {
  await expect(images.examine(await make())).rejects.toMatchObject({ fault: 'undecodable' });
});

const half = (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length / 2));

test('what follows the end of a picture is not in its variants', async () => {
  const polyglot = Buffer.concat([await noise(400, 400).png().toBuffer(), Buffer.from('<script>alert(1)</script>')]);
  const { facts, variants } = await images.examine(polyglot);
  expect(facts.format).toBe('png');
  for (const { bytes } of variants) expect(Buffer.from(bytes).includes('<script>')).toBe(false);
});

test('a picture that takes too long is ended with its thread, and so is the next one, in a new thread', async () => {
  const hasty = createImages({ threads: 1, workMs: 1 });
  await expect(hasty.examine(await noise(3_000, 3_000).png().toBuffer())).rejects.toMatchObject({ fault: 'too_slow' });
  await expect(hasty.examine(await plain(10, 10).png().toBuffer())).rejects.toMatchObject({ fault: 'too_slow' });
  await hasty.close();
});

test('more pictures than may wait are turned away, of one party first', async () => {
  const small = createImages({ threads: 1, waitingMax: 4, shareMax: 2 });
  const picture = await plain(400, 400).png().toBuffer();
  const one = await Promise.allSettled(Array.from({ length: 5 }, () => small.examine(picture, 'one')));
  expect(one.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected']);
  expect(one[4]).toMatchObject({ reason: { fault: 'busy' } });
  await small.close();
});

test('the event loop goes on turning while pictures are decoded', async () => {
  const picture = await noise(2_000, 2_000).png().toBuffer();
  let turns = 0;
  let decoding = true;
  const turn = () => {
    turns += 1;
    if (decoding) setImmediate(turn);
  };
  setImmediate(turn);
  await images.examine(picture);
  decoding = false;
  expect(turns).toBeGreaterThan(100);
});
