import { z } from 'zod';
import { channelDeliveries, channelDeliveryStates, deliveryKinds } from '../../db/schema/channel-routes.ts';
import { pick, type RowOf } from '../../db/sql.ts';

/** The type that a test goes by. */
export const testType = 'channel_route_test';

export const deliveryColumns = pick(
  channelDeliveries,
  'id',
  'routeId',
  'kind',
  'status',
  'eventType',
  'projectId',
  'position',
  'occurredAt',
  'envelopeEventId',
  'projectionHash',
  'signingGeneration',
  'attempts',
  'nextAttemptAt',
  'lastError',
  'suppressedReason',
  'releaseId',
  'thread',
  'threadRootId',
  'deliveredAt',
  'terminalAt',
  'createdAt',
);

/** What a channel was told, or is to be. */
export type ChannelDelivery = RowOf<typeof deliveryColumns>;

const moment = z.iso.datetime();

/** Contract 02, section 5.7. */
export const ChannelRouteDeliveryWire = z
  .object({
    channel_route_delivery_id: z.string(),
    kind: z.enum(deliveryKinds),
    status: z.enum(channelDeliveryStates),
    event_type: z.string(),
    project_id: z.string().nullable(),
    project_event_id: z.int().nullable(),
    occurred_at: moment,
    envelope_event_id: z.string().nullable(),
    projection_hash: z.string().nullable(),
    signing_generation: z.int().nullable(),
    attempt_count: z.int(),
    next_attempt_at: moment.nullable(),
    last_error: z.string().nullable(),
    suppressed_reason: z.string().nullable(),
    created_at: moment,
    delivered_at: moment.nullable(),
    terminal_at: moment.nullable(),
    release_id: z.string().nullable(),
    thread_root_delivery_id: z.string().nullable(),
    thread_position: z.enum(['root', 'reply']).nullable(),
    signer: z.enum(['installation_identity', 'project_bot']),
  })
  .meta({ id: 'ChannelRouteDelivery' });

/** Where a message stands in its thread; null for one that is in none. */
export const threadPositionOf = ({ thread, threadRootId }: Pick<ChannelDelivery, 'thread' | 'threadRootId'>) =>
  thread === null ? null : threadRootId === null ? ('root' as const) : ('reply' as const);

export const deliveryToWire = (one: ChannelDelivery): z.output<typeof ChannelRouteDeliveryWire> => ({
  channel_route_delivery_id: one.id,
  kind: one.kind,
  status: one.status,
  event_type: one.eventType,
  project_id: one.projectId,
  project_event_id: one.position === null ? null : Number(one.position),
  occurred_at: one.occurredAt.toISOString(),
  envelope_event_id: one.envelopeEventId,
  projection_hash: one.projectionHash,
  signing_generation: one.signingGeneration,
  attempt_count: one.attempts,
  next_attempt_at: one.nextAttemptAt?.toISOString() ?? null,
  last_error: one.lastError,
  suppressed_reason: one.suppressedReason,
  created_at: one.createdAt.toISOString(),
  delivered_at: one.deliveredAt?.toISOString() ?? null,
  terminal_at: one.terminalAt?.toISOString() ?? null,
  release_id: one.releaseId,
  thread_root_delivery_id: one.threadRootId,
  thread_position: threadPositionOf(one),
  signer: 'installation_identity',
});
