import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { contentObjects, contentParts, contentUploads } from '../../../db/schema/content.ts';
import {
  computed,
  excluded,
  insertSelect,
  namesOf,
  pick,
  type RowOf,
  setOf,
  statement,
  typed,
} from '../../../db/sql.ts';
import type { Services } from '../../../kernel/run/context.ts';

/** @throws CONTENT_DIGEST_MISMATCH; the upload is thrown away then */
export async function finishUpload(services: Services, upload: StagedUploadParts): Promise<void> {
  const { objects, db } = services;
  const { id, sha256 } = upload;
  const size = Number(upload.size);
  const staged = { id, size };
  const parts = upload.etags.map((etag, at) => ({ number: at + 1, etag }));
  const outcome = await objects.finish(staged, { sha256, size }, parts);
  if (outcome === 'kept') return;
  await objects.discard(staged);
  await db.rows(forgetUploadsStatement.with({ ids: [id] }));
  throw new ServiceError('CONTENT_DIGEST_MISMATCH', { details: { sha256, size } });
}

const staged = {
  ...pick(contentUploads, 'id', 'sha256', 'size', 'partCount'),
  arrived: computed<number>(
    'integer',
    sql`(select count(*)::int from ${contentParts} where ${contentParts.uploadId} = ${contentUploads.id})`,
  ),
  etags: computed<readonly string[]>(
    'text[]',
    sql`array(select ${contentParts.etag} from ${contentParts}
      where ${contentParts.uploadId} = ${contentUploads.id} order by ${contentParts.number})`,
  ),
};

/** An upload with what has come of it. */
export type StagedUploadParts = RowOf<typeof staged>;

const ofProject = pick(contentUploads, 'orgId', 'projectId');

export const uploadsStatement = statement(
  'content.staged-of-plan',
  { params: { ...ofProject, sha256s: typed<readonly string[]>('text[]') }, row: staged },
  (given, row) => sql`select ${row} from ${contentUploads} where ${contentUploads.orgId} = ${given.orgId}
    and ${contentUploads.projectId} = ${given.projectId} and ${contentUploads.sha256} = any(${given.sha256s}::text[])`,
);

export const promoteStatement = statement(
  'content.promote',
  { params: { ...ofProject, ids: typed<readonly string[]>('text[]') } },
  (given) => sql`${insertSelect(
    contentObjects,
    {
      orgId: contentUploads.orgId.getSQL(),
      projectId: contentUploads.projectId.getSQL(),
      sha256: contentUploads.sha256.getSQL(),
      size: contentUploads.size.getSQL(),
    },
    sql`from ${contentUploads} where ${contentUploads.orgId} = ${given.orgId}
      and ${contentUploads.projectId} = ${given.projectId} and ${contentUploads.id} = any(${given.ids}::text[])
      order by ${contentUploads.sha256}`,
  )} on conflict (${namesOf(contentObjects.orgId, contentObjects.projectId, contentObjects.sha256)})
    do update ${setOf(contentObjects, { usedAt: excluded(contentObjects.usedAt), givenUp: sql`false` })}`,
);

export const forgetUploadsStatement = statement(
  'content.forget-uploads',
  { params: { ids: typed<readonly string[]>('text[]') } },
  ({ ids }) => sql`with gone as (delete from ${contentUploads} where ${contentUploads.id} = any(${ids}::text[]))
    delete from ${contentParts} where ${contentParts.uploadId} = any(${ids}::text[])`,
);
