import { checked } from '../../db/checked.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { roomPresences } from '../../db/schema/rooms.ts';
import { computed, pick, setOf, statement, typed } from '../../db/sql.ts';
import type { RoomScope } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { isLive, presenceColumns } from './presence-columns.ts';
import {
  activeFor,
  isInRoom,
  join,
  lockOwn,
  type PresenceResult,
  presenceSeconds,
  principalOf,
  resolveSpeaker,
  resumedBy,
  type SpeakerRequest,
  seconds,
  shownAs,
  shownColumns,
  shownOtherwise,
  was,
} from './shared/presence.ts';

/**
 * The sender of a message: the presence it names, else the session it resumes, else the one that its principal was
 * active as last without a session key, else a new one. Contract 02, 2.4. So a writer that keeps no state is one presence;
 * agents of one principal that are to be told apart give keys.
 *
 * @throws as {@link join} does
 */
export async function resolveSender(work: Work & RoomScope, request: SpeakerRequest): Promise<PresenceResult> {
  if (request.presence_id !== undefined || request.session_key !== undefined) return resolveSpeaker(work, request);
  const principalId = await principalOf(work);
  const latest = await resumeLatest(work, principalId, request);
  if (latest !== undefined) return latest;
  // Of several that find none at once, those that come later speak as the one that the first of them makes.
  await lockOwn(work, principalId);
  return (await resumeLatest(work, principalId, request)) ?? join(work, request);
}

function resumeLatest(
  work: Work & RoomScope,
  principalId: string,
  { requested_name: name, task, program, model }: SpeakerRequest,
): Promise<PresenceResult | undefined> {
  const latest = {
    orgId: work.org.id,
    roomKey: work.room.key,
    principalId,
    task: task ?? null,
    program: program ?? null,
    model: model ?? null,
    seconds: presenceSeconds,
  };
  const resumed = name === undefined ? latestStatement.with(latest) : latestNamedStatement.with({ ...latest, name });
  return resumedBy(work, resumed, 'found');
}

const latestParams = { ...pick(roomPresences, 'orgId', 'roomKey', 'principalId'), ...shownColumns, seconds };
const latestRow = { ...presenceColumns, changed: computed<boolean>('boolean', shownOtherwise) };

/** @param narrower which of the principal's presences are meant */
const resumeTheLatest = (
  given: { readonly [Name in keyof typeof latestParams]: SQL },
  row: SQL,
  narrower = sql``,
): SQL => sql`update ${roomPresences} ${setOf(roomPresences, { ...activeFor(given), ...shownAs(given) })}
  from (
    select * from ${roomPresences} where ${roomPresences.orgId} = ${given.orgId}
      and ${roomPresences.roomKey} = ${given.roomKey} and ${isLive()} and ${checked(
        sql`${roomPresences.principalId} = ${given.principalId} and ${roomPresences.sessionKey} is null${narrower}`,
      )}
    order by ${roomPresences.lastActive} desc, ${roomPresences.id} limit 1 for update
  ) ${was}
  where ${roomPresences.orgId} = ${given.orgId} and ${roomPresences.id} = ${was.id} and ${isInRoom(given)}
  returning ${row}`;

const latestStatement = statement('presences.resume-latest', { params: latestParams, row: latestRow }, (given, row) =>
  resumeTheLatest(given, row),
);

// One that asked for a name which was taken has it with a number.
const latestNamedStatement = statement(
  'presences.resume-latest-named',
  { params: { ...latestParams, name: typed<string>('text') }, row: latestRow },
  ({ name, ...given }, row) => {
    const folded = sql`lower(${roomPresences.name})`;
    const numbered = sql`starts_with(${folded}, lower(${name}::text) || '-')
      and substr(${roomPresences.name}, char_length(${name}::text) + 2) ~ '^[0-9]+$'`;
    return resumeTheLatest(given, row, sql` and (${folded} = lower(${name}::text) or (${numbered}))`);
  },
);
