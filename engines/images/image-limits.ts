/** What is looked at of an image, and what is made of it. Contract 03, sections 4.2 and 4.5. */
export const imageLimits = {
  /** Of a file, in bytes: it is held in memory while it is decoded. */
  bytesMax: 50_000_000,
  pixelsMax: 40_000_000,
  /** Of width and of height, in pixels. */
  sideMax: 12_000,
  /** A smaller image, in width or in height, has no variants. */
  variantsFrom: 320,
  /** Longest that one step of decoding and encoding takes, in seconds. */
  stepSeconds: 10,
} as const;

/** Widths of the variants, in pixels. None is larger than its original. */
export const variantWidths = { thumb: 320, medium: 800, large: 1_920 } as const;

/** Rises when variants are made otherwise, so that they are made again. */
export const variantSpecVersion = 1;

/** The formats that are decoded. SVG is a document, and is never drawn. */
const decodedTypes = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif', 'image/tiff']);

/** Whether bytes of a media type are looked at as an image. */
export const isDecodedType = (contentType: string): boolean =>
  decodedTypes.has(contentType.split(';', 1)[0]!.trim().toLowerCase());
