import { ServiceError } from '../../core/errors.ts';
import { isDocument } from '../../engines/hosting/cache-headers.ts';
import type { ProjectScope } from '../../kernel/access/access.ts';
import { assetToWire } from '../../resolvers/assets/asset.ts';
import { putUploaded } from '../../resolvers/assets/put-uploaded.ts';
import { findBlob, type ServedBlob } from '../../resolvers/assets/served-blob.ts';
import { isVerifiedUrl } from '../../resolvers/assets/signed-url.ts';
import { openHost } from '../../rest-compat/hosted/answer.ts';
import type { HttpOptions } from '../exchange.ts';
import { contextOf } from '../exchange-context.ts';
import { ReadyFile } from '../hosting/ready-file.ts';
import type { FileSender } from '../hosting/send-file.ts';
import { sendJson } from '../respond.ts';
import type { Call, CallEntry, Entry } from './entry.ts';

/** Largest body of an asset that is sent as it is, in bytes. Contract 03, section 4.3. */
const putBytesMax = 25_000_000;

/** Where assets are served from, and where functions put them. */
export const blobEntries = (options: HttpOptions, sender: FileSender): Entry[] => [
  {
    host: 'project',
    method: 'GET',
    path: '/_blob/*',
    spelling: 'raw',
    auth: 'none',
    async run(exchange, params) {
      const { services } = options;
      const { target } = exchange.project!;
      const ctx = contextOf(options, exchange);
      // What a file answers costs its address alone, as the files of a site do.
      ctx.chargeAddress();
      const path = decoded(params['*'] ?? '');
      const query = new URLSearchParams(exchange.search);
      const isSigned = isVerifiedUrl(services, target.projectId, path, query);
      const blob = await findBlob(services, target, path);
      if (blob === undefined || (blob.visibility === 'private' && !isSigned)) {
        openHost(ctx, exchange.project!);
        throw new ServiceError('ASSET_NOT_FOUND', { details: { key: path } });
      }
      exchange.subject.admit(target.projectId, 'anon');
      await sender.send(exchange, new ReadyFile(blob, target.projectId, headersOf(blob, isSigned)), 200);
    },
  },
  {
    host: 'gateway',
    method: 'POST',
    path: '/apply/v1/service-asset-put',
    spelling: 'exact',
    // A body is large here, and not read for a caller who may not send it.
    auth: ({ ctx }: Pick<Call, 'ctx'>) => putUploaded.admit(ctx),
    body: putBytesMax,
    async run({ exchange: { request, response }, ctx, admitted, body }: Call<ProjectScope>) {
      const asset = await putUploaded.run(ctx, admitted, { body, headers: request.headers });
      if (!response.destroyed) sendJson(response, 200, assetToWire(asset));
    },
  } satisfies CallEntry<ProjectScope>,
];

/** @throws ASSET_NOT_FOUND for what is no path of an asset */
function decoded(path: string): string {
  try {
    return path.split('/').map(decodeURIComponent).join('/');
  } catch {
    throw new ServiceError('ASSET_NOT_FOUND');
  }
}

const kinds = {
  immutable: 'public, max-age=31536000, immutable',
  mutable: 'public, max-age=0, must-revalidate',
  private: 'private, no-store',
} as const;

function headersOf({ contentType, isVersion }: ServedBlob, isSigned: boolean): string[] {
  const kind = isSigned ? 'private' : isVersion ? 'immutable' : 'mutable';
  return [
    'cache-control',
    kinds[kind],
    'x-svc-blob-cache-kind',
    kind,
    ...(isSigned ? ['referrer-policy', 'no-referrer'] : ['access-control-allow-origin', '*']),
    // Whoever uses an application may have put it there: it runs no scripts at the application's own origin.
    ...(isDocument(contentType) || /xml/i.test(contentType) ? ['content-security-policy', 'sandbox'] : []),
  ];
}
