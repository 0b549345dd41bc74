import type { Context } from '../../kernel/run/context.ts';
import type { RowCaller } from '../../resolvers/rows/authenticate-rows.ts';
import type { LiveEvent } from '../../subscriptions/live/follow-live.ts';
import { followTable } from '../../subscriptions/live/follow-table.ts';

/** What the resolvers of subscriptions are given. */
export interface SubscribingContext {
  readonly ctx: Context;
  readonly caller: RowCaller;
}

/** Follows a live table for a request. @throws TABLE_NOT_LIVE, AUTH_REQUIRED, LIVE_CONNECTION_LIMIT */
export function subscribeTo(request: unknown, table: string, after: string | undefined): AsyncIterable<LiveEvent> {
  const { ctx, caller } = request as SubscribingContext;
  return followTable(ctx, caller, { table, after });
}
