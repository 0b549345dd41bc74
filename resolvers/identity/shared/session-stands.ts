import { alias, type Column, type SQL, sql } from '../../../db/drizzle.ts';
import { sessions } from '../../../db/schema/identity.ts';
import { from, pick, setOf, statement } from '../../../db/sql.ts';
import type { Services } from '../../../kernel/run/context.ts';

/** How long a session lasts without use, in minutes; with use it ends twelve hours after sign-in. Contract 04, 3.7. */
export const sessionIdleMinutes = 30;

/** A use is noted once in so many minutes, which the idle end leaves to whoever was noted just before. */
const notedEveryMinutes = 1;

const minutes = (count: number): SQL => sql`interval '${sql.raw(String(count))} minutes'`;

/** Whether a session stands, by its table or an alias. */
export const sessionStands = (
  session: { readonly [Name in 'revokedAt' | 'absoluteExpiresAt' | 'lastUsedAt']: Column } = sessions,
): SQL =>
  sql`${session.revokedAt} is null and ${session.absoluteExpiresAt} > now()
    and ${session.lastUsedAt} > now() - ${minutes(sessionIdleMinutes + notedEveryMinutes)}`;

/** Whether a use is to be noted, of a session or of what else is used; the first one is. */
export const useIsDue = ({ lastUsedAt }: { readonly lastUsedAt: Column } = sessions): SQL =>
  sql`coalesce(${lastUsedAt} < now() - ${minutes(notedEveryMinutes)}, true)`;

/**
 * Notes that a session was used, which puts off its idle end. Nobody is refused because that could not be written: the
 * next use is noted in its stead.
 */
export async function noteUse({ db, log }: Pick<Services, 'db' | 'log'>, sessionId: string): Promise<void> {
  try {
    await db.rows(noteStatement.with({ id: sessionId }));
  } catch (error) {
    log.warn({ err: error }, 'The use of a session was not noted.');
  }
}

// Of all uses at once one writes, and none waits behind the holder of the row: by then it is noted, or over.
const noteStatement = statement('identity.note-use', { params: pick(sessions, 'id') }, ({ id }) => {
  const due = alias(sessions, 'due');
  return sql`update ${sessions} ${setOf(sessions, { lastUsedAt: sql`now()` })} where ${sessions.id} = (
      select ${due.id} from ${from(due)} where ${due.id} = ${id} and ${useIsDue(due)} for no key update skip locked)`;
});
