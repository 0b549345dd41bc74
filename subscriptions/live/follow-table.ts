import type { Context } from '../../kernel/run/context.ts';
import type { LiveIdentity } from '../../resolvers/live/live-hub.ts';
import type { RowCaller } from '../../resolvers/rows/authenticate-rows.ts';
import { followLive, type LiveEvent } from './follow-live.ts';

export interface FollowTableOptions {
  readonly table: string;
  /** Cursor to resume from. @default what comes from now on */
  readonly after?: string | undefined;
}

/** Hints of one table for a caller that reads its rows, for as long as it may. See {@link followLive}. */
export const followTable = (
  { services, signal }: Context,
  caller: RowCaller,
  { table, after }: FollowTableOptions,
): AsyncGenerator<LiveEvent, void, undefined> =>
  followLive(services, {
    target: caller.target,
    identity: identityOf(caller),
    tables: [table],
    cursor: after,
    counted: true,
    signal,
  });

/** Admins of a project are users of it: they follow what they own, and no more. */
function identityOf({ role, claims, ending }: RowCaller): LiveIdentity {
  if (role === 'service_role') return { kind: 'service', ...ending };
  const { sub, session_id: sessionId, exp } = claims as { sub?: string; session_id?: string; exp?: number };
  if (sub === undefined || sessionId === undefined) return { kind: 'anon', ...ending };
  return { kind: 'user', userId: sub, sessionId, ...(exp === undefined ? {} : { expiresAt: new Date(exp * 1000) }) };
}
