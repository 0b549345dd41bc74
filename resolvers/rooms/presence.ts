import { ServiceError } from '../../core/errors.ts';
import { checked } from '../../db/checked.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { Statement } from '../../db/pool.ts';
import { type Presence, roomPresences } from '../../db/schema/rooms.ts';
import type { RoomScope } from '../access.ts';
import { isPrincipal } from '../caller.ts';
import type { Context } from '../context.ts';
import { twoWords } from '../two-words.ts';
import type { Work } from '../unit-of-work.ts';

/** How long a presence lives after its last call, in seconds. Contract 02, section 2.3. */
export const presenceSeconds = 3600;

export interface PresenceRequest {
  readonly requested_name?: string | undefined;
  readonly task?: string | undefined;
  readonly program?: string | undefined;
  readonly model?: string | undefined;
  readonly session_key?: string | undefined;
}

/** A presence and how the call came by it. */
export interface Arrival {
  readonly presence: Presence;
  /** `found`: named by its id; `resumed`: by its session key; `registered`: made by this call. */
  readonly how: 'found' | 'resumed' | 'registered';
  readonly requestedName: string | undefined;
}

/** The speaker of a call: the presence it names, else the session it resumes, else a new one. Contract 02, 2.4. */
export async function resolveSpeaker(
  work: Work & RoomScope,
  request: PresenceRequest & { readonly presence_id?: string | undefined },
): Promise<Arrival> {
  if (request.presence_id === undefined) return join(work, request);
  const presence = await touch(work, work.rows, await principalOf(work), request.presence_id);
  return { presence, how: 'found', requestedName: undefined };
}

/** Registers a presence, or resumes the one with the same session key. */
export async function join(work: Work & RoomScope, request: PresenceRequest): Promise<Arrival> {
  const principalId = await principalOf(work);
  const resumed = await resume(work, principalId, request);
  if (resumed !== undefined) return { presence: resumed, how: 'resumed', requestedName: undefined };
  return register(work, principalId, request);
}

async function resume(
  work: Work & RoomScope,
  principalId: string,
  { session_key, task, program, model }: PresenceRequest,
): Promise<Presence | undefined> {
  if (session_key === undefined) return undefined;
  const shown = [task ?? null, program ?? null, model ?? null];
  const values = [work.org.id, work.room.key, principalId, session_key, ...shown, presenceSeconds];
  const [presence] = await work.rows<Presence>(resumeStatement, values);
  return presence;
}

async function principalOf(work: Work): Promise<string> {
  const caller = await work.caller();
  // Only principals are admitted to `room:write`.
  if (!isPrincipal(caller)) throw new ServiceError('FORBIDDEN');
  return caller.principal.id;
}

/** Marks a presence of the caller as active. The update also lines up sends of one presence one after the other. */
async function touch({ org, room }: RoomScope, rows: Work['rows'], principalId: string, id: string): Promise<Presence> {
  const [presence] = await rows<Presence>(touchStatement, [org.id, room.key, id, principalId, presenceSeconds]);
  if (presence !== undefined) return presence;
  const [known] = await rows<Presence>(presenceStatement, [org.id, room.key, id]);
  if (known === undefined) throw new ServiceError('RESOURCE_NOT_FOUND', { details: { presence_id: id } });
  if (known.principalId !== principalId)
    throw new ServiceError('FORBIDDEN', { message: 'That presence is somebody else’s.' });
  throw new ServiceError('PRESENCE_EXPIRED', { details: { presence_id: id } });
}

/**
 * Who reads, when the read says so: counts as activity of a live presence. Undefined for a reader that has none.
 *
 * @throws RESOURCE_NOT_FOUND, FORBIDDEN or PRESENCE_EXPIRED for a presence that is named and cannot be the reader
 */
export async function touchReader(
  ctx: Context & RoomScope,
  reader: { readonly presence_id?: string | undefined; readonly session_key?: string | undefined },
): Promise<Presence | undefined> {
  const caller = await ctx.caller();
  // An operator session only reads, so it leaves no trace either.
  if (!isPrincipal(caller) || caller.kind === 'operator') return undefined;
  const { rows } = ctx.services.db;
  if (reader.presence_id !== undefined) return touch(ctx, rows, caller.principal.id, reader.presence_id);
  if (reader.session_key === undefined) return undefined;
  const values = [ctx.org.id, ctx.room.key, reader.session_key, caller.principal.id, presenceSeconds];
  const [presence] = await rows<Presence>(touchSessionStatement, values);
  return presence;
}

/** Everybody who is live in the room, latest first. */
export const livePresences = (ctx: Context & RoomScope): Promise<Presence[]> =>
  ctx.services.db.rows<Presence>(livePresencesStatement, [ctx.org.id, ctx.room.key]);

/** Names are never recycled: a taken one gets the next free number. */
async function register(work: Work & RoomScope, principalId: string, request: PresenceRequest): Promise<Arrival> {
  const wanted = request.requested_name;
  for (let attempt = 0; ; attempt++) {
    const name = wanted === undefined ? twoWords() + (attempt < 3 ? '' : `-${attempt}`) : await freeName(work, wanted);
    const values = [
      work.org.id,
      work.services.newId('prs'),
      work.room.key,
      principalId,
      name,
      request.task ?? null,
      request.program ?? null,
      request.model ?? null,
      request.session_key ?? null,
      presenceSeconds,
    ];
    const [presence] = await work.rows<Presence>(registerStatement, values);
    if (presence !== undefined) return { presence, how: 'registered', requestedName: wanted };
    // Nothing was written: somebody took the name, or began the session, between our look and our write.
    const resumed = await resume(work, principalId, request);
    if (resumed !== undefined) return { presence: resumed, how: 'resumed', requestedName: undefined };
  }
}

async function freeName(work: Work & RoomScope, wanted: string): Promise<string> {
  const found = await work.rows<TakenName>(takenStatement, [work.org.id, work.room.key, wanted]);
  const taken = new Set(found.map(({ name }) => name));
  const folded = found[0]?.wanted;
  if (folded === undefined || !taken.has(folded)) return wanted;
  for (let number = 2; ; number++) if (!taken.has(`${folded}-${number}`)) return `${wanted}-${number}`;
}

const columns = columnsOf(roomPresences, 'p');
const inRoom = checked('room_key = $2');
const until = (parameter: number) => `now() + make_interval(secs => $${parameter})`;

const resumeStatement: Statement = {
  name: 'presences.resume',
  text: `update room_presences p set last_active = now(), expires_at = ${until(8)}, left_at = null,
      task = coalesce($5, p.task), program = coalesce($6, p.program), model = coalesce($7, p.model)
    where org_id = $1 and ${inRoom} and principal_id = $3 and session_key = $4 returning ${columns}`,
};

const touchStatement: Statement = {
  name: 'presences.touch',
  text: `update room_presences p set last_active = now(), expires_at = ${until(5)}
    where org_id = $1 and id = $3 and ${inRoom} and ${checked('principal_id = $4')} and left_at is null and expires_at > now()
    returning ${columns}`,
};

const touchSessionStatement: Statement = {
  name: 'presences.touch-session',
  text: `update room_presences p set last_active = now(), expires_at = ${until(5)}
    where org_id = $1 and ${inRoom} and session_key = $3 and principal_id = $4
      and left_at is null and expires_at > now()
    returning ${columns}`,
};

export const presenceStatement: Statement = {
  name: 'presences.get',
  text: `select ${columns} from room_presences p where org_id = $1 and id = $3 and ${inRoom}`,
};

interface TakenName {
  readonly name: string;
  readonly wanted: string;
}

// Folded by the database, as the unique index does it: another notion of letter case would look for ever. By bytes a
// name, and what begins with it and a dash, lie between the name and the name with a dot, the character after the dash.
const folded = '(lower(name) collate "C")';
const takenStatement: Statement = {
  name: 'presences.taken',
  text: `select lower(name) as name, lower($3) as wanted from room_presences where org_id = $1 and ${inRoom}
    and ${folded} >= lower($3) and ${folded} < lower($3) || '.'
    and (lower(name) = lower($3) or starts_with(lower(name), lower($3) || '-'))`,
};

const registerStatement: Statement = {
  name: 'presences.register',
  text: `insert into room_presences as p
      (org_id, id, room_key, principal_id, name, task, program, model, session_key, last_active, expires_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now(), ${until(10)})
    on conflict do nothing returning ${columns}`,
};

/** Everybody who is live in a room. */
export const livePresencesStatement: Statement = {
  name: 'presences.live',
  text: `select ${columns} from room_presences p
    where org_id = $1 and room_key = $2 and left_at is null and expires_at > now()
    order by last_active desc, id`,
};
