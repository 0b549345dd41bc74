import { checked } from '../../db/checked.ts';
import type { Statement } from '../../db/pool.ts';
import type { RoomScope } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { isLive } from './presence-columns.ts';
import {
  columns,
  inRoom,
  join,
  lockOwn,
  type PresenceResult,
  presenceSeconds,
  principalOf,
  resolveSpeaker,
  resumedBy,
  type SpeakerRequest,
  until,
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
  const shown = [task ?? null, program ?? null, model ?? null];
  const values = [work.org.id, work.room.key, principalId, ...shown, presenceSeconds];
  return name === undefined
    ? resumedBy(work, latestStatement, values, 'found')
    : resumedBy(work, latestNamedStatement, [...values, name], 'found');
}

/** @param narrower which of the principal's presences are meant */
const latest = (name: string, narrower: string): Statement => ({
  name,
  text: `update room_presences p set last_active = now(), expires_at = ${until(7)},
      task = coalesce($4, p.task), program = coalesce($5, p.program), model = coalesce($6, p.model)
    from (
      select id, task, program, model from room_presences l
      where org_id = $1 and room_key = $2 and ${isLive('l')}
        and ${checked(`principal_id = $3 and session_key is null${narrower}`)}
      order by last_active desc, id limit 1 for update
    ) was
    where p.org_id = $1 and p.id = was.id and ${inRoom}
    returning ${columns}, (was.task, was.program, was.model) is distinct from (p.task, p.program, p.model) as changed`,
});

const latestStatement = latest('presences.resume-latest', '');
// One that asked for a name which was taken has it with a number.
const latestNamedStatement = latest(
  'presences.resume-latest-named',
  ` and (lower(name) = lower($8::text)
      or (starts_with(lower(name), lower($8::text) || '-') and substr(name, char_length($8::text) + 2) ~ '^[0-9]+$'))`,
);
