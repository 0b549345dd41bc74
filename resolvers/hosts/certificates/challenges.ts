import { sql } from '../../../db/drizzle.ts';
import { interval, isPast } from '../../../db/intervals.ts';
import { acmeChallenges } from '../../../db/schema/hosts.ts';
import { insertInto, pick, statement } from '../../../db/sql.ts';
import type { ChallengeBoard } from '../../../engines/acme/order.ts';
import type { Services } from '../../../kernel/run/context.ts';

/** Proofs of a host, where every node finds them: an authority asks whichever it reaches, and from several places. */
export const challengeBoard = ({ db }: Pick<Services, 'db'>, host: string): ChallengeBoard => ({
  put: async (token, answer) => void (await db.rows(putStatement.with({ token, host, answer }))),
  remove: async (token) => void (await db.rows(removeStatement.with({ token }))),
});

/** What is answered to an authority that looks for a proof; undefined when none is expected. */
export async function findChallenge({ db }: Pick<Services, 'db'>, token: string): Promise<string | undefined> {
  if (!/^[A-Za-z0-9_-]{16,256}$/.test(token)) return undefined;
  const [found] = await db.rows(findStatement.with({ token }));
  return found?.answer;
}

/** Proofs that a node left behind. */
export const expiredChallenges = { table: acmeChallenges, when: isPast(acmeChallenges.expiresAt) };

const putStatement = statement(
  'acme.put-challenge',
  { params: pick(acmeChallenges, 'token', 'host', 'answer') },
  (given) =>
    sql`${insertInto(acmeChallenges, { ...given, expiresAt: sql`now() + ${interval('1 hour')}` })} on conflict do nothing`,
);

const removeStatement = statement(
  'acme.remove-challenge',
  { params: pick(acmeChallenges, 'token') },
  ({ token }) => sql`delete from ${acmeChallenges} where ${acmeChallenges.token} = ${token}`,
);

const findStatement = statement(
  'acme.find-challenge',
  { params: pick(acmeChallenges, 'token'), row: pick(acmeChallenges, 'answer'), pipelined: true },
  ({ token }, row) => sql`select ${row} from ${acmeChallenges}
    where ${acmeChallenges.token} = ${token} and ${acmeChallenges.expiresAt} > now()`,
);
