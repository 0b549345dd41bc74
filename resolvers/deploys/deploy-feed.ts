import { sql } from '../../db/drizzle.ts';
import { deployEvents } from '../../db/schema/releases.ts';
import { feedHeads } from '../../db/schema/rooms.ts';
import { namesOf, orNull, pick, statement, typed } from '../../db/sql.ts';
import type { FeedAppend } from '../../kernel/durability/unit-of-work.ts';
import { advanceHead } from '../../kernel/feeds/advance-head.ts';
import type { Feed, FeedName } from '../../kernel/feeds/feeds.ts';

/** Something that happened in a deploy, as clients are told. Contract 03, section 2.6. */
export type DeployEvent = Readonly<Record<string, unknown>> & { readonly type: string };

const nameOf = (orgId: string, feedId: string): FeedName => ({ orgId, kind: 'deploys', feedId });

export interface DeployEventRow {
  readonly position: bigint;
  readonly operationId: string;
  readonly event: DeployEvent;
  readonly createdAt: Date;
}

/** What a row takes in memory besides its JSON; bytes, roughly. */
const rowBytes = 512;

/** The deploys of a project, in one order. */
export const deployFeed = (orgId: string, projectId: string): Feed<DeployEventRow> => ({
  name: nameOf(orgId, projectId),
  cursorPrefix: 'dcr_',
  positionOf: ({ position }) => position,
  sizeOf: ({ event }) => rowBytes + 2 * JSON.stringify(event).length,
  fetch: async (db, after, limit) => {
    const rows = await db.rows(sliceStatement.with({ orgId, projectId, after, limit }));
    return {
      head: rows[0]?.head ?? 0n,
      floor: 0n,
      rows: rows.filter(({ position }) => position !== null) as unknown as readonly DeployEventRow[],
    };
  },
});

/** An event that waits for its position. */
export const appendDeployEvent = (
  { orgId, projectId }: { readonly orgId: string; readonly projectId: string },
  operationId: string,
  event: DeployEvent,
): FeedAppend => ({
  name: nameOf(orgId, projectId),
  ...appendStatement.with({ orgId, projectId, operationId, event: JSON.stringify(event) }),
});

const sliceRow = {
  head: feedHeads.position,
  ...orNull(pick(deployEvents, 'position', 'operationId', 'event', 'createdAt')),
};

const sliceStatement = statement(
  'deploys.slice',
  {
    timeoutMs: 3_000,
    params: {
      ...pick(deployEvents, 'orgId', 'projectId'),
      after: typed<bigint>('bigint'),
      limit: typed<number>('bigint'),
    },
    row: sliceRow,
  },
  ({ orgId, projectId, after, limit }, row) => sql`select ${row}
    from ${feedHeads}
    left join lateral (
      select ${deployEvents}.* from ${deployEvents}
      where ${deployEvents.orgId} = ${orgId} and ${deployEvents.projectId} = ${projectId}
        and ${deployEvents.position} > ${after}
      order by ${deployEvents.position} limit ${limit}
    ) ${deployEvents} on true
    where ${feedHeads.orgId} = ${orgId} and ${feedHeads.kind} = 'deploys' and ${feedHeads.feedId} = ${projectId}
    order by ${deployEvents.position}`,
);

const appendStatement = statement(
  'deploys.append',
  {
    params: pick(deployEvents, 'orgId', 'projectId', 'operationId', 'event'),
    row: pick(deployEvents, 'position'),
  },
  ({ orgId, projectId, operationId, event }, row) => sql`with head as (
      ${advanceHead({ orgId, kind: sql`'deploys'`, feedId: projectId })}
    )
    insert into ${deployEvents}
      (${namesOf(...Object.values(pick(deployEvents, 'orgId', 'projectId', 'position', 'operationId', 'event')))})
    select ${orgId}, ${projectId}, head.position, ${operationId}, ${event}::jsonb from head
    returning ${row}`,
);
