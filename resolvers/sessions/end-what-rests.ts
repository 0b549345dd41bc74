import { type Column, sql } from '../../db/drizzle.ts';
import { sessions } from '../../db/schema/identity.ts';
import { deviceFlows, loopbackFlows } from '../../db/schema/sign-in-flows.ts';
import { computed, pick, setOf, statement, typed } from '../../db/sql.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';

/** An authenticator that was removed. */
interface Removed {
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
}

/**
 * Ends what a person began, or made fresh, with an authenticator that was just removed: its sessions, with what is open
 * by them, and sign-ins of devices and command lines that were let in and have not fetched their session. Those whose
 * authenticators were never noted end as well. Invitations and recovery by an address that was given up end, too.
 *
 * @returns how many sessions ended
 */
export async function endWhatRestsOn(work: Work, principalId: string, { id, kind, subject }: Removed): Promise<number> {
  const address = kind === 'email' ? subject : null;
  const [counted] = await work.rows(endStatement.with({ principalId, id, address }));
  const { ended } = counted!;
  if (ended > 0) work.authorityChanged(principalId);
  return ended;
}

/**
 * Voids what a person has let in and nobody has fetched, where one of its sessions is ended as nobody's own: it may have
 * let something in that would come for its session afterwards.
 */
export const voidUnfetched = (work: Work, principalId: string) => work.rows(unfetchedStatement.with({ principalId }));

const over = sql`clock_timestamp()`;

const endStatement = statement(
  'authenticators.end-what-rests',
  {
    params: { principalId: sessions.principalId, id: typed<string>('text'), address: typed<string | null>('text') },
    row: { ended: computed<number>('integer', sql`count(*)::int`) },
  },
  ({ principalId, id, address }, row) => {
    const restsOnIt = ({ provenBy }: { readonly provenBy: Column }) =>
      sql`(${provenBy} is null or ${id} = any(${provenBy}))`;
    // An operator session is nothing without its address.
    const ends = sql`(${restsOnIt(sessions)} or (${sessions.kind} = 'operator' and ${sessions.email} = ${address}))`;
    const own = sql`${sessions.principalId} = ${principalId} and ${sessions.revokedAt} is null`;
    return sql`with ended as (
        update ${sessions} ${setOf(sessions, { revokedAt: over, secretHash: sql`null` })}
        where ${own} and ${ends} returning ${sessions.id}
      ), unnamed as (
        update ${sessions} ${setOf(sessions, { email: sql`null` })}
        where ${own} and ${sessions.email} = ${address} and not ${ends}
      ), commands as (
        update ${loopbackFlows} ${setOf(loopbackFlows, { codeExpiresAt: over })}
        where ${loopbackFlows.principalId} = ${principalId} and ${loopbackFlows.redeemedAt} is null
          and (${restsOnIt(loopbackFlows)} or ${loopbackFlows.email} = ${address})
      ), devices as (
        update ${deviceFlows} ${setOf(deviceFlows, { redeemedAt: over })}
        where ${deviceFlows.principalId} = ${principalId} and ${deviceFlows.redeemedAt} is null
          and ${deviceFlows.decision} = 'approve'
          and (${restsOnIt(deviceFlows)} or ${deviceFlows.email} = ${address})
      )
      select ${row} from ended`;
  },
);

const unfetchedStatement = statement(
  'sessions.void-unfetched',
  { params: pick(sessions, 'principalId') },
  ({ principalId }) => sql`with commands as (
      update ${loopbackFlows} ${setOf(loopbackFlows, { codeExpiresAt: over })}
      where ${loopbackFlows.principalId} = ${principalId} and ${loopbackFlows.redeemedAt} is null
    )
    update ${deviceFlows} ${setOf(deviceFlows, { redeemedAt: over })}
    where ${deviceFlows.principalId} = ${principalId} and ${deviceFlows.redeemedAt} is null
      and ${deviceFlows.decision} = 'approve'`,
);
