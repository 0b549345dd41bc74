import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { contentObjects, contentParts, contentUploads, type PlannedContent } from '../../../db/schema/content.ts';
import { excluded, insertInto, namesOf, pick, setOf, statement, typed } from '../../../db/sql.ts';
import type { ProjectScope } from '../../../kernel/access/access.ts';
import { unitOfWork } from '../../../kernel/durability/unit-of-work.ts';
import { refuseOverStorage } from '../../../kernel/limits/storage.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { lockProject } from '../../projects/shared/lock-project.ts';
import { keepContentLock } from './content-lock.ts';
import { storing } from './storing.ts';
import { type ContentOwner, useContent } from './use-content.ts';

interface Owned {
  readonly org: Pick<ProjectScope['org'], 'id' | 'tier' | 'limitOverrides'>;
  readonly project: Pick<ProjectScope['project'], 'id'>;
}

/** Bytes that are at hand. */
export interface OwnBytes extends PlannedContent {
  /** Gives them from their beginning. */
  readonly open: () => Readable;
}

/** Bytes that are in memory. */
const inMemory = (bytes: Uint8Array): OwnBytes => ({
  sha256: createHash('sha256').update(bytes).digest('hex'),
  size: bytes.length,
  open: () => Readable.from(bytes.length === 0 ? [] : [bytes]),
});

/**
 * Has a project hold bytes that are at hand, for a day unless something names them meanwhile.
 *
 * @throws QUOTA_EXCEEDED, STORAGE_UNAVAILABLE, PROJECT_NOT_FOUND
 */
export async function holdBytes(ctx: Context, scope: Owned, bytes: Uint8Array | OwnBytes): Promise<PlannedContent> {
  const { services } = ctx;
  const owner = { orgId: scope.org.id, projectId: scope.project.id };
  const { open, ...content } = bytes instanceof Uint8Array ? inMemory(bytes) : bytes;
  if ((await useContent(services.db.rows, owner, [content.sha256])).has(content.sha256)) return content;
  await refuseOverStorage(services, scope.org, content.size);
  const own = services.newId('upl');
  await store(ctx, owner, content, open, own);
  await unitOfWork(ctx, async (work) => {
    await work.rows(keepContentLock.with({}));
    if ((await lockProject(work, owner.projectId)) === undefined) throw new ServiceError('PROJECT_NOT_FOUND');
    await work.rows(holdStatement.with({ ...owner, sha256: content.sha256, size: BigInt(content.size) }));
    await work.rows(forgetStatement.with({ id: own }));
  });
  return content;
}

/** The row of an upload keeps the bytes from the collector until somebody holds them. */
async function store(
  ctx: Context,
  owner: ContentOwner,
  content: PlannedContent,
  open: OwnBytes['open'],
  own: string,
): Promise<void> {
  const { db, objects } = ctx.services;
  await db.rows(stageStatement.with({ ...owner, id: own, sha256: content.sha256, size: BigInt(content.size) }));
  const upload = { id: own, size: content.size };
  const part = { number: 1, size: content.size };
  await storing(ctx.services, async () => {
    const put = await objects.putPart(upload, part, open());
    const kept = typeof put === 'string' ? put : await objects.finish(upload, content, [{ number: 1, etag: put.etag }]);
    if (kept !== 'kept') throw new Error(`The store has taken other bytes than it was given: ${kept}.`);
  });
}

const staged = pick(contentUploads, 'orgId', 'projectId', 'id', 'sha256', 'size');

// A client that is about to upload the same bytes goes on with its own upload: either row keeps them.
const stageStatement = statement(
  'content.stage-bytes',
  { params: staged },
  (given) =>
    sql`${insertInto(contentUploads, {
      ...given,
      partSize: given.size,
      partCount: sql`1`,
      expiresAt: sql`now() + interval '1 hour'`,
    })} on conflict (${namesOf(
      contentUploads.orgId,
      contentUploads.projectId,
      contentUploads.sha256,
      contentUploads.size,
    )}) do update ${setOf(contentUploads, {
      expiresAt: sql`greatest(${contentUploads.expiresAt}, ${excluded(contentUploads.expiresAt)})`,
    })}`,
);

const holdStatement = statement(
  'content.hold',
  { params: pick(contentObjects, 'orgId', 'projectId', 'sha256', 'size') },
  (given) => sql`${insertInto(contentObjects, given)}
    on conflict (${namesOf(contentObjects.orgId, contentObjects.projectId, contentObjects.sha256)})
    do update ${setOf(contentObjects, { usedAt: sql`now()`, givenUp: sql`false` })}`,
);

const forgetStatement = statement(
  'content.forget-staged',
  { params: { id: typed<string>('text') } },
  ({ id }) => sql`with gone as (delete from ${contentUploads} where ${contentUploads.id} = ${id})
    delete from ${contentParts} where ${contentParts.uploadId} = ${id}`,
);
