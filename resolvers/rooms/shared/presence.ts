import { ServiceError } from '../../../core/errors.ts';
import { checked } from '../../../db/checked.ts';
import type { Statement } from '../../../db/pool.ts';
import type { Presence } from '../../../db/schema/rooms.ts';
import type { RoomScope } from '../../../kernel/access/access.ts';
import { isPrincipal } from '../../../kernel/access/caller.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { twoWords } from '../../../kernel/input/two-words.ts';
import { refuseOverQuota } from '../../../kernel/limits/quota.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { freeName } from '../free-name.ts';
import { isLive, presenceColumns } from '../presence-columns.ts';
import { presenceChanged } from '../presence-feed.ts';

/** How long a presence lives after its last call, in seconds. Contract 02, section 2.3. */
export const presenceSeconds = 3600;

/** Live presences that one principal may have in one room. */
export const presencesMax = 1_000;

export interface PresenceRequest {
  readonly requested_name?: string | undefined;
  readonly task?: string | undefined;
  readonly program?: string | undefined;
  readonly model?: string | undefined;
  readonly session_key?: string | undefined;
}

/** A presence and how the call came by it. */
export interface PresenceResult {
  readonly presence: Presence;
  /** `found`: named by its id, or the one its principal spoke as last; `resumed`: by its session key; `registered`: made by this call. */
  readonly how: 'found' | 'resumed' | 'registered';
  readonly requestedName: string | undefined;
}

export type SpeakerRequest = PresenceRequest & { readonly presence_id?: string | undefined };

/** The speaker of a call: the presence it names, else the session it resumes, else a new one. Contract 02, 2.4. */
export async function resolveSpeaker(work: Work & RoomScope, request: SpeakerRequest): Promise<PresenceResult> {
  if (request.presence_id === undefined) return join(work, request);
  const presence = await touch(work, work.rows, await principalOf(work), request.presence_id);
  return { presence, how: 'found', requestedName: undefined };
}

/**
 * Registers a presence, or resumes the one with the same session key; one that has left has none any more.
 *
 * @throws QUOTA_EXCEEDED when the principal would have more live ones in the room than it may
 */
export async function join(work: Work & RoomScope, request: PresenceRequest): Promise<PresenceResult> {
  const principalId = await principalOf(work);
  const live = await resume(work, principalId, request, 'live');
  if (live !== undefined) return live;
  const own = await lockOwn(work, principalId);
  const resumed = await resume(work, principalId, request, 'any');
  // One that was live by then adds none; the count leaves it out.
  await refuseOverQuota(
    work,
    { statement: countStatement, values: [...own, resumed?.presence.id ?? ''] },
    tooMany,
    presencesMax,
  );
  return resumed ?? register(work, principalId, request);
}

/** Takes the lock of a principal in a room, which all take that make one more of its presences live. @returns whose it is */
export async function lockOwn({ org, room, rows }: Work & RoomScope, principalId: string): Promise<string[]> {
  const own = [org.id, room.key, principalId];
  await rows(lockStatement, own);
  return own;
}

async function resume(
  work: Work & RoomScope,
  principalId: string,
  { session_key, task, program, model }: PresenceRequest,
  which: 'live' | 'any',
): Promise<PresenceResult | undefined> {
  if (session_key === undefined) return undefined;
  const shown = [task ?? null, program ?? null, model ?? null];
  const values = [work.org.id, work.room.key, principalId, session_key, ...shown, presenceSeconds, which === 'any'];
  return resumedBy(work, resumeStatement, values, 'resumed');
}

/** What a statement brought back to life; others are told when that changed anything. */
export async function resumedBy(
  work: Work & RoomScope,
  statement: Statement,
  values: readonly unknown[],
  how: PresenceResult['how'],
): Promise<PresenceResult | undefined> {
  const [found] = await work.rows<Presence & { readonly changed: boolean }>(statement, values);
  if (found === undefined) return undefined;
  const { changed, ...presence } = found;
  if (changed) work.append(presenceChanged(presence));
  return { presence, how, requestedName: undefined };
}

/** The principal that acts. */
export async function principalOf(work: Work): Promise<string> {
  const caller = await work.caller();
  // Only principals are admitted to `room:write`.
  if (!isPrincipal(caller)) throw new ServiceError('FORBIDDEN');
  return caller.principal.id;
}

/** Counts a call as activity of the presence that it is about; one that is gone stays so. */
export async function prolong(work: Work & RoomScope, presenceId: string): Promise<void> {
  await work.rows(touchStatement, [work.org.id, work.room.key, presenceId, await principalOf(work), presenceSeconds]);
}

/** Marks a presence of the caller as active. The update also lines up sends of one presence one after the other. */
export async function touch(
  { org, room }: RoomScope,
  rows: Work['rows'],
  principalId: string,
  id: string,
): Promise<Presence> {
  const [presence] = await rows<Presence>(touchStatement, [org.id, room.key, id, principalId, presenceSeconds]);
  if (presence !== undefined) return presence;
  await ownPresence({ org, room }, rows, principalId, id);
  throw expired(id);
}

/** As {@link touch}, without a trace. */
export async function look(scope: RoomScope, rows: Work['rows'], principalId: string, id: string): Promise<Presence> {
  const presence = await ownPresence(scope, rows, principalId, id);
  if (presence.state !== 'active') throw expired(id);
  return presence;
}

/** A presence of the principal, live or not. @throws RESOURCE_NOT_FOUND or FORBIDDEN */
async function ownPresence(
  { org, room }: Pick<RoomScope, 'org' | 'room'>,
  rows: Work['rows'],
  principalId: string,
  id: string,
): Promise<Presence> {
  const [known] = await rows<Presence>(presenceStatement, [org.id, room.key, id]);
  if (known === undefined) throw new ServiceError('RESOURCE_NOT_FOUND', { details: { presence_id: id } });
  if (known.principalId !== principalId)
    throw new ServiceError('FORBIDDEN', { message: 'That presence is somebody else’s.' });
  return known;
}

const expired = (id: string) => new ServiceError('PRESENCE_EXPIRED', { details: { presence_id: id } });

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

/** How often a name is tried for. */
const attemptsMax = 50;

/** Names are never recycled: a taken one gets the next free number. */
async function register(
  work: Work & RoomScope,
  principalId: string,
  request: PresenceRequest,
): Promise<PresenceResult> {
  const wanted = request.requested_name;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
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
    if (presence !== undefined) {
      work.append(presenceChanged(presence));
      return { presence, how: 'registered', requestedName: wanted };
    }
    // Nothing was written: somebody took the name between our look and our write.
  }
  throw new ServiceError('UPSTREAM_UNAVAILABLE', { message: 'Too many take names in this room at once.' });
}

const tooMany = {
  scope: 'principal',
  metric: 'live_presences',
  message:
    'You have as many live presences in this room as you may: speak as one of them by its presence_id or session_key, or let one leave.',
} as const;

export const columns = presenceColumns('p');
export const inRoom = checked('room_key = $2');
export const until = (parameter: number) => `now() + make_interval(secs => $${parameter})`;

// Locked before it is looked at, so that what it was before is told rightly also when several resume it at once.
const resumeStatement: Statement = {
  name: 'presences.resume',
  text: `update room_presences p set last_active = now(), expires_at = ${until(8)},
      task = coalesce($5, p.task), program = coalesce($6, p.program), model = coalesce($7, p.model)
    from (
      select id, expires_at <= now() as expired, task, program, model from room_presences
      where org_id = $1 and ${inRoom} and principal_id = $3 and session_key = $4 and left_at is null
        and ($9::boolean or expires_at > now()) for update
    ) was
    where p.org_id = $1 and p.id = was.id
    returning ${columns}, was.expired or (was.task, was.program, was.model) is distinct from (p.task, p.program, p.model) as changed`,
};

const touchStatement: Statement = {
  name: 'presences.touch',
  text: `update room_presences p set last_active = now(), expires_at = ${until(5)}
    where org_id = $1 and id = $3 and ${inRoom} and ${checked('principal_id = $4')} and ${isLive('p')}
    returning ${columns}`,
};

const touchSessionStatement: Statement = {
  name: 'presences.touch-session',
  text: `update room_presences p set last_active = now(), expires_at = ${until(5)}
    where org_id = $1 and ${inRoom} and session_key = $3 and principal_id = $4 and ${isLive('p')}
    returning ${columns}`,
};

const lockStatement: Statement = {
  name: 'presences.lock-own',
  text: `select pg_advisory_xact_lock(hashtextextended('room-presences:' || $1::uuid || ' ' || $2::text || ' ' || $3::text, 0))`,
};

// By the index of those who are live in a room, as their own list is read.
const countStatement: Statement = {
  name: 'presences.count-own',
  text: `select count(*)::int as used from room_presences o
    where org_id = $1 and room_key = $2 and ${isLive('o')} and ${checked('principal_id = $3 and id <> $4')}`,
};

export const presenceStatement: Statement = {
  name: 'presences.get',
  text: `select ${columns} from room_presences p where org_id = $1 and id = $3 and ${inRoom}`,
};

const registerStatement: Statement = {
  name: 'presences.register',
  text: `insert into room_presences as p
      (org_id, id, room_key, principal_id, name, task, program, model, session_key, last_active, expires_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now(), ${until(10)})
    on conflict do nothing returning ${columns}`,
};
