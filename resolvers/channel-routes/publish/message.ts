import { createHash } from 'node:crypto';
import type { UnsignedEvent } from '../../../engines/relay/signed-event.ts';
import { eventTypes } from '../../../kernel/feeds/event-types.ts';
import { eventText, oneLine } from '../../notices/shared/event-text.ts';
import type { HeldDelivery, HeldRoute } from './held.ts';

/** Kind of a message in a group, NIP-29 and NIP-C7. */
const messageKind = 9;

/** Nobody in particular reads a channel. */
const anybody = { locale: 'en-US', timezone: 'UTC' } as const;

/** Events by which the one who is on call is addressed. */
const calling: ReadonlySet<string> = new Set(['error_fingerprints_observed', 'platform_incident']);

/** A message before it is signed. @param rootEventId the message that it answers */
export function messageOf(
  route: HeldRoute,
  delivery: HeldDelivery,
  rootEventId: string | null,
  at: Date,
): UnsignedEvent {
  const onCall = calling.has(delivery.eventType) ? route.onCallPublicKey : null;
  return {
    created_at: Math.floor(at.getTime() / 1_000),
    kind: messageKind,
    tags: [
      ['h', route.channelId],
      ...(rootEventId === null ? [] : [['e', rootEventId, route.relayUrl, 'root']]),
      ...(onCall === null ? [] : [['p', onCall]]),
    ],
    content: textOf(route, delivery, onCall !== null).toWellFormed(),
  };
}

/** Names what a message tells: the same text has the same. */
export const projectionHash = ({ content }: UnsignedEvent): string =>
  createHash('sha256').update(content).digest('hex');

function textOf(route: HeldRoute, delivery: HeldDelivery, isCalled: boolean): string {
  if (delivery.kind === 'test') return `This is a test of the route ${oneLine(route.name)}: its messages arrive here.`;
  const { orgId } = route;
  const { eventType: type, projectId, payload } = delivery;
  const actions = eventTypes.get(type)?.nextActions?.({ orgId, projectId, payload }) ?? [];
  const lines = eventText({ ...delivery, type, orgId }, actions, anybody);
  if (isCalled && route.onCallName !== null) lines.unshift(`@${oneLine(route.onCallName)}`);
  return lines.join('\n');
}
