import { sql } from '../../../db/drizzle.ts';
import { channelCommunities, channelDeliveries, channelRoutes } from '../../../db/schema/channel-routes.ts';
import { orgs } from '../../../db/schema/orgs.ts';
import { projects } from '../../../db/schema/projects.ts';
import { computed, pick, type RowOf, statement, typed } from '../../../db/sql.ts';

/** Names the hold of a node on a route. */
export const heldBy = { id: channelRoutes.id, lease: typed<string>('text') };

const routeRow = {
  ...pick(
    channelRoutes,
    'id',
    'orgId',
    'communityId',
    'keyId',
    'name',
    'channelId',
    'status',
    'onCallPublicKey',
    'onCallName',
  ),
  relayUrl: computed<string>('text', sql`${channelCommunities.relayUrl}`),
};

/** A route that this node has. */
export type HeldRoute = RowOf<typeof routeRow>;

export const heldRoute = statement(
  'channels.held-route',
  { params: heldBy, row: routeRow },
  ({ id, lease }, row) => sql`select ${row} from ${channelRoutes}
    join ${channelCommunities} on ${channelCommunities.id} = ${channelRoutes.communityId}
    where ${channelRoutes.id} = ${id} and ${channelRoutes.lease} = ${lease}
      and ${channelCommunities.relayUrl} is not null`,
);

const deliveryRow = {
  ...pick(
    channelDeliveries,
    'id',
    'kind',
    'eventType',
    'projectId',
    'payload',
    'occurredAt',
    'attempts',
    'envelope',
    'envelopeEventId',
    'threadRootId',
  ),
  orgName: computed<string | null>('text', sql`${orgs.displayName}`),
  projectName: computed<string | null>('text', sql`${projects.name}`),
  isProjectDeleted: computed<boolean>('boolean', sql`${projects.id} is null or ${projects.deletedAt} is not null`),
  isProjectElsewhere: computed<boolean>(
    'boolean',
    sql`coalesce(${projects.orgId} <> ${channelDeliveries.orgId}, false)`,
  ),
  /** Whether it is tried for as long as it may be. */
  isLate: computed<boolean>('boolean', sql`${channelDeliveries.armedAt} <= now() - interval '48 hours'`),
};

/** A delivery whose turn it is. */
export type HeldDelivery = RowOf<typeof deliveryRow>;

/** The delivery of a route that is due longest, in the order of their events. */
export const nextDelivery = statement(
  'channels.next-delivery',
  { params: pick(channelDeliveries, 'routeId'), row: deliveryRow },
  ({ routeId }, row) => sql`select ${row} from ${channelDeliveries}
    join ${orgs} on ${orgs.id} = ${channelDeliveries.orgId}
    left join ${projects} on ${projects.id} = ${channelDeliveries.projectId}
    where ${channelDeliveries.routeId} = ${routeId} and ${channelDeliveries.nextAttemptAt} <= now()
    order by ${channelDeliveries.nextAttemptAt}, ${channelDeliveries.position} nulls last, ${channelDeliveries.id} limit 1`,
);
