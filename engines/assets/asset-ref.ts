import type { AssetFacts, ImageFacts, ImageVariant, VariantName } from '../../core/asset-facts.ts';
import { contentDigestOf, entityTagOf } from '../hosting/cache-headers.ts';
import { immutablePath, variantPath } from './asset-key.ts';

/** Where assets of a project are served. */
export interface AssetPlace {
  /** Origin of the name that a project has from the start. */
  readonly autoOrigin: string;
  /** Origin of the name that it goes by: a claimed subdomain, or a domain of its own; else the same. */
  readonly preferredOrigin: string;
}

/** Addresses of an asset; null where it has none. */
export interface AssetUrls {
  readonly url: string | null;
  readonly cdnUrl: string | null;
  readonly immutableUrl: string | null;
  readonly cdnImmutableUrl: string | null;
}

type Addressed = Pick<AssetFacts, 'key' | 'sha256' | 'visibility' | 'immutable'>;

const urlOf = (origin: string, path: string) => `${origin}/_blob/${path}`;

/**
 * Addresses of an asset. They follow from its key, its digest and its project alone, so that they are known before there
 * is anything to serve.
 */
export function assetUrls(place: AssetPlace, { key, sha256, visibility, immutable }: Addressed): AssetUrls {
  const isPublic = visibility === 'public';
  const path = isPublic && immutable ? immutablePath(key, sha256) : undefined;
  return {
    url: isPublic ? urlOf(place.preferredOrigin, key) : null,
    cdnUrl: isPublic ? urlOf(place.autoOrigin, key) : null,
    immutableUrl: path === undefined ? null : urlOf(place.preferredOrigin, path),
    cdnImmutableUrl: path === undefined ? null : urlOf(place.autoOrigin, path),
  };
}

/** What `integrity` of a page's element says of some bytes. */
export const integrityOf = (sha256: string): string => `sha256-${Buffer.from(sha256, 'hex').toString('base64')}`;

/** An image that was made of an asset, as clients read of it. */
export interface VariantRef {
  readonly url: string;
  readonly cdn_url: string;
  readonly width_px: number;
  readonly height_px: number;
  readonly format: 'webp' | 'jpeg';
  readonly sha256: string;
}

/** An asset, as clients read of it. Contract 03, section 4.2. */
export interface AssetRef {
  readonly key: string;
  readonly sha256: string;
  readonly size_bytes: number;
  readonly content_type: string;
  readonly visibility: 'public' | 'private';
  readonly immutable: boolean;
  readonly url: string | null;
  readonly cdn_url: string | null;
  readonly immutable_url: string | null;
  readonly cdn_immutable_url: string | null;
  readonly sri: string | null;
  readonly etag: string;
  readonly content_digest: string;
  readonly metadata: AssetFacts['metadata'];
  readonly image_format: string | null;
  readonly image_info: ImageFacts['info'] | null;
  readonly image_exif: ImageFacts['exif'];
  readonly image_exif_policy: 'keep' | 'strip' | null;
  readonly width_px?: number;
  readonly height_px?: number;
  readonly blurhash?: string | null;
  readonly blurhash_data_url?: string | null;
  readonly variant_spec_version?: number;
  readonly display_url?: string | null;
  readonly display_immutable_url?: string | null;
  readonly variants?: { readonly [Name in VariantName]?: VariantRef };
}

/** What clients are told of an asset. It is the same before it is published and after. Contract 03, section 4.2. */
export function assetRef(place: AssetPlace, asset: AssetFacts): AssetRef {
  const { key, sha256, image } = asset;
  const urls = assetUrls(place, asset);
  return {
    key,
    sha256,
    size_bytes: asset.size,
    content_type: asset.contentType,
    visibility: asset.visibility,
    immutable: asset.immutable,
    url: urls.url,
    cdn_url: urls.cdnUrl,
    immutable_url: urls.immutableUrl,
    cdn_immutable_url: urls.cdnImmutableUrl,
    sri: urls.immutableUrl === null ? null : integrityOf(sha256),
    etag: entityTagOf(sha256),
    content_digest: contentDigestOf(Buffer.from(sha256, 'hex')),
    metadata: asset.metadata,
    image_format: image?.format ?? null,
    image_info: image?.info ?? null,
    image_exif: asset.exifPolicy === 'strip' ? null : (image?.exif ?? null),
    image_exif_policy: image === null ? null : asset.exifPolicy,
    ...(image === null ? {} : imageMembers(place, asset, image, urls)),
  };
}

function imageMembers(place: AssetPlace, asset: AssetFacts, image: ImageFacts, urls: AssetUrls) {
  const variants = variantRefs(place, asset, image);
  // Browsers do not show every format: those that they do not have a stand-in.
  const display = variants.display_jpeg?.url;
  return {
    width_px: image.width,
    height_px: image.height,
    blurhash: image.blurhash,
    blurhash_data_url: image.placeholder,
    variant_spec_version: image.specVersion,
    display_url: display ?? urls.url,
    display_immutable_url: display ?? urls.immutableUrl,
    variants,
  };
}

/** Addresses of the images that were made of an asset; none of a private one. */
export function variantRefs(
  place: AssetPlace,
  { key, sha256, visibility }: Addressed,
  { variants }: ImageFacts,
): { readonly [Name in VariantName]?: VariantRef } {
  if (visibility !== 'public') return {};
  const refOf = (one: ImageVariant): VariantRef => {
    const path = variantPath(key, sha256, one.name);
    return {
      url: urlOf(place.preferredOrigin, path),
      cdn_url: urlOf(place.autoOrigin, path),
      width_px: one.width,
      height_px: one.height,
      format: one.format,
      sha256: one.sha256,
    };
  };
  return Object.fromEntries(variants.map((one) => [one.name, refOf(one)]));
}
