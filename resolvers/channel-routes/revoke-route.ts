import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { channelDeliveries, channelRoutes } from '../../db/schema/channel-routes.ts';
import { computed, pick, setOf, statement } from '../../db/sql.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockOrgFor } from '../orgs/shared/lock-org.ts';
import { channelActions } from './actions.ts';
import {
  type ChannelRoute,
  ChannelRouteWire,
  lockRoute,
  onRoute,
  routeColumns,
  routeId,
  routeToWire,
} from './route.ts';
import { destroyKey } from './signing-keys.ts';

interface Revoked {
  readonly route: ChannelRoute;
  /** Whether it was the last one that was signed with its key. */
  readonly isKeyDestroyed: boolean;
}

/** `DELETE /channel-routes/v1/:channel_route_id`. Contract 02, section 5.7. */
export const revokeRoute = mutation({
  name: 'channelRoutes.revoke',
  command: 'channel-route revoke',
  effects: ['destructive'],
  summary: 'Tell a channel nothing any more, for good. What was told can still be read.',
  access: onRoute(channelActions['channel:routes:write']),
  stepUp: 'channel.route',
  idempotency: 'required',
  reusedKeyCode: 'CHANNEL_IDEMPOTENCY_CONFLICT',
  path: 'DELETE /channel-routes/v1/:channel_route_id',
  input: z.object({ channel_route_id: routeId }),
  async handler(work, { channel_route_id: id }): Promise<Revoked> {
    const { id: owner } = await lockOrgFor(work, work.org.id, channelActions['channel:routes:write']);
    return revoke(work, await lockRoute(work.rows, owner, id));
  },
  audit: ({ route: { id, name }, isKeyDestroyed }) => ({
    action: 'channel_route.revoked',
    object: { kind: 'channel_route', id },
    details: { route_name: name, notification_credential_destroyed: isKeyDestroyed },
  }),
  wire: ChannelRouteWire.extend({ notification_credential_destroyed: z.boolean() }),
  toWire: ({ route, isKeyDestroyed }) => ({
    ...routeToWire(route),
    notification_credential_destroyed: isKeyDestroyed,
  }),
});

/** Ends a route whose organization the caller has locked: so no other one of its community begins or ends meanwhile. */
export async function revoke(
  work: Work,
  { id, communityId }: Pick<ChannelRoute, 'id' | 'communityId'>,
): Promise<Revoked> {
  const [route] = await work.rows(revokeStatement.with({ id }));
  await work.rows(cancelStatement.with({ routeId: id }));
  const [living] = await work.rows(livingStatement.with({ communityId }));
  const destroyed = living!.count > 0 ? [] : await work.rows(destroyKey.with({ communityId }));
  return { route: route!, isKeyDestroyed: destroyed.length > 0 };
}

const revokeStatement = statement(
  'channels.revoke-route',
  { params: pick(channelRoutes, 'id'), row: routeColumns },
  ({ id }, row) =>
    sql`update ${channelRoutes} ${setOf(channelRoutes, {
      status: sql`'revoked'`,
      pauseReason: sql`null`,
      resumesAs: sql`null`,
      revokedAt: sql`now()`,
      dueAt: sql`null`,
      lease: sql`null`,
      revision: sql`${channelRoutes.revision} + 1`,
      updatedAt: sql`now()`,
    })} where ${channelRoutes.id} = ${id} returning ${row}`,
);

const cancelStatement = statement(
  'channels.cancel',
  { params: pick(channelDeliveries, 'routeId') },
  ({ routeId: route }) => sql`update ${channelDeliveries}
    ${setOf(channelDeliveries, { status: sql`'cancelled'`, nextAttemptAt: sql`null`, terminalAt: sql`now()` })}
    where ${channelDeliveries.routeId} = ${route} and ${channelDeliveries.nextAttemptAt} is not null`,
);

const livingStatement = statement(
  'channels.living-routes',
  { params: pick(channelRoutes, 'communityId'), row: { count: computed<number>('integer', sql`count(*)::int`) } },
  ({ communityId }, row) => sql`select ${row} from ${channelRoutes}
    where ${channelRoutes.communityId} = ${communityId} and ${channelRoutes.status} <> 'revoked'`,
);
