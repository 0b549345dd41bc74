import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { channelKeys } from '../../db/schema/channel-routes.ts';
import { insertInto, pick, type RowOf, setOf, statement } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
import { newKey } from '../../engines/relay/signed-event.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import type { Services } from '../../kernel/run/context.ts';

export const keyColumns = pick(
  channelKeys,
  'id',
  'communityId',
  'publicKey',
  'generation',
  'sealed',
  'nextPublicKey',
  'nextSealed',
  'authorizedAt',
);

/** The key that the messages of a community's routes are signed with. */
export type ChannelKey = RowOf<typeof keyColumns>;

const contextOf = (keyId: string, generation: number): string => `${keyId}:${generation}`;

/** A new key, sealed for one row and generation. */
export function makeKey({ keys }: Pick<Services, 'keys'>, keyId: string, generation: number) {
  const { secret, publicKey } = newKey();
  return { publicKey, sealed: keys.seal('channel-keys', secret, contextOf(keyId, generation)) };
}

/** The secret key of a generation; undefined where it was destroyed, or sealed under a root secret that is gone. */
export function openKey(
  { keys }: Pick<Services, 'keys'>,
  { id, sealed, generation }: Pick<ChannelKey, 'id' | 'sealed' | 'generation'>,
): Buffer | undefined {
  if (sealed === null) return undefined;
  try {
    return keys.open('channel-keys', sealed, contextOf(id, generation));
  } catch {
    return undefined;
  }
}

/** @throws CHANNEL_NOTIFICATION_SIGNING_UNAVAILABLE */
export function requireKey(services: Pick<Services, 'keys'>, key: ChannelKey | undefined): Buffer {
  const secret = key === undefined ? undefined : openKey(services, key);
  if (secret === undefined) throw new ServiceError('CHANNEL_NOTIFICATION_SIGNING_UNAVAILABLE');
  return secret;
}

/** The living key of a community, made where there is none. */
export async function findOrMakeKey(work: Work, orgId: string, communityId: string): Promise<ChannelKey> {
  const known = await keyOf(work.rows, communityId);
  if (known !== undefined) return known;
  const id = work.services.newId('chnp');
  const [made] = await work.rows(insertStatement.with({ id, orgId, communityId, ...makeKey(work.services, id, 1) }));
  return made!;
}

/** The living key of a community, held until the change is committed; undefined when there is none. */
export async function keyOf(rows: Rows, communityId: string): Promise<ChannelKey | undefined> {
  const [found] = await rows(keyOfStatement.with({ communityId }));
  return found;
}

export const findKey = statement(
  'channels.find-key',
  { params: pick(channelKeys, 'id'), row: keyColumns },
  ({ id }, row) => sql`select ${row} from ${channelKeys} where ${channelKeys.id} = ${id}`,
);

const keyOfStatement = statement(
  'channels.key-of-community',
  { params: pick(channelKeys, 'communityId'), row: keyColumns },
  ({ communityId }, row) => sql`select ${row} from ${channelKeys}
    where ${channelKeys.communityId} = ${communityId} and ${channelKeys.sealed} is not null for no key update`,
);

const insertStatement = statement(
  'channels.insert-key',
  { params: pick(channelKeys, 'id', 'orgId', 'communityId', 'publicKey', 'sealed'), row: keyColumns },
  (given, row) => sql`${insertInto(channelKeys, given)} returning ${row}`,
);

/** Destroys the living key of a community. */
export const destroyKey = statement(
  'channels.destroy-key',
  { params: pick(channelKeys, 'communityId'), row: pick(channelKeys, 'id') },
  ({ communityId }, row) => sql`update ${channelKeys}
    ${setOf(channelKeys, { sealed: sql`null`, nextSealed: sql`null`, nextPublicKey: sql`null` })}
    where ${channelKeys.communityId} = ${communityId} and ${channelKeys.sealed} is not null returning ${row}`,
);
