import { sql } from '../../db/drizzle.ts';
import { events } from '../../db/partitioned/events.ts';
import { channelDeliveries, channelRoutes } from '../../db/schema/channel-routes.ts';
import { feedHeads } from '../../db/schema/rooms.ts';
import { insertInto, pick, type RowOf, setOf, statement, typed } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { routableClasses, routableTypes } from './routable.ts';
import type { ChannelRoute } from './route.ts';

/** Events of one step. */
const eventsMax = 200;

type Selects = Pick<
  ChannelRoute,
  'id' | 'orgId' | 'cursor' | 'projectScope' | 'projectIds' | 'eventTypes' | 'eventClasses' | 'includesOrgEvents'
>;

/**
 * Queues what a route selects of the events that have come since it looked last, each once. The caller holds the row of the
 * route: so no other node does the same, and a change of what is selected holds from the event on that comes next.
 */
export async function takeEvents(work: Work, route: Selects): Promise<void> {
  const { id, orgId, projectScope, projectIds, includesOrgEvents } = route;
  const head = await headOf(work.rows, orgId);
  let { cursor } = route;
  while (cursor < head) {
    const found = await work.rows(
      eventsStatement.with({
        orgId,
        cursor,
        head,
        types: route.eventTypes ?? routableTypes,
        classes: route.eventClasses ?? routableClasses,
        everyProject: projectScope === 'org',
        projectIds,
        includesOrgEvents,
        limit: eventsMax,
      }),
    );
    for (const event of found) await queue(work, { id, orgId }, event);
    cursor = found.length < eventsMax ? head : found.at(-1)!.position;
  }
  if (cursor !== route.cursor) await work.rows(cursorStatement.with({ id, cursor }));
}

/** Position of the newest event of an organization. */
export async function headOf(rows: Rows, orgId: string): Promise<bigint> {
  const [head] = await rows(headStatement.with({ orgId }));
  return head?.position ?? 0n;
}

async function queue(work: Work, route: { readonly id: string; readonly orgId: string }, event: Told): Promise<void> {
  const releaseId = textIn(event.payload, 'release_id');
  const incidentId = textIn(event.payload, 'incident_id');
  const thread = releaseId ?? incidentId;
  await work.rows(
    queueStatement.with({
      id: work.services.newId('chrd'),
      orgId: route.orgId,
      routeId: route.id,
      eventType: event.type,
      projectId: event.projectId,
      position: event.position,
      payload: JSON.stringify(event.payload),
      occurredAt: event.occurredAt,
      releaseId,
      // What is told of one release, or of one incident, of each project belongs together.
      thread: thread === null ? null : `${event.projectId ?? ''}:${thread}`,
    }),
  );
}

function textIn(payload: Told['payload'], name: string): string | null {
  const value = payload[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

const told = pick(events, 'position', 'projectId', 'type', 'payload', 'occurredAt');

type Told = RowOf<typeof told>;

const headStatement = statement(
  'channels.head',
  { params: pick(feedHeads, 'orgId'), row: pick(feedHeads, 'position') },
  ({ orgId }, row) => sql`select ${row} from ${feedHeads}
    where ${feedHeads.orgId} = ${orgId} and ${feedHeads.kind} = 'events' and ${feedHeads.feedId} = 'all'`,
);

// Positions become visible in their order: whatever lies up to the head is there.
const eventsStatement = statement(
  'channels.events',
  {
    params: {
      orgId: typed<string>('uuid'),
      cursor: typed<bigint>('bigint'),
      head: typed<bigint>('bigint'),
      types: typed<readonly string[]>('text[]'),
      classes: typed<readonly string[]>('text[]'),
      everyProject: typed<boolean>('boolean'),
      projectIds: typed<readonly string[]>('text[]'),
      includesOrgEvents: typed<boolean>('boolean'),
      limit: typed<number>('bigint'),
    },
    row: told,
  },
  (given, row) => sql`select ${row} from ${events}
    where ${events.orgId} = ${given.orgId} and ${events.position} > ${given.cursor} and ${events.position} <= ${given.head}
      and ${events.type} = any(${given.types}::text[]) and ${events.class} = any(${given.classes}::text[])
      and ${events.source} = 'platform'
      and case when ${events.projectId} is null then ${given.includesOrgEvents}::boolean
        else ${given.everyProject}::boolean or ${events.projectId} = any(${given.projectIds}::text[]) end
    order by ${events.position} limit ${given.limit}`,
);

const queueStatement = statement(
  'channels.queue',
  {
    params: pick(
      channelDeliveries,
      'id',
      'orgId',
      'routeId',
      'eventType',
      'projectId',
      'position',
      'payload',
      'occurredAt',
      'releaseId',
      'thread',
    ),
  },
  (given) =>
    sql`${insertInto(channelDeliveries, {
      ...given,
      kind: sql`'event'`,
      // Those of one transaction are listed in the order of what they tell.
      createdAt: sql`clock_timestamp()`,
      threadRootId: sql`(select ${channelDeliveries.id} from ${channelDeliveries}
        where ${channelDeliveries.routeId} = ${given.routeId} and ${channelDeliveries.thread} = ${given.thread}
          and ${channelDeliveries.threadRootId} is null)`,
    })} on conflict do nothing`,
);

const cursorStatement = statement(
  'channels.move-cursor',
  { params: pick(channelRoutes, 'id', 'cursor') },
  ({ id, cursor }) =>
    sql`update ${channelRoutes} ${setOf(channelRoutes, { cursor })} where ${channelRoutes.id} = ${id}`,
);
