import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { channelKeys } from '../../db/schema/channel-routes.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockOrgFor } from '../orgs/shared/lock-org.ts';
import { channelActions } from './actions.ts';
import { type ChannelRoute, lockRoute, onRoute, routeId } from './route.ts';
import { type ChannelKey, keyColumns, keyOf, makeKey, requireKey } from './signing-keys.ts';

export interface RotatedKey {
  readonly route: ChannelRoute;
  readonly key: ChannelKey;
}

/** `POST /channel-routes/v1/:channel_route_id/rotate`. Contract 02, section 5.7. */
export const rotateRouteKey = mutation({
  name: 'channelRoutes.rotate',
  command: 'channel-route rotate',
  effects: ['idempotent'],
  summary:
    'Make the next key that messages of the community are signed with. The present one signs until that is a member of every channel.',
  access: onRoute(channelActions['channel:routes:write']),
  stepUp: 'channel.route',
  idempotency: 'required',
  reusedKeyCode: 'CHANNEL_IDEMPOTENCY_CONFLICT',
  lifecycle: 'gated',
  path: 'POST /channel-routes/v1/:channel_route_id/rotate 202',
  input: z.object({ channel_route_id: routeId }),
  async handler(work, { channel_route_id: id }): Promise<RotatedKey> {
    const { id: owner } = await lockOrgFor(work, work.org.id, channelActions['channel:routes:write']);
    const route = await lockRoute(work.rows, owner, id);
    const key = await keyOf(work.rows, route.communityId);
    requireKey(work.services, key);
    // One that waits for its turn is shown again: somebody may have added it already.
    if (key!.nextPublicKey !== null) return { route, key: key! };
    const next = makeKey(work.services, key!.id, key!.generation + 1);
    const [staged] = await work.rows(
      stageStatement.with({ id: key!.id, nextPublicKey: next.publicKey, nextSealed: next.sealed }),
    );
    return { route, key: staged! };
  },
  audit: ({ route: { id }, key: { nextPublicKey, generation } }) => ({
    action: 'channel_route.key_rotated',
    object: { kind: 'channel_route', id },
    details: { next_notification_pubkey: nextPublicKey, next_signing_generation: generation + 1 },
  }),
  wire: z.object({
    channel_route_id: z.string(),
    rotation: z.object({
      status: z.literal('pending_channel_authorization'),
      next_signing_generation: z.int(),
      next_notification_pubkey: z.string(),
      authorize_hint: z.string(),
      verify_path: z.string(),
    }),
  }),
  toWire: ({ route, key }) => ({
    channel_route_id: route.id,
    rotation: {
      status: 'pending_channel_authorization' as const,
      next_signing_generation: key.generation + 1,
      next_notification_pubkey: key.nextPublicKey!,
      authorize_hint: authorizeHint(key.nextPublicKey!),
      verify_path: `/channel-routes/v1/${route.id}/test`,
    },
  }),
});

export const authorizeHint = (nextPublicKey: string): string =>
  `Add ${nextPublicKey} to the members of every channel that the community’s routes lead to. It signs from then on; remove the present key after that.`;

const stageStatement = statement(
  'channels.stage-key',
  { params: pick(channelKeys, 'id', 'nextPublicKey', 'nextSealed'), row: keyColumns },
  ({ id, ...next }, row) => sql`update ${channelKeys} ${setOf(channelKeys, next)} where ${channelKeys.id} = ${id}
    returning ${row}`,
);
