/** Images that are made of an image, by what they are for. */
export const variantNames = ['thumb', 'medium', 'large', 'display_jpeg'] as const;
export type VariantName = (typeof variantNames)[number];

export type AssetVisibility = 'public' | 'private';

/** What becomes of the notes that a camera left in an image. */
export type ExifPolicy = 'keep' | 'strip';

/** What the owner says of an asset, in one level. */
export type AssetMetadata = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** An image that was made of another one. */
export interface ImageVariant {
  readonly name: VariantName;
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
  readonly width: number;
  readonly height: number;
  readonly format: 'webp' | 'jpeg';
}

/** What is known of an image. Contract 03, section 4.2. */
export interface ImageFacts {
  readonly format: 'jpeg' | 'png' | 'webp' | 'avif' | 'heic' | 'tiff' | 'svg' | 'bmp' | 'gif';
  /** In pixels, the right way up. */
  readonly width: number;
  readonly height: number;
  readonly blurhash: string | null;
  /** A tiny picture of it, as a `data:` URL. */
  readonly placeholder: string | null;
  readonly info: {
    readonly has_alpha: boolean;
    readonly color_space: string | null;
    readonly animated: boolean;
    readonly frame_count: number;
    readonly bit_depth: number | null;
    /** As EXIF numbers it, 1 to 8. */
    readonly orientation: number | null;
  };
  /** Notes of the camera; null for none, or when they are not to be kept. */
  readonly exif: Readonly<Record<string, string | number>> | null;
  readonly variants: readonly ImageVariant[];
  /** Rises when variants are made otherwise. */
  readonly specVersion: number;
}

/** Bytes under a name. */
export interface AssetFacts {
  readonly key: string;
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
  readonly contentType: string;
  readonly visibility: AssetVisibility;
  /** Whether each version has an address of its own. */
  readonly immutable: boolean;
  readonly metadata: AssetMetadata | null;
  readonly exifPolicy: ExifPolicy;
  /** Null for what is no image, or was not looked at. */
  readonly image: ImageFacts | null;
}
