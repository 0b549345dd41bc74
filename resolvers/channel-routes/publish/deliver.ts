import { sql } from '../../../db/drizzle.ts';
import { type ChannelDeliveryState, channelDeliveries, channelRoutes } from '../../../db/schema/channel-routes.ts';
import { pick, setOf, statement, typed } from '../../../db/sql.ts';
import { RelayError } from '../../../engines/relay/relay-client.ts';
import type { LeasedItem } from '../../../kernel/durability/leased-statements.ts';
import { unitOfWork, type Work } from '../../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../../kernel/feeds/append-event.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { channelEvents } from '../event-types.ts';
import { pause } from '../pause-route.ts';
import { routeColumns } from '../route.ts';
import { findKey, openKey } from '../signing-keys.ts';
import { type HeldDelivery, type HeldRoute, heldBy } from './held.ts';
import { envelopeOf } from './sign.ts';

/** Pauses after attempts that failed, in seconds; the last one comes again. Contract 02, section 5.7. */
const pauses = [60, 300, 1_800, 7_200, 43_200];

/** Attempts of one delivery. */
const attemptsMax = 8;

/** After so many attempts one after the other that were refused, or were the last, a route is paused. */
const failuresMax = 10;

/** How an attempt went. */
type Outcome =
  | { readonly state: 'delivered' }
  | { readonly state: 'suppressed'; readonly reason: 'project_left_organization' | 'project_deleted' }
  | { readonly state: 'failed'; readonly error: string; readonly isRefusal: boolean }
  /** The node stops: nobody is at fault, and it does not count. */
  | { readonly state: 'interrupted' };

/**
 * Sends what is due on a route that this node has, and writes how that went under the lease: a node that has lost it writes
 * nothing, and whoever has it now sends the same once more.
 *
 * @returns whether the node still has the route, and it still tells of events
 */
export async function deliver(
  ctx: Context,
  route: HeldRoute,
  delivery: HeldDelivery,
  held: LeasedItem,
): Promise<boolean> {
  const outcome = await attempt(ctx, route, delivery);
  if (outcome.state === 'interrupted') return false;
  return unitOfWork(ctx, async (work) => {
    const [locked] = await work.rows(lockStatement.with({ id: held.id, lease: held.lease }));
    if (locked === undefined) return false;
    const { isLast, isHard } = await settle(work, delivery, outcome);
    const counts = outcome.state === 'delivered' ? 0 : isHard || isLast ? locked.failures + 1 : locked.failures;
    if (counts !== locked.failures) await work.rows(countStatement.with({ id: locked.id, failures: counts }));
    if (locked.status !== 'active') return false;
    if (counts < failuresMax) return true;
    await pause(work, locked, 'delivery_failures');
    work.append(
      appendEvent({
        orgId: locked.orgId,
        projectId: null,
        type: channelEvents.channel_route_auto_paused,
        payload: {
          route_id: locked.id,
          route_name: locked.name,
          consecutive_hard_failures: counts,
          pause_reason: 'delivery_failures',
        },
      }),
    );
    return false;
  });
}

async function attempt(ctx: Context, route: HeldRoute, delivery: HeldDelivery): Promise<Outcome> {
  const { services, signal } = ctx;
  if (delivery.projectId !== null) {
    if (delivery.isProjectDeleted) return { state: 'suppressed', reason: 'project_deleted' };
    if (delivery.isProjectElsewhere) return { state: 'suppressed', reason: 'project_left_organization' };
  }
  const [key] = await services.db.rows(findKey.with({ id: route.keyId }));
  const secret = key === undefined ? undefined : openKey(services, key);
  if (secret === undefined)
    return { state: 'failed', error: 'The key that messages are signed with cannot be used.', isRefusal: false };
  const envelope = await envelopeOf(services, route, delivery, { secret, generation: key!.generation });
  try {
    await services.relays.publish(route.relayUrl, envelope, { secret, signal });
    return { state: 'delivered' };
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    if (signal.aborted) return { state: 'interrupted' };
    return { state: 'failed', error: error.message, isRefusal: error.isRefusal };
  }
}

async function settle(
  work: Work,
  { id, attempts: before, isLate }: HeldDelivery,
  outcome: Exclude<Outcome, { state: 'interrupted' }>,
) {
  const isTried = outcome.state !== 'suppressed';
  const attempts = before + (isTried ? 1 : 0);
  const isLast = outcome.state === 'failed' && (attempts >= attemptsMax || isLate);
  const status: ChannelDeliveryState =
    outcome.state === 'failed' ? (isLast ? 'dead_letter' : 'retryable') : outcome.state;
  await work.rows(
    settleStatement.with({
      id,
      status,
      attempts,
      lastError: outcome.state === 'failed' ? outcome.error : null,
      suppressedReason: outcome.state === 'suppressed' ? outcome.reason : null,
      seconds: status === 'retryable' ? (pauses[attempts - 1] ?? pauses.at(-1)!) : null,
    }),
  );
  return { isLast, isHard: outcome.state === 'failed' && outcome.isRefusal };
}

const lockStatement = statement(
  'channels.lock-held-route',
  { params: heldBy, row: routeColumns },
  ({ id, lease }, row) => sql`select ${row} from ${channelRoutes}
    where ${channelRoutes.id} = ${id} and ${channelRoutes.lease} = ${lease} for update`,
);

// One that was cancelled meanwhile stays so.
const settleStatement = statement(
  'channels.settle',
  {
    params: {
      ...pick(channelDeliveries, 'id', 'attempts', 'lastError', 'suppressedReason'),
      status: typed<ChannelDeliveryState>('text'),
      seconds: typed<number | null>('double precision'),
    },
  },
  ({ id, status, attempts, lastError, suppressedReason, seconds }) => sql`update ${channelDeliveries}
    ${setOf(channelDeliveries, {
      status,
      attempts,
      lastError,
      suppressedReason,
      nextAttemptAt: sql`now() + make_interval(secs => ${seconds})`,
      deliveredAt: sql`case when ${status} = 'delivered' then now() end`,
      terminalAt: sql`case when ${status} <> 'retryable' then now() end`,
    })} where ${channelDeliveries.id} = ${id} and ${channelDeliveries.nextAttemptAt} is not null`,
);

const countStatement = statement(
  'channels.count-failures',
  { params: pick(channelRoutes, 'id', 'failures') },
  ({ id, failures }) =>
    sql`update ${channelRoutes} ${setOf(channelRoutes, { failures })} where ${channelRoutes.id} = ${id}`,
);
