import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { channelKeys, channelRoutes, pauseReasons, routeScopes, routeStates } from '../../db/schema/channel-routes.ts';
import { computed, pick, type RowOf, statement } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
import { onOrgOf } from '../../kernel/access/on-org-of.ts';
import type { Action } from '../../kernel/access/permissions.ts';

/** What there is to know of a route without its key. */
export const routeColumns = {
  ...pick(
    channelRoutes,
    'id',
    'orgId',
    'communityId',
    'keyId',
    'name',
    'channelId',
    'projectScope',
    'projectIds',
    'eventTypes',
    'eventClasses',
    'includesOrgEvents',
    'onCallPublicKey',
    'onCallName',
    'status',
    'pauseReason',
    'resumesAs',
    'pausedAt',
    'revokedAt',
    'revision',
    'startAfter',
    'cursor',
    'failures',
    'createdAt',
    'updatedAt',
  ),
  publicKey: computed<string>(
    'text',
    sql`(select ${channelKeys.publicKey} from ${channelKeys} where ${channelKeys.id} = ${channelRoutes.keyId})`,
  ),
  generation: computed<number>(
    'integer',
    sql`(select ${channelKeys.generation} from ${channelKeys} where ${channelKeys.id} = ${channelRoutes.keyId})`,
  ),
};

/** A channel that events are told in. */
export type ChannelRoute = RowOf<typeof routeColumns>;

/** Any text may be the id of one that there is none of. */
export const routeId = z.string().min(1).max(256).describe('The route, `chrt_…`.');

const moment = z.iso.datetime();

const routeShape = {
  channel_route_id: z.string(),
  org_id: z.uuid(),
  community_installation_id: z.string(),
  route_name: z.string(),
  channel_id: z.string(),
  project_scope: z.enum(routeScopes),
  project_ids: z.array(z.string()),
  event_types: z.array(z.string()).nullable(),
  event_classes: z.array(z.string()).nullable(),
  include_org_events: z.boolean(),
  on_call_pubkey: z.string().nullable(),
  on_call_display_name: z.string().nullable(),
  status: z.enum(routeStates),
  pause_reason: z.enum(pauseReasons).nullable(),
  paused_at: moment.nullable(),
  revoked_at: moment.nullable(),
  revision: z.int(),
  start_after_event_id: z.int(),
  consecutive_hard_failures: z.int(),
  notification_principal_id: z.string(),
  notification_pubkey: z.string(),
  signing_generation: z.int(),
  bot_mode: z.enum(['attested', 'installation_identity']).nullable(),
  created_at: moment,
  updated_at: moment,
};

/** Contract 02, section 5.7. */
export const ChannelRouteWire = z.object(routeShape).meta({ id: 'ChannelRoute' });

export const routeToWire = (route: ChannelRoute): z.output<typeof ChannelRouteWire> => ({
  channel_route_id: route.id,
  org_id: route.orgId,
  community_installation_id: route.communityId,
  route_name: route.name,
  channel_id: route.channelId,
  project_scope: route.projectScope,
  project_ids: [...route.projectIds],
  event_types: route.eventTypes === null ? null : [...route.eventTypes],
  event_classes: route.eventClasses === null ? null : [...route.eventClasses],
  include_org_events: route.includesOrgEvents,
  on_call_pubkey: route.onCallPublicKey,
  on_call_display_name: route.onCallName,
  status: route.status,
  pause_reason: route.pauseReason,
  paused_at: route.pausedAt?.toISOString() ?? null,
  revoked_at: route.revokedAt?.toISOString() ?? null,
  revision: route.revision,
  start_after_event_id: Number(route.startAfter),
  consecutive_hard_failures: route.failures,
  notification_principal_id: route.keyId,
  notification_pubkey: route.publicKey,
  signing_generation: route.generation,
  // Every message is signed by the one key of its installation.
  bot_mode: 'installation_identity',
  created_at: route.createdAt.toISOString(),
  updated_at: route.updatedAt.toISOString(),
});

const absent = (id: string) =>
  new ServiceError('RESOURCE_NOT_FOUND', { message: 'There is no such route.', details: { channel_route_id: id } });

/** What names one route. */
export interface NamesRoute {
  readonly channel_route_id: string;
}

/** An action on the organization that a route is of. */
export const onRoute = (action: Action) =>
  onOrgOf(action, { find: (id) => ownerStatement.with({ id }), absent }, (input: NamesRoute) => input.channel_route_id);

/** A route of an organization. @throws RESOURCE_NOT_FOUND */
export async function findRoute(rows: Rows, orgId: string, id: string): Promise<ChannelRoute> {
  const [found] = await rows(findStatement.with({ id, orgId }));
  if (found === undefined) throw absent(id);
  return found;
}

/**
 * As {@link findRoute}, held until the change is committed.
 *
 * @throws RESOURCE_NOT_FOUND, CHANNEL_ROUTE_REVOKED
 */
export async function lockRoute(rows: Rows, orgId: string, id: string): Promise<ChannelRoute> {
  const [found] = await rows(lockStatement.with({ id, orgId }));
  if (found === undefined) throw absent(id);
  if (found.status === 'revoked')
    throw new ServiceError('CHANNEL_ROUTE_REVOKED', { details: { channel_route_id: id } });
  return found;
}

const ownerStatement = statement(
  'channels.owner-of-route',
  { params: pick(channelRoutes, 'id'), row: pick(channelRoutes, 'orgId') },
  ({ id }, row) => sql`select ${row} from ${channelRoutes} where ${channelRoutes.id} = ${id}`,
);

const ofOrg = pick(channelRoutes, 'id', 'orgId');

const findStatement = statement(
  'channels.find-route',
  { params: ofOrg, row: routeColumns },
  ({ id, orgId }, row) => sql`select ${row} from ${channelRoutes}
    where ${channelRoutes.id} = ${id} and ${channelRoutes.orgId} = ${orgId}`,
);

const lockStatement = statement(
  'channels.lock-route',
  { params: ofOrg, row: routeColumns },
  ({ id, orgId }, row) => sql`select ${row} from ${channelRoutes}
    where ${channelRoutes.id} = ${id} and ${channelRoutes.orgId} = ${orgId} for update`,
);
