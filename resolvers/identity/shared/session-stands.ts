import type { Statement } from '../../../db/pool.ts';
import type { Services } from '../../../kernel/run/context.ts';

/** How long a session lasts without use, in minutes; with use it ends twelve hours after sign-in. Contract 04, 3.7. */
export const sessionIdleMinutes = 30;

/** A use is noted once in so many minutes, which the idle end leaves to whoever was noted just before. */
const notedEveryMinutes = 1;

/** Whether a row of `sessions` stands: a condition of SQL on its alias. */
export const sessionStands = (s: string): string => `${s}.revoked_at is null and ${s}.absolute_expires_at > now()
      and ${s}.last_used_at > now() - interval '${sessionIdleMinutes + notedEveryMinutes} minutes'`;

/** Whether a use of a session is to be noted: an expression of SQL on its alias. */
export const useIsDue = (s: string): string => `${s}.last_used_at < now() - interval '${notedEveryMinutes} minutes'`;

/**
 * Notes that a session was used, which puts off its idle end. Nobody is refused because that could not be written: the
 * next use is noted in its stead.
 */
export async function noteUse({ db, log }: Pick<Services, 'db' | 'log'>, sessionId: string): Promise<void> {
  try {
    await db.rows(noteStatement, [sessionId]);
  } catch (error) {
    log.warn({ err: error }, 'The use of a session was not noted.');
  }
}

// Of all that come at once one writes, and nobody waits behind what holds the row: by then it is noted, or over.
const noteStatement: Statement = {
  name: 'identity.note-use',
  text: `update sessions set last_used_at = now() where id = (
      select s.id from sessions s where s.id = $1 and ${useIsDue('s')} for no key update skip locked)`,
};
