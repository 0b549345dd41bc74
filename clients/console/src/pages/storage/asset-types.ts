import type { AssetRowFragment } from './storage.graphql.ts';

export type Asset = AssetRowFragment;
export type Folder = { readonly prefix: string; readonly name: string };

/** The folder of a key, with its slash; empty at the top. */
export const folderOf = (key: string): string => key.slice(0, key.lastIndexOf('/') + 1);

/** What a key has after its last slash. */
export const nameOf = (key: string): string => key.slice(key.lastIndexOf('/') + 1);

/** Image types that every browser shows. */
const shown = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/svg+xml',
  'image/bmp',
]);

/** Whether a browser can show the asset itself as a picture. */
export const isPicture = ({ contentType }: Asset): boolean => shown.has(contentType ?? '');

/** Pictures without smaller ones made of them are shown as they are in a list, up to so many bytes. */
const smallBytes = 256 * 1024;

/** The address of a small picture of a public asset. @returns undefined for what has none */
export function thumbnailOf(asset: Asset): string | undefined {
  const made = asset.variants?.find(({ name }) => name === 'thumb')?.cdnUrl;
  if (made !== undefined) return made;
  return asset.cdnUrl !== null && isPicture(asset) && asset.sizeBytes <= smallBytes ? asset.cdnUrl : undefined;
}
