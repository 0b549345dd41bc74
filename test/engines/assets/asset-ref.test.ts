import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { AssetFacts } from '../../../core/asset-facts.ts';
import { immutablePath, isAssetKey, variantPath } from '../../../engines/assets/asset-key.ts';
import { assetRef } from '../../../engines/assets/asset-ref.ts';

const sha256 = createHash('sha256').update('hello').digest('hex');
const place = { autoOrigin: 'https://pr-abc.example.com', preferredOrigin: 'https://www.example.org' };
const asset: AssetFacts = {
  key: 'images/logo.png',
  sha256,
  size: 5,
  contentType: 'image/png',
  visibility: 'public',
  immutable: true,
  metadata: null,
  exifPolicy: 'keep',
  image: null,
};

test('addresses of an asset follow from its project, key and digest', () => {
  expect(assetRef(place, asset)).toEqual({
    key: 'images/logo.png',
    sha256,
    size_bytes: 5,
    content_type: 'image/png',
    visibility: 'public',
    immutable: true,
    url: 'https://www.example.org/_blob/images/logo.png',
    cdn_url: 'https://pr-abc.example.com/_blob/images/logo.png',
    immutable_url: 'https://www.example.org/_blob/images/logo-2cf24dba.png',
    cdn_immutable_url: 'https://pr-abc.example.com/_blob/images/logo-2cf24dba.png',
    sri: 'sha256-LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=',
    etag: `"sha256-${sha256}"`,
    content_digest: 'sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:',
    metadata: null,
    image_format: null,
    image_info: null,
    image_exif: null,
    image_exif_policy: null,
  });
});

test('a private asset has no address, and a mutable one none that lasts', () => {
  expect(assetRef(place, { ...asset, visibility: 'private' })).toMatchObject({
    url: null,
    cdn_url: null,
    immutable_url: null,
    cdn_immutable_url: null,
    sri: null,
    etag: `"sha256-${sha256}"`,
  });
  expect(assetRef(place, { ...asset, immutable: false })).toMatchObject({
    url: 'https://www.example.org/_blob/images/logo.png',
    immutable_url: null,
    cdn_immutable_url: null,
    sri: null,
  });
});

test.each([
  ['a.tar.gz', 'a.tar-2cf24dba.gz'],
  ['LICENSE', 'LICENSE-2cf24dba'],
  ['.env', '.env-2cf24dba'],
  ['a.b/.well-known', 'a.b/.well-known-2cf24dba'],
  ['a.b/c', 'a.b/c-2cf24dba'],
  ['a.', 'a-2cf24dba.'],
])('%s has the lasting path %s', (key, path) => expect(immutablePath(key, sha256)).toBe(path));

test('images that were made of one lie beside it', () => {
  expect(variantPath('a/cat.heic', sha256, 'thumb')).toBe('a/cat-2cf24dba-thumb.webp');
  expect(variantPath('a/cat.heic', sha256, 'display_jpeg')).toBe('a/cat-2cf24dba-display.jpg');
});

test.each(['a', 'A-Z/a_z.0', 'a'.repeat(1024), '_blob/x', '...', 'a/.hidden'])('%s is a key', (key) =>
  expect(isAssetKey(key)).toBe(true),
);

const noKeys = ['', '/a', 'a/', 'a//b', '.', 'a/..', '../a', 'a b', 'ä', 'a\u0000', 'a?b', 'a%2fb', 'a\\b'];
test.each([...noKeys, '_svc/a', '_cas/a', '_staging/a', 'a'.repeat(1025)])('%j is no key', (key) =>
  expect(isAssetKey(key)).toBe(false),
);
