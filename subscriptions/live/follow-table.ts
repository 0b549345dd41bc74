import { ServiceError } from '../../core/errors.ts';
import type { Context } from '../../resolvers/context.ts';
import type { LiveIdentity } from '../../resolvers/live/live-hub.ts';
import type { RowCaller } from '../../resolvers/rows/open-door.ts';
import { followLive, type LiveEvent } from './follow-live.ts';

export interface FollowTableOptions {
  readonly table: string;
  /** Cursor to resume from. @default what comes from now on */
  readonly after?: string | undefined;
}

/** Hints of one table for whoever reads its rows, for as long as it may. Its generator ends at once when it is told to. */
export function followTable(
  ctx: Context,
  caller: RowCaller,
  { table, after }: FollowTableOptions,
): AsyncGenerator<LiveEvent, void, undefined> {
  const events = followLive(ctx.services, {
    target: caller.target,
    identity: identityOf(caller),
    tables: [table],
    cursor: after,
    counted: true,
    signal: ctx.signal,
  });
  const told = untilEnd(events);
  const finish = told.return.bind(told);
  told.return = async (value) => {
    await events.return();
    return finish(value);
  };
  return told;
}

/** @throws INVALID_AUTH, PROJECT_NOT_FOUND when the right to go on has ended */
async function* untilEnd(events: AsyncIterable<LiveEvent>): AsyncGenerator<LiveEvent, void, undefined> {
  for await (const event of events) {
    if (event.kind !== 'end') yield event;
    else if (event.reason === 'session_ended')
      throw new ServiceError('INVALID_AUTH', { details: { reason: 'session_ended' } });
    else if (event.reason === 'project_gone') throw new ServiceError('PROJECT_NOT_FOUND');
  }
}

/** Admins of a project are users of it: what they own is theirs, and no more is. */
function identityOf({ role, claims }: RowCaller): LiveIdentity {
  if (role === 'service_role') return { kind: 'service' };
  const { sub, session_id: sessionId, exp } = claims as { sub?: string; session_id?: string; exp?: number };
  if (sub === undefined || sessionId === undefined) return { kind: 'anon' };
  return { kind: 'user', userId: sub, sessionId, ...(exp === undefined ? {} : { expiresAt: new Date(exp * 1000) }) };
}
