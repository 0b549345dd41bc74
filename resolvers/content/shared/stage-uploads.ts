import { z } from 'zod';
import { sql } from '../../../db/drizzle.ts';
import { contentUploads, type PlannedContent } from '../../../db/schema/content.ts';
import { pick, type RowOf, statement, typed } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { layoutOf, partAt } from '../part-layout.ts';
import { partUrl, partUrlSeconds } from '../upload-url.ts';
import type { ContentOwner } from './use-content.ts';

/** How long a plan can be committed. Contract 03, section 2.1. */
export const planHours = 24;

/** Where one part of an object is sent to. */
export interface ContentPart {
  readonly number: number;
  readonly url: string;
  readonly start: number;
  /** The last byte, which belongs to it; one less than `start` for an object of no bytes. */
  readonly end: number;
  /** Whether it has come already, so that it need not be sent again. */
  readonly arrived: boolean;
}

/** An object that the project does not hold yet. */
export interface MissingContent {
  readonly sha256: string;
  readonly uploadId: string;
  readonly partSize: number;
  readonly parts: readonly ContentPart[];
  readonly urlsExpireAt: Date;
}

/** A part as it is answered. */
export const UploadPartWire = z
  .object({
    part_number: z.int(),
    url: z.string().meta({ secret: true }),
    byte_start: z.number(),
    byte_end: z.number(),
    arrived: z.boolean(),
  })
  .meta({ id: 'UploadPart' });

const uploadColumns = pick(contentUploads, 'id', 'sha256', 'size', 'partSize', 'partCount');

export type StagedUpload = RowOf<typeof uploadColumns>;

/** Takes up uploads of what is missing, or goes on with those that are under way. */
export function stageUploads(
  work: Work,
  owner: ContentOwner,
  missing: readonly PlannedContent[],
): Promise<readonly StagedUpload[]> {
  const layouts = missing.map(({ size }) => layoutOf(size));
  return work.rows(
    stageStatement.with({
      ...owner,
      ids: missing.map(() => work.services.newId('upl')),
      sha256s: missing.map(({ sha256 }) => sha256),
      sizes: missing.map(({ size }) => size),
      partSizes: layouts.map(({ partSize }) => partSize),
      partCounts: layouts.map(({ partCount }) => partCount),
    }),
  );
}

/** Where the parts of uploads are sent to. @param arrived as `arrivedOf` tells */
export function missingOf(
  ctx: Pick<Context, 'services' | 'request'>,
  uploads: readonly StagedUpload[],
  arrived: ReadonlySet<string>,
): MissingContent[] {
  const expires = Math.floor(ctx.services.now().getTime() / 1000) + partUrlSeconds;
  return uploads.map(({ id, sha256, ...upload }) => {
    const size = Number(upload.size);
    const layout = { partSize: Number(upload.partSize), partCount: upload.partCount };
    return {
      sha256,
      uploadId: id,
      partSize: layout.partSize,
      urlsExpireAt: new Date(expires * 1000),
      parts: Array.from({ length: layout.partCount }, (_none, at) => {
        const part = partAt(size, layout, at + 1);
        return {
          number: at + 1,
          url: partUrl(ctx, id, at + 1, expires),
          start: part.offset,
          end: part.offset + part.size - 1,
          arrived: arrived.has(`${id} ${at + 1}`),
        };
      }),
    };
  });
}

// Uploads end with the last plan that names them.
const stageStatement = statement(
  'content.stage',
  {
    params: {
      ...pick(contentUploads, 'orgId', 'projectId'),
      ids: typed<readonly string[]>('text[]'),
      sha256s: typed<readonly string[]>('text[]'),
      sizes: typed<readonly number[]>('bigint[]'),
      partSizes: typed<readonly number[]>('bigint[]'),
      partCounts: typed<readonly number[]>('integer[]'),
    },
    row: uploadColumns,
  },
  (given, row) => sql`insert into ${contentUploads}
    (org_id, project_id, id, sha256, size, part_size, part_count, expires_at)
    select ${given.orgId}, ${given.projectId}, one.id, one.sha256, one.size, one.part_size, one.part_count,
      now() + make_interval(hours => ${sql.raw(String(planHours))})
    from unnest(${given.ids}::text[], ${given.sha256s}::text[], ${given.sizes}::bigint[], ${given.partSizes}::bigint[],
      ${given.partCounts}::int[]) as one (id, sha256, size, part_size, part_count)
    order by one.sha256
    on conflict (org_id, project_id, sha256, size) do update set expires_at = excluded.expires_at
    returning ${row}`,
);
