import sharp from 'sharp';
import { afterAll, expect, test } from 'vitest';
import { refOf, siteOf } from '../deploys/deploying.ts';
import { noise, photograph, plain, pngBomb } from '../helpers/pictures.ts';
import { startService } from '../helpers/service.ts';
import { assetStage } from './asset-door.ts';

const service = await startService();
afterAll(() => service.stop());
const { control } = service;

type Stage = Awaited<ReturnType<typeof assetStage>>;

const putBytes = ({ call }: Stage, key: string, bytes: Buffer, more: object = {}) =>
  call('POST', '/storage/v1/blobs', { key, content_base64: bytes.toString('base64'), ...more });

/** What a project stores, once of each object. */
const objectsOf = ({ projectId }: Stage) =>
  control.sql<{ sha256: string; named: boolean; given_up: boolean }>(
    'select sha256, named, given_up from content_objects where project_id = $1',
    [projectId],
  );

const entry = (key: string, bytes: Buffer, more: object = {}) => {
  const { sha256, size } = refOf(bytes);
  return { key, sha256, size_bytes: size, ...more };
};

test('a picture is shown with its size, its BlurHash and its variants, which are served for good', async () => {
  const stage = await assetStage(service);
  const original = await noise(900, 600).jpeg().toBuffer();
  const { status, body } = await putBytes(stage, 'img/photo.jpg', original);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    content_type: 'image/jpeg',
    image_format: 'jpeg',
    width_px: 900,
    height_px: 600,
    image_info: { has_alpha: false, animated: false, frame_count: 1, bit_depth: 8, color_space: 'srgb' },
    image_exif: null,
    image_exif_policy: 'keep',
    blurhash: expect.stringMatching(/^.{28}$/),
    blurhash_data_url: expect.stringMatching(/^data:image\/webp;base64,/),
    variant_spec_version: 1,
    display_url: body.url,
    display_immutable_url: body.immutable_url,
    variants: {
      thumb: { width_px: 320, height_px: 213, format: 'webp' },
      medium: { width_px: 800, height_px: 533, format: 'webp' },
      large: { width_px: 900, height_px: 600, format: 'webp' },
    },
  });
  for (const variant of Object.values(body.variants) as { url: string; cdn_url: string; sha256: string }[]) {
    const served = await stage.open(variant.url);
    expect(served.headers).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-svc-content-sha256': variant.sha256,
      'x-content-type-options': 'nosniff',
    });
    expect(refOf(served.body).sha256).toBe(variant.sha256);
    expect((await stage.open(variant.cdn_url)).status).toBe(200);
  }
  expect((await stage.open(body.url)).body.equals(original)).toBe(true);
});

test('the same is read over GraphQL, in the list, and by the plan of a deploy', async () => {
  const stage = await assetStage(service);
  const bytes = await noise(400, 400).webp().toBuffer();
  const { body } = await putBytes(stage, 'a.webp', bytes);
  const { data } = await service.graphql(
    stage.wallet,
    `query ($project: ID!) { asset(project: $project, key: "a.webp") {
      imageFormat widthPx heightPx blurhash blurhashDataUrl displayUrl displayImmutableUrl variantSpecVersion
      variants { name url cdnUrl widthPx heightPx format sha256 }
    } }`,
    { project: stage.projectId },
  );
  const { thumb } = body.variants;
  expect(data).toEqual({
    asset: {
      imageFormat: 'webp',
      widthPx: 400,
      heightPx: 400,
      blurhash: body.blurhash,
      blurhashDataUrl: body.blurhash_data_url,
      displayUrl: body.display_url,
      displayImmutableUrl: body.display_immutable_url,
      variantSpecVersion: 1,
      variants: expect.arrayContaining([
        {
          name: 'thumb',
          url: thumb.url,
          cdnUrl: thumb.cdn_url,
          widthPx: 320,
          heightPx: 320,
          format: 'webp',
          sha256: thumb.sha256,
        },
      ]),
    },
  });
  await stage.put('b.txt', 'no picture');
  const keys = async (search: string) =>
    (await stage.list(search)).body.blobs.map(({ key }: { key: string }) => key) as string[];
  expect(await keys('?filter[is_image]=true')).toEqual(['a.webp']);
  expect(await keys('?filter[is_image]=false')).toEqual(['b.txt']);
  expect(await keys('?filter[format]=webp&filter[min_width]=400&filter[max_height]=400')).toEqual(['a.webp']);
  expect(await keys('?filter[min_width]=401')).toEqual([]);
  const planned = (await stage.deploys.plan({ assets: { put: [entry('a.webp', bytes)] } }, {}, '?dry_run=true')).body;
  const { created_at: _at, updated_at: _until, ...ref } = body;
  expect(planned.asset_entries[0]).toMatchObject({ status: 'present', asset_ref: ref });
});

test('pictures of a deploy are looked at before it changes anything, and have their variants with the flip', async () => {
  const stage = await assetStage(service);
  const bytes = await noise(640, 480).png().toBuffer();
  const put = [entry('img/a.png', bytes), entry('img/private.png', bytes, { visibility: 'private' })];
  const slices = { ...siteOf({ 'index.html': 'one' }), assets: { put } };
  expect(await stage.deploys.deploy(slices, ['one', bytes])).toMatchObject({ status: 'ready' });
  const planned = (await stage.deploys.plan({ assets: { put } }, {}, '?dry_run=true')).body;
  const [open, hidden] = planned.asset_entries.map(({ asset_ref: ref }: { asset_ref: object }) => ref);
  expect(open).toMatchObject({ width_px: 640, height_px: 480, blurhash: expect.any(String) });
  expect(hidden).toMatchObject({ width_px: 640, blurhash: expect.any(String), variants: {} });
  expect((await stage.open(open.variants.medium.url)).status).toBe(200);
  expect((await stage.open(open.variants.medium.url.replace('img/a', 'img/private'))).status).toBe(404);

  const broken = bytes.subarray(0, bytes.length / 2);
  const failing = { ...siteOf({ 'index.html': 'two' }), assets: { put: [entry('img/b.png', broken)] } };
  expect(await stage.deploys.deploy(failing, ['two', broken])).toMatchObject({
    status: 'failed',
    error: { code: 'IMAGE_DECODE_FAILED', phase: 'stage', details: { key: 'img/b.png' } },
  });
  expect((await stage.ask('/')).text).toBe('one');
  expect((await stage.list()).body.blobs).toHaveLength(2);
});

test('what a camera noted is shown, unless it is not to be kept, and is in no variant', async () => {
  const stage = await assetStage(service);
  const bytes = await photograph();
  const kept = (await putBytes(stage, 'a.jpg', bytes)).body;
  expect(kept).toMatchObject({ width_px: 400, height_px: 800, image_exif: { Make: 'Acme', Model: 'One' } });
  expect((await stage.open(kept.variants.thumb.url)).body.includes('Acme')).toBe(false);
  const stripped = (await putBytes(stage, 'a.jpg', bytes, { exif_policy: 'strip' })).body;
  expect(stripped).toMatchObject({ image_exif: null, image_exif_policy: 'strip', width_px: 400 });
  const [row] = await control.sql<{ image: object }>(
    "select image from assets where project_id = $1 and key = 'a.jpg'",
    [stage.projectId],
  );
  expect(JSON.stringify(row!.image)).not.toContain('Acme');
  expect((await putBytes(stage, 'a.jpg', bytes)).body.image_exif).toMatchObject({ Make: 'Acme' });
});

test('variants go with their asset and with the version that they were made of', async () => {
  const stage = await assetStage(service);
  const [one, two] = [await noise(400, 400).png().toBuffer(), await plain(400, 400).png().toBuffer()];
  const first = (await putBytes(stage, 'a.png', one, { immutable: false })).body;
  expect((await objectsOf(stage)).filter(({ named }) => named)).toHaveLength(3);
  const second = (await putBytes(stage, 'a.png', two, { immutable: false })).body;
  const left = new Set((await objectsOf(stage)).filter(({ given_up: up }) => up).map(({ sha256 }) => sha256));
  expect(left).toEqual(new Set([first.sha256, first.variants.thumb.sha256, first.variants.large.sha256]));
  await stage.remove('a.png');
  expect((await objectsOf(stage)).every(({ named, given_up: up }) => !named && up)).toBe(true);
  const retired = await control.sql('select from asset_versions where project_id = $1 and retired_at is null', [
    stage.projectId,
  ]);
  expect(retired).toEqual([]);
  expect((await putBytes(stage, 'a.png', two, { immutable: false })).body.variants).toEqual(second.variants);
});

test('a picture that was looked at is not looked at again, and what is served as something else is none', async () => {
  const stage = await assetStage(service);
  const bytes = await noise(400, 400).png().toBuffer();
  const first = (await putBytes(stage, 'a.png', bytes)).body;
  const { images } = service.app.services;
  const never = { ...images, examine: () => Promise.reject(new Error('It was looked at again.')) };
  try {
    (service.app.services as { images: typeof images }).images = never;
    const copy = (await putBytes(stage, 'copy.png', bytes)).body;
    expect(copy).toMatchObject({ blurhash: first.blurhash, width_px: 400 });
    expect((await stage.open(copy.variants.thumb.url)).status).toBe(200);
    const other = (await putBytes(stage, 'a.png', bytes, { content_type: 'application/octet-stream' })).body;
    expect(other).toMatchObject({ image_format: null, image_info: null });
    expect(other.variants).toBeUndefined();
  } finally {
    (service.app.services as { images: typeof images }).images = images;
  }
});

test.each([
  ['a text', async () => Buffer.from('<html><script>alert(1)</script>'), 422, 'IMAGE_DECODE_FAILED'],
  [
    'half of a JPEG',
    async () => (await noise(400, 400).jpeg().toBuffer()).subarray(0, 9_000),
    422,
    'IMAGE_DECODE_FAILED',
  ],
  [
    'SVG by another name',
    async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    422,
    'IMAGE_DECODE_FAILED',
  ],
  ['a picture of 40,000,001 pixels and more', async () => pngBomb(8_001, 5_000), 413, 'IMAGE_INPUT_TOO_LARGE'],
  ['a side of 12,001 pixels', async () => pngBomb(1, 12_001), 413, 'IMAGE_INPUT_TOO_LARGE'],
] as const)('%s is refused as a picture, and nothing has its key', async (_case, make, status, code) => {
  const stage = await assetStage(service);
  const answer = await putBytes(stage, 'a.png', await make());
  expect([answer.status, answer.body.code, answer.body.details.key]).toEqual([status, code, 'a.png']);
  expect((await stage.list()).body.blobs).toEqual([]);
});

test('SVG is kept as the document that it is, and a wrong extension is seen through', async () => {
  const stage = await assetStage(service);
  const svg = (await stage.put('logo.svg', '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400"/>')).body;
  expect(svg).toMatchObject({ content_type: 'image/svg+xml', image_format: null });
  expect(svg.variants).toBeUndefined();
  expect((await stage.open(svg.url)).headers['content-security-policy']).toBe('sandbox');
  const gif = await noise(400, 400).gif().toBuffer();
  expect((await putBytes(stage, 'a.png', gif)).body).toMatchObject({ content_type: 'image/png', image_format: 'gif' });
});

test('when too many pictures wait, the next one is asked to come again', async () => {
  const stage = await assetStage(service);
  const { images } = service.app.services;
  const bytes = await plain(2_500, 2_500).png().toBuffer();
  const busy = Array.from({ length: 40 }, () => images.examine(bytes, 'others').catch(() => undefined));
  const more = Array.from({ length: 40 }, (_none, at) => images.examine(bytes, `other ${at}`).catch(() => undefined));
  const answer = await putBytes(stage, 'a.png', await plain(10, 10).png().toBuffer());
  expect([answer.status, answer.body.code, answer.body.retryable]).toEqual([429, 'TOO_MANY_ENCODES_QUEUED', true]);
  expect(answer.headers.get('retry-after')).toBe('2');
  await Promise.all([...busy, ...more]);
});

test('variants count as storage, two of the same bytes once', async () => {
  const stage = await assetStage(service);
  const used = async () =>
    (await stage.call('GET', `/projects/v1/admin/${stage.projectId}/usage`)).body.storage_bytes as number;
  const before = await used();
  const bytes = await noise(700, 700).jpeg().toBuffer();
  const { variants } = (await putBytes(stage, 'a.png', bytes)).body;
  const made = await Promise.all(
    [variants.thumb, variants.medium].map(async ({ url }) => (await stage.open(url)).body),
  );
  expect(variants.large.sha256).toBe(variants.medium.sha256);
  const grown = (await used()) - before;
  const sizes = made.reduce((sum, { length }) => sum + length, bytes.length);
  expect(grown).toBeGreaterThanOrEqual(sizes);
  for (const body of made) expect((await sharp(body).metadata()).format).toBe('webp');
});
