import type { Statement } from '../../db/pool.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';

/** An authenticator that is no more. */
interface Removed {
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
}

/**
 * Ends what a person began, or made fresh, with an authenticator that was just removed: its sessions, with what is open
 * by them, and sign-ins of devices and command lines that were let in and have not fetched their session. Those whose
 * authenticators were never noted end as well. What goes by a mail address that was given up goes by it no more.
 *
 * @returns how many sessions ended
 */
export async function endWhatRestsOn(work: Work, principalId: string, { id, kind, subject }: Removed): Promise<number> {
  const address = kind === 'email' ? subject : null;
  const [{ ended }] = (await work.rows<{ ended: number }>(endStatement, [principalId, id, address])) as [
    { ended: number },
  ];
  if (ended > 0) work.authorityChanged(principalId);
  return ended;
}

/**
 * Voids what a person has let in and nobody has fetched, where one of its sessions is ended as nobody's own: it may have
 * let something in that would come for its session afterwards.
 */
export const voidUnfetched = (work: Work, principalId: string) => work.rows(unfetchedStatement, [principalId]);

const rests = '(proven_by is null or $2 = any(proven_by))';
/** An operator session is nothing without its address. */
const over = `(${rests} or (kind = 'operator' and email = $3))`;

const endStatement: Statement = {
  name: 'authenticators.end-what-rests',
  text: `with ended as (
      update sessions set revoked_at = clock_timestamp(), secret_hash = null
      where principal_id = $1 and revoked_at is null and ${over} returning id
    ), unnamed as (
      update sessions set email = null where principal_id = $1 and revoked_at is null and email = $3 and not ${over}
    ), commands as (
      update loopback_flows set code_expires_at = clock_timestamp()
      where principal_id = $1 and redeemed_at is null and (${rests} or email = $3)
    ), devices as (
      update device_flows set redeemed_at = clock_timestamp()
      where principal_id = $1 and redeemed_at is null and decision = 'approve' and (${rests} or email = $3)
    )
    select count(*)::int as ended from ended`,
};

const unfetchedStatement: Statement = {
  name: 'sessions.void-unfetched',
  text: `with commands as (
      update loopback_flows set code_expires_at = clock_timestamp() where principal_id = $1 and redeemed_at is null
    )
    update device_flows set redeemed_at = clock_timestamp()
    where principal_id = $1 and redeemed_at is null and decision = 'approve'`,
};
