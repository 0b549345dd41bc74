import { isUuid } from '../../core/ids.ts';
import { sql } from '../../db/drizzle.ts';
import { type Escalation, escalations } from '../../db/schema/escalations.ts';
import { authenticators } from '../../db/schema/identity.ts';
import { operatorContacts } from '../../db/schema/operator-contacts.ts';
import { allOf, computed, pick, setOf, statement } from '../../db/sql.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { escalationChanged } from './escalation-feed.ts';
import { findEscalation, noEscalation } from './escalation-scope.ts';
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
  return settle(work, orgId, id, await work.rows(acknowledgeStatement.with({ orgId, id, email, via })));
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
  return settle(work, orgId, id, await work.rows(resolveStatement.with({ orgId, id, email, via, note })));
}

async function settle(work: Work, orgId: string, id: string, [answered]: readonly Escalation[]): Promise<Answered> {
  if (answered === undefined) return { escalation: await findEscalation(work, orgId, id, null), changed: false };
  work.append(escalationChanged(answered));
  return { escalation: answered, changed: true };
}

/** A verified address of a principal, for those who ask who answered; null without one. */
export async function verifiedEmailOf(work: Work, principalId: string): Promise<string | null> {
  const [found] = await work.rows(emailStatement.with({ principalId }));
  return found?.email ?? null;
}

const emailStatement = statement(
  'escalations.answerer',
  { params: pick(authenticators, 'principalId'), row: { email: computed<string>('text', sql`known.email`) } },
  ({ principalId }, row) => sql`select ${row} from (
      select ${authenticators.publicSubject} as email from ${authenticators}
      where ${authenticators.principalId} = ${principalId} and ${authenticators.kind} = 'email'
        and ${authenticators.verifiedAt} is not null and ${authenticators.revokedAt} is null
      union all
      select ${operatorContacts.email} from ${operatorContacts}
      where ${operatorContacts.principalId} = ${principalId} and ${operatorContacts.email} is not null
        and ${operatorContacts.emailVerifiedAt} is not null
    ) known limit 1`,
);

const answer = {
  ...pick(escalations, 'orgId', 'id'),
  email: escalations.acknowledgedByEmail,
  via: escalations.acknowledgedVia,
};
/** The ladder of one that was answered rests. */
const atRest = { dueAt: sql`null`, awaitsContact: sql`false` };

const acknowledgeStatement = statement(
  'escalations.acknowledge',
  { params: answer, row: allOf(escalations) },
  ({ orgId, id, email, via }, row) => sql`update ${escalations} ${setOf(escalations, {
    status: sql`'acknowledged'`,
    acknowledgedAt: sql`clock_timestamp()`,
    acknowledgedByEmail: email,
    acknowledgedVia: via,
    ...atRest,
  })} where ${escalations.orgId} = ${orgId} and ${escalations.id} = ${id} and ${escalations.status} = 'open'
    returning ${row}`,
);

const resolveStatement = statement(
  'escalations.resolve',
  { params: { ...answer, note: escalations.resolvedNote }, row: allOf(escalations) },
  ({ orgId, id, email, via, note }, row) => sql`update ${escalations} ${setOf(escalations, {
    status: sql`'resolved'`,
    resolvedAt: sql`clock_timestamp()`,
    resolvedByEmail: email,
    resolvedNote: note,
    ...atRest,
    acknowledgedAt: sql`coalesce(${escalations.acknowledgedAt}, clock_timestamp())`,
    acknowledgedByEmail: sql`case when ${escalations.acknowledgedAt} is null
      then ${email} else ${escalations.acknowledgedByEmail} end`,
    acknowledgedVia: sql`coalesce(${escalations.acknowledgedVia}, ${via})`,
  })} where ${escalations.orgId} = ${orgId} and ${escalations.id} = ${id} and ${escalations.status} <> 'resolved'
    returning ${row}`,
);
