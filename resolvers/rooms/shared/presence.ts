import { ServiceError } from '../../../core/errors.ts';
import { advisoryLock } from '../../../db/advisory-lock.ts';
import { checked } from '../../../db/checked.ts';
import { alias, type SQL, sql } from '../../../db/drizzle.ts';
import { type Presence, roomPresences } from '../../../db/schema/rooms.ts';
import { computed, insertInto, pick, setOf, statement, typed } from '../../../db/sql.ts';
import type { Bound } from '../../../db/statement.ts';
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
  await refuseOverQuota(work, countStatement.with({ ...own, id: resumed?.presence.id ?? '' }), tooMany, presencesMax);
  return resumed ?? register(work, principalId, request);
}

/** Takes the lock of a principal in a room, which all take that make one more of its presences live. @returns whose it is */
export async function lockOwn({ org, room, rows }: Work & RoomScope, principalId: string) {
  await rows(advisoryLock.with({ key: `room-presences:${org.id} ${room.key} ${principalId}` }));
  return { orgId: org.id, roomKey: room.key, principalId };
}

async function resume(
  work: Work & RoomScope,
  principalId: string,
  { session_key, task, program, model }: PresenceRequest,
  which: 'live' | 'any',
): Promise<PresenceResult | undefined> {
  if (session_key === undefined) return undefined;
  const resumed = resumeStatement.with({
    orgId: work.org.id,
    roomKey: work.room.key,
    principalId,
    sessionKey: session_key,
    task: task ?? null,
    program: program ?? null,
    model: model ?? null,
    seconds: presenceSeconds,
    anyState: which === 'any',
  });
  return resumedBy(work, resumed, 'resumed');
}

/** A presence that a statement resumed. Followers get it when that changed anything. */
export async function resumedBy(
  work: Work & RoomScope,
  resumed: Bound<Presence & { readonly changed: boolean }>,
  how: PresenceResult['how'],
): Promise<PresenceResult | undefined> {
  const [found] = await work.rows(resumed);
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
  const own = { orgId: work.org.id, roomKey: work.room.key, id: presenceId, principalId: await principalOf(work) };
  await work.rows(touchStatement.with({ ...own, seconds: presenceSeconds }));
}

/** Marks a presence of the caller as active. The update also lines up sends of one presence one after the other. */
export async function touch(
  { org, room }: RoomScope,
  rows: Work['rows'],
  principalId: string,
  id: string,
): Promise<Presence> {
  const own = { orgId: org.id, roomKey: room.key, id, principalId };
  const [presence] = await rows(touchStatement.with({ ...own, seconds: presenceSeconds }));
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
  const [known] = await rows(presenceStatement.with({ orgId: org.id, roomKey: room.key, id }));
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
  const own = { orgId: ctx.org.id, roomKey: ctx.room.key, principalId: caller.principal.id };
  const [presence] = await rows(
    touchSessionStatement.with({ ...own, sessionKey: reader.session_key, seconds: presenceSeconds }),
  );
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
    const made = registerStatement.with({
      orgId: work.org.id,
      id: work.services.newId('prs'),
      roomKey: work.room.key,
      principalId,
      name,
      task: request.task ?? null,
      program: request.program ?? null,
      model: request.model ?? null,
      sessionKey: request.session_key ?? null,
      seconds: presenceSeconds,
    });
    const [presence] = await work.rows(made);
    if (presence !== undefined) {
      work.append(presenceChanged(presence));
      return { presence, how: 'registered', requestedName: wanted };
    }
    // Nothing was written: another presence took the name between our read and our write.
  }
  throw new ServiceError('UPSTREAM_UNAVAILABLE', { message: 'Too many take names in this room at once.' });
}

const tooMany = {
  scope: 'principal',
  metric: 'live_presences',
  message:
    'You have as many live presences in this room as you may: speak as one of them by its presence_id or session_key, or let one leave.',
} as const;

type Given<Name extends string> = { readonly [One in Name]: SQL };

/** Whether the presence is in the room: no index is asked for it. */
export const isInRoom = ({ roomKey }: Given<'roomKey'>): SQL => checked(sql`${roomPresences.roomKey} = ${roomKey}`);

/** A sign of life: the presence expires as many seconds from now. */
export const activeFor = ({ seconds }: Given<'seconds'>) => ({
  lastActive: sql`now()`,
  expiresAt: sql`now() + make_interval(secs => ${seconds})`,
});

/** What a presence shows of itself: what is not given stays. */
export const shownAs = ({ task, program, model }: Given<'task' | 'program' | 'model'>) => ({
  task: sql`coalesce(${task}, ${roomPresences.task})`,
  program: sql`coalesce(${program}, ${roomPresences.program})`,
  model: sql`coalesce(${model}, ${roomPresences.model})`,
});

export const shownColumns = pick(roomPresences, 'task', 'program', 'model');
export const seconds = typed<number>('double precision');

/** The presence as it was before it was resumed. */
export const was = alias(roomPresences, 'was');
export const shownOtherwise = sql`(${was.task}, ${was.program}, ${was.model})
  is distinct from (${roomPresences.task}, ${roomPresences.program}, ${roomPresences.model})`;

// Locked before it is read, so that its earlier state is right also when several resume it at once.
const resumeStatement = statement(
  'presences.resume',
  {
    params: {
      ...pick(roomPresences, 'orgId', 'roomKey', 'principalId', 'sessionKey'),
      ...shownColumns,
      seconds,
      anyState: typed<boolean>('boolean'),
    },
    row: {
      ...presenceColumns,
      changed: computed<boolean>('boolean', sql`${was.expiresAt} <= now() or ${shownOtherwise}`),
    },
  },
  (given, row) => sql`update ${roomPresences} ${setOf(roomPresences, { ...activeFor(given), ...shownAs(given) })}
    from (
      select * from ${roomPresences} where ${roomPresences.orgId} = ${given.orgId} and ${isInRoom(given)}
        and ${roomPresences.principalId} = ${given.principalId} and ${roomPresences.sessionKey} = ${given.sessionKey}
        and ${roomPresences.leftAt} is null and (${given.anyState}::boolean or ${roomPresences.expiresAt} > now())
      for update
    ) ${was}
    where ${roomPresences.orgId} = ${given.orgId} and ${roomPresences.id} = ${was.id} returning ${row}`,
);

const touchStatement = statement(
  'presences.touch',
  { params: { ...pick(roomPresences, 'orgId', 'roomKey', 'id', 'principalId'), seconds }, row: presenceColumns },
  (given, row) => sql`update ${roomPresences} ${setOf(roomPresences, activeFor(given))}
    where ${roomPresences.orgId} = ${given.orgId} and ${roomPresences.id} = ${given.id} and ${isInRoom(given)}
      and ${checked(sql`${roomPresences.principalId} = ${given.principalId}`)} and ${isLive()}
    returning ${row}`,
);

const touchSessionStatement = statement(
  'presences.touch-session',
  {
    params: { ...pick(roomPresences, 'orgId', 'roomKey', 'sessionKey', 'principalId'), seconds },
    row: presenceColumns,
  },
  (given, row) => sql`update ${roomPresences} ${setOf(roomPresences, activeFor(given))}
    where ${roomPresences.orgId} = ${given.orgId} and ${isInRoom(given)}
      and ${roomPresences.sessionKey} = ${given.sessionKey} and ${roomPresences.principalId} = ${given.principalId}
      and ${isLive()}
    returning ${row}`,
);

// By the index of those who are live in a room, as their own list is read.
const countStatement = statement(
  'presences.count-own',
  {
    params: pick(roomPresences, 'orgId', 'roomKey', 'principalId', 'id'),
    row: { used: computed<number>('integer', sql`count(*)::int`) },
  },
  ({ orgId, roomKey, principalId, id }, row) => sql`select ${row} from ${roomPresences}
    where ${roomPresences.orgId} = ${orgId} and ${roomPresences.roomKey} = ${roomKey} and ${isLive()}
      and ${checked(sql`${roomPresences.principalId} = ${principalId} and ${roomPresences.id} <> ${id}`)}`,
);

export const presenceStatement = statement(
  'presences.get',
  { params: pick(roomPresences, 'orgId', 'roomKey', 'id'), row: presenceColumns },
  (given, row) => sql`select ${row} from ${roomPresences}
    where ${roomPresences.orgId} = ${given.orgId} and ${roomPresences.id} = ${given.id} and ${isInRoom(given)}`,
);

const registerStatement = statement(
  'presences.register',
  {
    params: {
      ...pick(roomPresences, 'orgId', 'id', 'roomKey', 'principalId', 'name', 'sessionKey'),
      ...shownColumns,
      seconds,
    },
    row: presenceColumns,
  },
  ({ seconds: length, ...given }, row) =>
    sql`${insertInto(roomPresences, { ...given, ...activeFor({ seconds: length }) })} on conflict do nothing
      returning ${row}`,
);
