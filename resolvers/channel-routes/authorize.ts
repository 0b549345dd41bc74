import { sql } from '../../db/drizzle.ts';
import { channelCommunities, channelKeys, channelRoutes } from '../../db/schema/channel-routes.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import { RelayError } from '../../engines/relay/relay-client.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../kernel/run/context.ts';
import { type Members, membersOf } from './membership.ts';
import type { ChannelRoute } from './route.ts';
import { type ChannelKey, findKey, keyOf, openKey } from './signing-keys.ts';

/**
 * Asks the relay of a route who the members of channels are, where that decides anything: whether the route may begin, and
 * whether the next key may sign.
 *
 * @returns undefined where nothing waits for it, and where the relay could not be asked
 */
export async function lookAtMembers(
  { services, signal }: Pick<Context, 'services' | 'signal'>,
  routeId: string,
): Promise<Members | undefined> {
  const { rows } = services.db;
  const [route] = await rows(askedStatement.with({ id: routeId }));
  if (route === undefined || route.relayUrl === null) return undefined;
  const [key] = await rows(findKey.with({ id: route.keyId }));
  const isPending = route.status === 'pending_authorization';
  if (key === undefined || (!isPending && key.nextPublicKey === null)) return undefined;
  const authorized = key.nextPublicKey === null ? [] : await rows(channelsStatement.with(route));
  const channelIds = [...new Set([route.channelId, ...authorized.map(({ channelId }) => channelId)])];
  const { relayUrl, subject } = route;
  try {
    return await membersOf(services, { relayUrl, subject, channelIds, secret: openKey(services, key), signal });
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    return undefined;
  }
}

/** Draws the conclusions of {@link lookAtMembers} for a route whose row the caller holds. */
export async function noteMembers(
  work: Work,
  route: Pick<ChannelRoute, 'id' | 'communityId' | 'channelId'>,
  members: Members,
): Promise<void> {
  const known = await keyOf(work.rows, route.communityId);
  if (known === undefined) return;
  const key = await turnOver(work, known, members);
  if (members.get(route.channelId)?.has(key.publicKey) !== true) return;
  const [activated] = await work.rows(activateStatement.with({ id: route.id }));
  if (activated !== undefined) await work.rows(authorizedStatement.with({ id: key.id }));
}

/** Has the next key sign once it is a member of every channel that the present one may write to. */
async function turnOver(work: Work, key: ChannelKey, members: Members): Promise<ChannelKey> {
  const next = key.nextPublicKey;
  if (next === null) return key;
  const channels = await work.rows(channelsStatement.with(key));
  if (channels.length === 0 || !channels.every(({ channelId }) => members.get(channelId)?.has(next) === true))
    return key;
  const [turned] = await work.rows(turnStatement.with({ id: key.id }));
  return { ...key, ...turned! };
}

const askedRow = {
  ...pick(channelRoutes, 'id', 'communityId', 'keyId', 'channelId', 'status'),
  ...pick(channelCommunities, 'relayUrl', 'subject'),
};

const askedStatement = statement(
  'channels.route-to-ask',
  { params: pick(channelRoutes, 'id'), row: askedRow },
  ({ id }, row) => sql`select ${row} from ${channelRoutes}
    join ${channelCommunities} on ${channelCommunities.id} = ${channelRoutes.communityId}
    where ${channelRoutes.id} = ${id} and ${channelRoutes.status} <> 'revoked'`,
);

/** Channels that the key of a community may write to. */
const channelsStatement = statement(
  'channels.authorized-channels',
  { params: pick(channelRoutes, 'communityId'), row: pick(channelRoutes, 'channelId') },
  ({ communityId }, row) => sql`select distinct ${row} from ${channelRoutes}
    where ${channelRoutes.communityId} = ${communityId} and ${channelRoutes.status} in ('active', 'paused')
      and coalesce(${channelRoutes.resumesAs}, 'active') = 'active'`,
);

const activateStatement = statement(
  'channels.activate-route',
  { params: pick(channelRoutes, 'id'), row: pick(channelRoutes, 'id') },
  ({ id }, row) =>
    sql`update ${channelRoutes} ${setOf(channelRoutes, {
      status: sql`'active'`,
      updatedAt: sql`now()`,
    })} where ${channelRoutes.id} = ${id} and ${channelRoutes.status} = 'pending_authorization' returning ${row}`,
);

const authorizedStatement = statement(
  'channels.key-authorized',
  { params: pick(channelKeys, 'id') },
  ({ id }) => sql`update ${channelKeys}
    ${setOf(channelKeys, { authorizedAt: sql`coalesce(${channelKeys.authorizedAt}, now())` })}
    where ${channelKeys.id} = ${id}`,
);

const turnStatement = statement(
  'channels.turn-key',
  {
    params: pick(channelKeys, 'id'),
    row: pick(channelKeys, 'publicKey', 'generation', 'sealed', 'nextPublicKey', 'nextSealed'),
  },
  ({ id }, row) =>
    sql`update ${channelKeys} ${setOf(channelKeys, {
      publicKey: sql`${channelKeys.nextPublicKey}`,
      sealed: sql`${channelKeys.nextSealed}`,
      generation: sql`${channelKeys.generation} + 1`,
      nextPublicKey: sql`null`,
      nextSealed: sql`null`,
    })} where ${channelKeys.id} = ${id} and ${channelKeys.nextSealed} is not null returning ${row}`,
);
