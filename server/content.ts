import { receivePart } from '../resolvers/content/receive-part.ts';
import type { HttpOptions } from './exchange.ts';
import { send } from './respond.ts';
import type { Entry } from './routes/entry.ts';

/** Where parts of content are sent to: the address itself says what may be sent, and nothing is read into memory. */
export function contentEntries({ services }: HttpOptions): Entry[] {
  return [
    {
      host: 'gateway',
      method: 'PUT',
      path: '/content/v1/uploads/:upload_id/parts/:part_number',
      spelling: 'raw',
      auth: 'none',
      async run({ request, response, search, asksFirst }, params) {
        const { headers } = request;
        const query = new URLSearchParams(search);
        const announced = headers['content-length'];
        const checksum = query.get('x-amz-checksum-sha256') ?? headers['x-amz-checksum-sha256'];
        if (asksFirst) response.writeContinue();
        const etag = await receivePart(services, {
          uploadId: params.upload_id!,
          number: params.part_number!,
          expires: query.get('expires') ?? '',
          token: query.get('token') ?? '',
          checksum: typeof checksum === 'string' ? checksum : undefined,
          announced: announced === undefined ? undefined : Number(announced),
          body: request,
        });
        response.setHeader('etag', etag);
        send(response, 200, 'application/json', '{}');
      },
    },
  ];
}
