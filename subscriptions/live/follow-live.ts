import { ServiceError } from '../../core/errors.ts';
import type { Services } from '../../kernel/run/context.ts';
import { sessionOver, tokenExpired } from '../../resolvers/auth/session-over.ts';
import type { LiveEnd, LiveHint, LiveRequest, LiveResync, LiveSubscription } from '../../resolvers/live/live-hub.ts';
import { stoppable } from '../stoppable.ts';
import { sizeOf } from './published-hints.ts';

/** One message to a follower. */
export type LiveEvent =
  | { readonly kind: 'ready'; readonly cursor: string; readonly tables: readonly string[] }
  | { readonly kind: 'hint'; readonly hint: LiveHint }
  | { readonly kind: 'resync'; readonly resync: LiveResync };

type Ended = { readonly kind: 'end'; readonly reason: LiveEnd; readonly cursor: string };

/** Resumes after an event. */
export const cursorOf = (event: LiveEvent): string =>
  event.kind === 'hint' ? event.hint.cursor : event.kind === 'resync' ? event.resync.cursor : event.cursor;

/** What waits for a slow follower at most, in bytes; then it is read again from where it is. */
const waitingSizeMax = 1_048_576;

export interface FollowLiveOptions extends LiveRequest {
  /** Ends the generator, quietly. */
  readonly signal: AbortSignal;
}

/**
 * A project's hints for one identity: what a cursor has missed, then what comes. Resuming from any event's cursor leaves
 * no gap and no repeat. The first event is `ready`, after a `resync` where the cursor could not be used. When the manifest
 * has changed it goes on, or throws why it may not; it ends without an error by the signal alone.
 *
 * @throws TABLE_NOT_LIVE, AUTH_REQUIRED, LIVE_CONNECTION_LIMIT, UPSTREAM_UNAVAILABLE; INVALID_AUTH, PROJECT_NOT_FOUND
 * when the right to go on has ended
 */
export const followLive = (
  services: Pick<Services, 'live'>,
  { signal, ...request }: FollowLiveOptions,
): AsyncGenerator<LiveEvent, void, undefined> => stoppable(signal, (either) => follow(services, request, either));

async function* follow(
  { live }: Pick<Services, 'live'>,
  request: LiveRequest,
  signal: AbortSignal,
): AsyncGenerator<LiveEvent, void, undefined> {
  let { cursor } = request;
  for (let again = false; ; again = true) {
    const subscription = await live.open({ ...request, cursor });
    try {
      if (subscription.resync !== undefined) yield { kind: 'resync', resync: subscription.resync };
      if (!again) yield { kind: 'ready', cursor: subscription.cursor, tables: request.tables };
      for await (const event of eventsOf(subscription, signal)) {
        if (event.kind === 'end') {
          // Whether it may go on, and from where, is found out by opening it again.
          if (event.reason !== 'manifest_changed' && event.reason !== 'too_slow') throw refusalOf(event.reason);
          ({ cursor } = event);
          break;
        }
        yield event;
        cursor = cursorOf(event);
      }
    } finally {
      subscription.close();
    }
    if (signal.aborted) return;
  }
}

/** The last message to a follower. */
function refusalOf(reason: Exclude<LiveEnd, 'manifest_changed' | 'too_slow'>): ServiceError {
  if (reason === 'session_ended') return sessionOver();
  if (reason === 'credential_ended') return new ServiceError('PROJECT_CREDENTIAL_INVALID');
  if (reason === 'token_expired') return tokenExpired();
  if (reason === 'project_gone') return new ServiceError('PROJECT_NOT_FOUND');
  return new ServiceError('UPSTREAM_UNAVAILABLE', { retryAfter: 1 });
}

/** Events until the follower has fallen too far behind, or the signal is aborted. */
async function* eventsOf(subscription: LiveSubscription, signal: AbortSignal): AsyncGenerator<LiveEvent | Ended> {
  let waiting: (LiveEvent | Ended)[] = [];
  let size = 0;
  let overflown = false;
  let wake: (() => void) | undefined;
  const put = (event: LiveEvent | Ended) => {
    waiting.push(event);
    wake?.();
  };
  const onAbort = () => wake?.();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    subscription.start({
      hints: ({ hints }) => {
        if (overflown) return;
        for (const hint of hints) put({ kind: 'hint', hint });
        size += sizeOf(hints);
        if (size <= waitingSizeMax) return;
        overflown = true;
        subscription.close();
      },
      resync: (resync) => put({ kind: 'resync', resync }),
      end: (reason) => put({ kind: 'end', reason, cursor: subscription.cursor }),
    });
    while (!signal.aborted) {
      const due = waiting;
      waiting = [];
      size = 0;
      yield* due;
      if (waiting.length > 0) continue;
      if (overflown) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (signal.aborted || waiting.length > 0) resolve();
      });
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
