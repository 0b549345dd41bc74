import type { Readable } from 'node:stream';
import { ServiceError } from '../../../core/errors.ts';
import { advisoryLock } from '../../../db/advisory-lock.ts';
import { sql } from '../../../db/drizzle.ts';
import { contentObjects, contentUploads, type PlannedContent } from '../../../db/schema/content.ts';
import type { Org } from '../../../db/schema/orgs.ts';
import { computed, pick, statement } from '../../../db/sql.ts';
import { unitOfWork, type Work } from '../../../kernel/durability/unit-of-work.ts';
import { limitsOf } from '../../../kernel/limits/limits.ts';
import { quotaExceeded } from '../../../kernel/limits/quota.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { arrivedOf } from '../arrived-parts.ts';
import { takePart } from '../receive-part.ts';
import { keepContentLock } from './content-lock.ts';
import { finishUpload, forgetUploadsStatement, promoteStatement, uploadsStatement } from './finish-uploads.ts';
import { type MissingContent, missingOf, stageUploads } from './stage-uploads.ts';
import { storing } from './storing.ts';
import { type ContentOwner, useContent } from './use-content.ts';

/** Stands for an organization itself where content belongs to no project of it: archives that are about to be imported. */
const ofNoProject = 'archives';

const ownerOf = (orgId: string): ContentOwner => ({ orgId, projectId: ofNoProject });

/**
 * Refuses an object while what an organization holds and sends for a day, without a project, is more than it may store.
 * Plans of one organization wait here for each other.
 *
 * @throws QUOTA_EXCEEDED
 */
export async function refuseOverOrgUploads(
  work: Work,
  org: Pick<Org, 'id' | 'tier' | 'limitOverrides'>,
  { sha256, size }: PlannedContent,
): Promise<void> {
  await work.rows(advisoryLock.with({ key: `archive uploads:${org.id}` }));
  const [others] = await work.rows(othersStatement.with({ ...ownerOf(org.id), sha256 }));
  const used = Number(others!.bytes);
  const limit = limitsOf(org).storageBytes;
  if (used + size <= limit) return;
  const message = `The archive would take ${size} bytes beside ${used} bytes of archives that wait to be imported. Each is kept for a day.`;
  throw quotaExceeded({ scope: 'organization', metric: 'storage_bytes', message }, limit, used);
}

const othersStatement = statement(
  'content.of-no-project',
  {
    params: pick(contentObjects, 'orgId', 'projectId', 'sha256'),
    row: { bytes: computed<bigint>('bigint', sql`coalesce(sum(one.size), 0)::bigint`) },
  },
  ({ orgId, projectId, sha256 }, row) => sql`select ${row} from (
      select ${contentObjects.size} as size from ${contentObjects}
      where ${contentObjects.orgId} = ${orgId} and ${contentObjects.projectId} = ${projectId}
        and ${contentObjects.sha256} <> ${sha256}
      union all select ${contentUploads.size} from ${contentUploads}
      where ${contentUploads.orgId} = ${orgId} and ${contentUploads.projectId} = ${projectId}
        and ${contentUploads.sha256} <> ${sha256}
    ) one`,
);

/** Where the parts of an object are sent to that an organization is to hold for a day; undefined: it holds it already. */
export async function planOrgUpload(
  work: Work,
  orgId: string,
  content: PlannedContent,
): Promise<MissingContent | undefined> {
  const owner = ownerOf(orgId);
  await work.rows(keepContentLock.with({}));
  const held = await useContent(work.rows, owner, [content.sha256]);
  if (held.get(content.sha256) === content.size) return undefined;
  const uploads = await stageUploads(work, owner, [content]);
  const arrived = await arrivedOf(
    work,
    uploads.map(({ id }) => id),
  );
  return missingOf(work, uploads, arrived)[0];
}

/**
 * Puts the parts of an object together that were sent for an organization. May be repeated.
 *
 * @returns its size; undefined when nothing was planned
 * @throws INVALID_STATE for parts that have not come; CONTENT_DIGEST_MISMATCH
 */
export async function finishOrgUpload(ctx: Context, orgId: string, sha256: string): Promise<number | undefined> {
  const { services } = ctx;
  const owner = ownerOf(orgId);
  const uploads = await services.db.rows(uploadsStatement.with({ ...owner, sha256s: [sha256] }));
  if (uploads.length === 0) return findOrgContent(ctx, orgId, sha256);
  const whole = uploads.filter(({ arrived, partCount }) => arrived >= partCount);
  if (whole.length === 0) throw new ServiceError('INVALID_STATE', { details: { missing: [sha256] } });
  await storing(services, async () => {
    for (const upload of whole) await finishUpload(services, upload);
  });
  const ids = whole.map(({ id }) => id);
  await unitOfWork(ctx, async (work) => {
    await work.rows(keepContentLock.with({}));
    await work.rows(promoteStatement.with({ ...owner, ids }));
    await work.rows(forgetUploadsStatement.with({ ids }));
  });
  return findOrgContent(ctx, orgId, sha256);
}

/** The size of an object that an organization holds, which it then does for another day; undefined: it holds none such. */
export const findOrgContent = async (
  { services }: Pick<Context, 'services'>,
  orgId: string,
  sha256: string,
): Promise<number | undefined> => (await useContent(services.db.rows, ownerOf(orgId), [sha256])).get(sha256);

/** Has an organization hold bytes that are at hand, for a day. @param open reads a range of them, its end included */
export async function storeForOrg(
  ctx: Context,
  orgId: string,
  content: PlannedContent,
  open: (start: number, end: number) => Readable,
): Promise<void> {
  const missing = await unitOfWork(ctx, (work) => planOrgUpload(work, orgId, content));
  if (missing === undefined) return;
  for (const { number, start, end, arrived } of missing.parts) {
    if (arrived) continue;
    const body = open(start, end);
    await takePart(ctx.services, {
      uploadId: missing.uploadId,
      number: String(number),
      checksum: undefined,
      announced: undefined,
      body,
    });
  }
  await finishOrgUpload(ctx, orgId, content.sha256);
}
