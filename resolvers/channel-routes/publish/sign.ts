import { sql } from '../../../db/drizzle.ts';
import { channelDeliveries } from '../../../db/schema/channel-routes.ts';
import { pick, setOf, statement } from '../../../db/sql.ts';
import type { Envelope } from '../../../engines/relay/relay-client.ts';
import { signEvent } from '../../../engines/relay/signed-event.ts';
import type { Services } from '../../../kernel/run/context.ts';
import type { ChannelKey } from '../signing-keys.ts';
import type { HeldDelivery, HeldRoute } from './held.ts';
import { messageOf, projectionHash } from './message.ts';

/**
 * What is sent of a delivery. It is signed once and kept before it is sent, so that whoever sends it again, after whatever has
 * happened, sends the very same bytes: the relay knows them by their id.
 */
export async function envelopeOf(
  { db, now }: Services,
  route: HeldRoute,
  delivery: HeldDelivery,
  key: { readonly secret: Buffer } & Pick<ChannelKey, 'generation'>,
): Promise<Envelope> {
  const { envelope: text, envelopeEventId: id } = delivery;
  if (text !== null && id !== null) return { id, text };
  const rootId = delivery.threadRootId;
  const [root] = rootId === null ? [] : await db.rows(envelopeStatement.with({ id: rootId }));
  const unsigned = messageOf(route, delivery, root?.envelopeEventId ?? null, now());
  const event = signEvent(key.secret, unsigned);
  await db.rows(
    keepStatement.with({
      id: delivery.id,
      envelope: JSON.stringify(event),
      envelopeEventId: event.id,
      projectionHash: projectionHash(unsigned),
      signingGeneration: key.generation,
    }),
  );
  // As it is kept: another node may have been faster.
  const [kept] = await db.rows(envelopeStatement.with({ id: delivery.id }));
  return { id: kept!.envelopeEventId!, text: kept!.envelope! };
}

const keepStatement = statement(
  'channels.keep-envelope',
  { params: pick(channelDeliveries, 'id', 'envelope', 'envelopeEventId', 'projectionHash', 'signingGeneration') },
  ({ id, ...given }) => sql`update ${channelDeliveries} ${setOf(channelDeliveries, given)}
    where ${channelDeliveries.id} = ${id} and ${channelDeliveries.envelope} is null`,
);

const envelopeStatement = statement(
  'channels.envelope',
  { params: pick(channelDeliveries, 'id'), row: pick(channelDeliveries, 'envelope', 'envelopeEventId') },
  ({ id }, row) => sql`select ${row} from ${channelDeliveries} where ${channelDeliveries.id} = ${id}`,
);
