import { encode } from 'blurhash';
import sharp, { type Metadata, type Sharp } from 'sharp';
import type { ImageFacts, ImageVariant } from '../../core/asset-facts.ts';
import { exifNotes } from './exif-notes.ts';
import { imageLimits, variantSpecVersion, variantWidths } from './image-limits.ts';

/** Why an image is not taken. */
export type ImageFault = 'undecodable' | 'too_large' | 'too_slow';

/** An image that was made of another one, with its bytes. */
export interface MadeVariant extends Omit<ImageVariant, 'sha256' | 'size'> {
  readonly bytes: Uint8Array;
}

/** What is known of an image, and the images that were made of it. */
export interface ExaminedImage {
  readonly facts: Omit<ImageFacts, 'variants'>;
  readonly variants: readonly MadeVariant[];
}

/** An image that is not taken. */
export interface RefusedImage {
  readonly fault: ImageFault;
  readonly details: Readonly<Record<string, number>>;
}

// Loaders of documents, of other programs and of files do not exist for this process, whatever the bytes say.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif', 'Tiff'].map((one) => `VipsForeignLoad${one}Buffer`),
});
// Each image is read once, and images have threads of their own.
sharp.cache(false);
sharp.concurrency(1);

const { pixelsMax, sideMax, stepSeconds } = imageLimits;

/** Says of an image what is known of it, and makes its variants. The first frame stands for all of them. */
export async function examineImage(bytes: Uint8Array): Promise<ExaminedImage | RefusedImage> {
  try {
    const head = await sharp(bytes, { limitInputPixels: false, failOn: 'error' }).metadata();
    const format = formatOf(head);
    if (format === undefined) return { fault: 'undecodable', details: {} };
    const { width, height } = head.autoOrient;
    if (width > sideMax || height > sideMax || width * height > pixelsMax)
      return {
        fault: 'too_large',
        details: { width_px: width, height_px: height, side_max: sideMax, pixels_max: pixelsMax },
      };
    return await examined(bytes, { ...head, format, width, height });
  } catch (error) {
    const isTimeout = error instanceof Error && error.message.startsWith('timeout:');
    return { fault: isTimeout ? 'too_slow' : 'undecodable', details: {} };
  }
}

type Head = Omit<Metadata, 'format'> & Pick<ImageFacts, 'format' | 'width' | 'height'>;

async function examined(bytes: Uint8Array, head: Head): Promise<ExaminedImage> {
  const { width, height } = head;
  const { data, info } = await step(sharp(bytes, { limitInputPixels: pixelsMax, failOn: 'error' }))
    .autoOrient()
    .resize({ width: variantWidths.large, withoutEnlargement: true })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const raw = { width: info.width, height: info.height, channels: info.channels };
  const base = () => step(sharp(data, { raw }));
  const hasVariants = Math.min(width, height) >= imageLimits.variantsFrom;
  return {
    facts: {
      format: head.format,
      width,
      height,
      ...(await tinyOf(base)),
      info: {
        has_alpha: head.hasAlpha,
        color_space: head.space,
        animated: (head.pages ?? 1) > 1 && head.format !== 'tiff',
        frame_count: head.pages ?? 1,
        bit_depth: head.bitsPerSample ?? depths[head.depth] ?? null,
        orientation: head.orientation ?? null,
      },
      exif: exifNotes(head.exif),
      specVersion: variantSpecVersion,
    },
    variants: hasVariants ? await variantsOf(base) : [],
  };
}

const depths: Readonly<Record<string, number>> = { uchar: 8, char: 8, ushort: 16, short: 16, uint: 32, float: 32 };

const step = (image: Sharp): Sharp => image.timeout({ seconds: stepSeconds });

function formatOf({ format, compression }: Metadata): ImageFacts['format'] | undefined {
  if (format === 'heif') return compression === 'av1' ? 'avif' : undefined;
  return known.find((one) => one === format);
}

const known = ['jpeg', 'png', 'webp', 'gif', 'tiff'] as const;

/** Two pictures of a few bytes, to show before the image is there. */
async function tinyOf(base: () => Sharp): Promise<Pick<ImageFacts, 'blurhash' | 'placeholder'>> {
  const within = (side: number) => base().flatten({ background: '#fff' }).resize(side, side, { fit: 'inside' });
  const { data, info } = await within(32).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const picture = await within(16).webp({ quality: 50 }).toBuffer();
  return {
    blurhash: encode(new Uint8ClampedArray(data), info.width, info.height, 4, 3),
    placeholder: `data:image/webp;base64,${picture.toString('base64')}`,
  };
}

/** All widths, none of them enlarged: two of the same width are the same bytes. Notes of the camera stay behind. */
async function variantsOf(base: () => Sharp): Promise<MadeVariant[]> {
  const made: MadeVariant[] = [];
  for (const [name, width] of Object.entries(variantWidths) as [keyof typeof variantWidths, number][]) {
    const { data, info } = await base()
      .resize({ width, withoutEnlargement: true })
      .webp({ quality: 80 })
      .toBuffer({ resolveWithObject: true });
    made.push({ name, width: info.width, height: info.height, format: 'webp', bytes: data });
  }
  return made;
}
