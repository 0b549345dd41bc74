import { isUuid } from '../../core/ids.ts';
import type { Statement } from '../../db/pool.ts';
import type { Escalation } from '../../db/schema/escalations.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { escalationChanged } from './escalation-feed.ts';
import { escalationColumns, findEscalation, noEscalation } from './escalation-scope.ts';
import type { Answered } from './wire.ts';

/** Who answers. */
export interface Answerer {
  readonly email: string | null;
  readonly via: 'token' | 'authenticated';
}

/**
 * Acknowledges an escalation that is open, and stops its ladder. Of those who race the first is kept: the others wait
 * for its row and find it taken.
 *
 * @throws RESOURCE_NOT_FOUND
 */
export async function acknowledge(work: Work, orgId: string, id: string, { email, via }: Answerer): Promise<Answered> {
  if (!isUuid(id)) throw noEscalation(id);
  return settle(work, orgId, id, await work.rows<Escalation>(acknowledgeStatement, [orgId, id, email, via]));
}

/** Resolves an escalation that is not resolved yet; as {@link acknowledge}. @throws RESOURCE_NOT_FOUND */
export async function resolve(
  work: Work,
  orgId: string,
  id: string,
  { email, via }: Answerer,
  note: string | null,
): Promise<Answered> {
  if (!isUuid(id)) throw noEscalation(id);
  return settle(work, orgId, id, await work.rows<Escalation>(resolveStatement, [orgId, id, email, via, note]));
}

async function settle(work: Work, orgId: string, id: string, [answered]: readonly Escalation[]): Promise<Answered> {
  if (answered === undefined) return { escalation: await findEscalation(work, orgId, id, null), changed: false };
  work.append(escalationChanged(answered));
  return { escalation: answered, changed: true };
}

/** A verified address of a principal, for those who ask who answered; null without one. */
export async function verifiedEmailOf(work: Work, principalId: string): Promise<string | null> {
  const [found] = await work.rows<{ email: string }>(emailStatement, [principalId]);
  return found?.email ?? null;
}

const emailStatement: Statement = {
  name: 'escalations.answerer',
  text: `select public_subject as email from authenticators
    where principal_id = $1 and kind = 'email' and verified_at is not null and revoked_at is null
    union all
    select email from operator_contacts where principal_id = $1 and email is not null and email_verified_at is not null
    limit 1`,
};

const acknowledgeStatement: Statement = {
  name: 'escalations.acknowledge',
  text: `update escalations e set status = 'acknowledged', acknowledged_at = clock_timestamp(),
      acknowledged_by_email = $3, acknowledged_via = $4, due_at = null, awaits_contact = false
    where e.org_id = $1 and e.id = $2 and e.status = 'open' returning ${escalationColumns}`,
};

const resolveStatement: Statement = {
  name: 'escalations.resolve',
  text: `update escalations e set status = 'resolved', resolved_at = clock_timestamp(), resolved_by_email = $3,
      resolved_note = $5, due_at = null, awaits_contact = false,
      acknowledged_at = coalesce(e.acknowledged_at, clock_timestamp()),
      acknowledged_by_email = case when e.acknowledged_at is null then $3 else e.acknowledged_by_email end,
      acknowledged_via = coalesce(e.acknowledged_via, $4)
    where e.org_id = $1 and e.id = $2 and e.status <> 'resolved' returning ${escalationColumns}`,
};
