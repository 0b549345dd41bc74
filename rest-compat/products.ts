import type { z } from 'zod';
import { hasAlready } from '../core/entity-tags.ts';
import { sha256Hex } from '../core/keys.ts';
import { zipType } from '../engines/bundles/archive.ts';
import type { Context } from '../kernel/run/context.ts';
import { execute } from '../kernel/run/execute.ts';
import { readBundle } from '../resolvers/downloads/read-bundle.ts';
import type { Delivery } from '../resolvers/downloads/shared/open-download.ts';
import { type Download, etagOf, takeDownload } from '../resolvers/downloads/take-download.ts';
import { getKeys } from '../resolvers/licences/get-keys.ts';
import { auditPrices } from '../resolvers/payments/shared/price-table.ts';
import { type BoughtPack, buyPack } from '../resolvers/products/buy-pack.ts';
import { type BoughtSource, buySource } from '../resolvers/products/buy-source.ts';
import { getPackageManifest } from '../resolvers/products/get-manifest.ts';
import { apiRoute } from './api-route.ts';
import { inputReader } from './inputs.ts';
import { downloadDoc, keysDoc, manifestDoc, packDoc, sourceDoc } from './product-docs.ts';
import type { RestAnswer, Route } from './route.ts';

/** Whatever a token leads to is its holder's alone, and no cache's. */
const downloadHeaders = ({ filename, sha256 }: Download): Record<string, string> => ({
  'accept-ranges': 'bytes',
  'cache-control': 'private, no-store',
  'content-disposition': `attachment; filename="${filename}"`,
  etag: etagOf(sha256),
  'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
});

function downloadAnswer(download: Download): RestAnswer {
  const { part, size, bytes } = download;
  const headers = downloadHeaders(download);
  if (part === 'same') return { status: 304, headers, body: '' };
  if (part === 'none') return { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` }, body: '' };
  const zip = { ...headers, 'content-type': zipType };
  if (part === 'whole') return { status: 200, headers: { ...zip, 'content-length': String(size) }, body: bytes };
  const { from, to } = part;
  const range = { 'content-range': `bytes ${from}-${to - 1}/${size}`, 'content-length': String(to - from) };
  return { status: 206, headers: { ...zip, ...range }, body: bytes };
}

const downloadPath = { method: 'GET', path: '/api/downloads/:token' } as const;

const { places, sources, read } = inputReader(downloadPath.method, downloadPath.path, takeDownload.input, {
  range: 'header range',
  if_range: 'header if-range',
  if_none_match: 'header if-none-match',
  head: 'method HEAD',
});

const download: Route = {
  ...downloadPath,
  operation: takeDownload.name,
  status: 200,
  describe: () => downloadDoc,
  places,
  sources,
  answersBytes: true,
  run: async (ctx, request) =>
    downloadAnswer(await execute(takeDownload, ctx, read(request) as z.input<typeof takeDownload.input>)),
};

/** The archive itself as the answer, with what else its buyer needs to have in headers. */
async function asZip(ctx: Context, { filename, sha256, bytes }: Delivery, more: Record<string, string> = {}) {
  const whole: Download = {
    filename,
    sha256,
    size: bytes,
    part: 'whole',
    bytes: await readBundle(ctx.services, sha256),
  };
  const { status, headers, body } = downloadAnswer(whole);
  return { status, headers: { ...headers, ...more }, body };
}

/** Who pays is all that counts. */
const ofPayer = { withoutCredential: true } as const;

/** Contract 00, section 0.1: an alias differs in the address of what is bought alone. */
const packPaths = [auditPrices.pro.path, '/api/x402-pro-pack', '/api/x402-joint-bundle'];
const sourcePaths = [auditPrices.buyout.path, '/api/x402-source-bundle'];

const packRoutes = packPaths.flatMap((path) => {
  const options = { ...ofPayer, asZip: ({ bundle }: BoughtPack, ctx: Context) => asZip(ctx, bundle) };
  return [
    apiRoute('GET', path, buyPack, {}, packDoc, options),
    apiRoute('POST', path, buyPack, { url: ['body url', 'query url'] }, packDoc, options),
  ];
});

const sourceRoutes = sourcePaths.flatMap((path) => {
  const options = {
    ...ofPayer,
    asZip: ({ archive, licence }: BoughtSource, ctx: Context) =>
      asZip(ctx, archive, {
        'x-license-key': licence.key,
        link: `<${licence.bundle.downloadUrl}>; rel="license"; type="application/zip"`,
      }),
  };
  return [
    apiRoute('GET', path, buySource, {}, sourceDoc, options),
    apiRoute(
      'POST',
      path,
      buySource,
      { buyer_domain: ['body buyer_domain', 'query buyer_domain'] },
      sourceDoc,
      options,
    ),
  ];
});

/** How long a reader may keep an answer before it asks whether that is still the same, in seconds. */
const freshSeconds = 300;

/** An answer that is the same for everybody, and that its reader may keep. */
const kept = (inner: Route): Route => ({
  ...inner,
  async run(ctx, request) {
    const body = JSON.stringify((await inner.run(ctx, request)).body);
    const etag = `"${sha256Hex(body)}"`;
    const headers = { etag, 'cache-control': `public, max-age=${freshSeconds}` };
    if (hasAlready(request.headers?.['if-none-match']?.toString(), etag)) return { status: 304, headers, body: '' };
    return { status: 200, headers: { ...headers, 'content-type': 'application/json; charset=utf-8' }, body };
  },
});

/** Paths of what the audit gateway sells. Contract 00, section 0.1. */
export const productRoutes = [
  kept(apiRoute('GET', '/api/package-manifest', getPackageManifest, {}, manifestDoc)),
  kept(apiRoute('GET', '/.well-known/jwks.json', getKeys, {}, keysDoc)),
  download,
  ...packRoutes,
  ...sourceRoutes,
];
