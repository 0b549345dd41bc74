import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { memberships } from '../../../db/schema/orgs.ts';
import { pick, statement } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { fromMemberships, type MemberRow, memberColumns } from './member-row.ts';

/** A membership as it stands inside the transaction, an ended one included; undefined where there never was one. */
export async function findMembership(work: Work, orgId: string, principalId: string): Promise<MemberRow | undefined> {
  const [member] = await work.rows(findStatement.with({ orgId, principalId }));
  return member;
}

/** A membership that has not ended, in the organization that was authorised. @throws RESOURCE_NOT_FOUND */
export async function requireMember(work: Work, orgId: string, principalId: string): Promise<MemberRow> {
  const member = await findMembership(work, orgId, principalId);
  if (member === undefined || member.status === 'revoked') throw noMember(principalId);
  return member;
}

/** The refusal for a principal that is no member; only for callers who may know the members. */
export const noMember = (principalId: string) =>
  new ServiceError('RESOURCE_NOT_FOUND', {
    message: 'There is no such member.',
    details: { principal_id: principalId },
  });

const findStatement = statement(
  'members.find',
  { params: pick(memberships, 'orgId', 'principalId'), row: memberColumns },
  ({ orgId, principalId }, row) => sql`select ${row} from ${fromMemberships}
    where ${memberships.orgId} = ${orgId} and ${memberships.principalId} = ${principalId}`,
);
