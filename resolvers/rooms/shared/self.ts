import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { type Presence, roomPresences } from '../../../db/schema/rooms.ts';
import { pick, statement } from '../../../db/sql.ts';
import type { RoomScope } from '../../../kernel/access/access.ts';
import { isPrincipal } from '../../../kernel/access/caller.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { look, touch } from './presence.ts';

/** How a call says which of its principal's presences is meant. */
export interface SelfRequest {
  readonly presence_id?: string | undefined;
  readonly session_key?: string | undefined;
}

/**
 * Who "me" is: the live presence that a call names by its id or its session. None is registered for it.
 *
 * @param rows where to ask: a transaction, or the database
 * @param leavesTrace whether it counts as activity; without it nothing is written
 * @throws VALIDATION_FAILED (422) when nobody is named; RESOURCE_NOT_FOUND, FORBIDDEN or PRESENCE_EXPIRED for one who cannot be it
 */
export async function resolveSelf(
  ctx: Context & RoomScope,
  rows: Work['rows'],
  { presence_id, session_key }: SelfRequest,
  leavesTrace: boolean,
): Promise<Presence> {
  const caller = await ctx.caller();
  if (!isPrincipal(caller)) throw nobodyNamed('a key has no presence');
  const principalId = caller.principal.id;
  const id = presence_id ?? (await ofSession(ctx, rows, principalId, session_key));
  return leavesTrace ? touch(ctx, rows, principalId, id) : look(ctx, rows, principalId, id);
}

async function ofSession(ctx: RoomScope, rows: Work['rows'], principalId: string, key: string | undefined) {
  if (key === undefined) throw nobodyNamed('names the presence that "me" is, or a session_key does');
  const [found] = await rows(
    sessionStatement.with({ orgId: ctx.org.id, roomKey: ctx.room.key, principalId, sessionKey: key }),
  );
  if (found === undefined) throw nobodyNamed('the session has no presence in this room', 'session_key');
  return found.id;
}

/** The refusal of a call that needs to know who speaks. Contract 02, section 8.3: a status of its own. */
export const nobodyNamed = (reason: string, field = 'presence_id') =>
  new ServiceError('VALIDATION_FAILED', { status: 422, message: `${field}: ${reason}`, details: { field, reason } });

const sessionStatement = statement(
  'presences.of-session',
  { params: pick(roomPresences, 'orgId', 'roomKey', 'principalId', 'sessionKey'), row: pick(roomPresences, 'id') },
  ({ orgId, roomKey, principalId, sessionKey }, row) => sql`select ${row} from ${roomPresences}
    where ${roomPresences.orgId} = ${orgId} and ${roomPresences.roomKey} = ${roomKey}
      and ${roomPresences.principalId} = ${principalId} and ${roomPresences.sessionKey} = ${sessionKey}`,
);
