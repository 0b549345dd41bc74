import { zipType } from '../engines/bundles/archive.ts';
import { type Download, etagOf, takeDownload } from '../resolvers/downloads/take-download.ts';
import { execute } from '../resolvers/execute.ts';
import { getKeys } from '../resolvers/licences/get-keys.ts';
import { getPackageManifest } from '../resolvers/products/get-manifest.ts';
import { apiRoute } from './api-route.ts';
import { downloadDoc, keysDoc, manifestDoc } from './product-docs.ts';
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

const download: Route = {
  method: 'GET',
  path: '/api/downloads/:token',
  operation: takeDownload.name,
  status: 200,
  describe: () => downloadDoc,
  async run(ctx, { params, headers = {}, head }) {
    const header = (name: string) => headers[name]?.toString();
    const input = {
      token: params.token!,
      range: header('range'),
      if_range: header('if-range'),
      if_none_match: header('if-none-match'),
      head,
    };
    return downloadAnswer(await execute(takeDownload, ctx, input));
  },
};

/** Paths of what the audit gateway sells. Contract 00, section 0.1. */
export const productRoutes = [
  apiRoute('GET', '/api/package-manifest', getPackageManifest, () => ({}), manifestDoc),
  apiRoute('GET', '/.well-known/jwks.json', getKeys, () => ({}), keysDoc),
  download,
];
