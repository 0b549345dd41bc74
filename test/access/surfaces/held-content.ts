import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Stage } from './surface.ts';

/** SHA-256 of `hello`. */
export const helloSha256 = createHash('sha256').update('hello').digest('hex');

/** Has the project hold the bytes of `hello`, which something names. */
export async function holdHello({ params, service }: Stage): Promise<void> {
  const { objects } = service.app.services;
  await service.control.sql(
    `insert into content_objects (org_id, project_id, sha256, size, named) select org_id, id, $2, 5, true from projects
     where id = $1 on conflict do nothing`,
    [params.project_id, helloSha256],
  );
  if ((await objects.size(helloSha256).catch(() => undefined)) !== undefined) return;
  const upload = { id: `upl_${params.project_id}`, size: 5 };
  const part = await objects.putPart(upload, { number: 1, size: 5 }, Readable.from([Buffer.from('hello')]));
  if (typeof part === 'string') throw new Error(part);
  await objects.finish(upload, { sha256: helloSha256, size: 5 }, [{ number: 1, etag: part.etag }]);
}
