import { ServiceError } from '../../core/errors.ts';
import { alias, type SQL, sql } from '../../db/drizzle.ts';
import { authenticators, principals } from '../../db/schema/identity.ts';
import { memberships, orgs, type Role } from '../../db/schema/orgs.ts';
import {
  computed,
  excluded,
  from,
  insertInto,
  insertSelect,
  namesOf,
  pick,
  setOf,
  statement,
  typed,
  type Values,
} from '../../db/sql.ts';
import { rolesFrom } from '../../kernel/access/permissions.ts';
import { writeAudit } from '../../kernel/durability/audit-log.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { createPrincipal } from '../identity/shared/subject-principal.ts';
import { notifyPosture } from '../members/shared/recovery-posture.ts';
import { lockOrg } from '../orgs/shared/lock-org.ts';

/** A mail address that was just proven, and whose it is. */
interface ProvenEmail {
  readonly principalId: string;
  readonly authenticatorId: string;
}

/**
 * The person who has just proven to read a mail address; an unknown one is made. An address that its person gave up
 * begins anew, as a person who owns nothing.
 *
 * @throws INVALID_AUTH for a disabled person
 */
export async function personOfEmail(work: Work, email: string): Promise<ProvenEmail> {
  await createPrincipal(
    work.client,
    work.services,
    { kind: 'email', publicSubject: email },
    { type: 'human', verified: true },
  );
  const [known] = await work.rows(emailStatement.with({ email }));
  const { id, principalId, verified, revoked, disabled } = known!;
  if (revoked) {
    const fresh = work.services.newId('prn');
    await work.rows(reassignStatement.with({ id, fresh }));
    await takeInvites(work, principalId, fresh, email);
    return { principalId: fresh, authenticatorId: id };
  }
  if (disabled) throw new ServiceError('INVALID_AUTH', { details: { reason: 'disabled' } });
  if (!verified) await work.rows(verifyStatement.with({ id }));
  return { principalId, authenticatorId: id };
}

/** The addresses that a person has proven, oldest first. */
export async function emailsOf({ rows }: { readonly rows: Work['rows'] }, principalId: string): Promise<string[]> {
  return (await rows(emailsStatement.with({ principalId }))).map(({ email }) => email);
}

/** Has everybody wait who would change the same person's ways to sign in. */
export const lockPerson = (work: Work, principalId: string) => work.rows(lockStatement.with({ id: principalId }));

/**
 * Begins the memberships that a person was invited to by an address it has proven: those below admin, and with a passkey
 * those of owners and admins. What has expired stays what it is. Contract 01, section 6.5.
 *
 * @returns the organizations
 */
export async function activateInvites(work: Work, principalId: string): Promise<string[]> {
  await lockPerson(work, principalId);
  const due = await work.rows(dueStatement.with({ principalId, higherRoles }));
  const joined: string[] = [];
  for (const { orgId } of due) {
    const org = await lockOrg(work, orgId);
    const [member] = await work.rows(activateStatement.with({ principalId, higherRoles, orgId }));
    if (org === undefined || member === undefined) continue;
    work.authorityChanged(orgId);
    await writeAudit(
      work.client,
      work,
      await work.caller(),
      { org },
      { action: 'invite.activated', object: { kind: 'principal', id: principalId }, details: { ...member } },
    );
    if (member.role === 'owner') await notifyPosture(work, orgId);
    joined.push(orgId);
  }
  return joined;
}

/** What a person was invited to by an address it has proven, and what waits for a passkey alone. Contract 01, section 6.5. */
export const invitesWaiting = ({ rows }: { readonly rows: Work['rows'] }, principalId: string) =>
  rows(waitingStatement.with({ principalId, higherRoles }));

/** An invitation by an address belongs to the person who proves the address. */
export async function takeInvites(work: Work, from: string, to: string, email: string): Promise<void> {
  await work.rows(takeInvitesStatement.with({ from, to, email }));
  await work.rows(dropInvitesStatement.with({ from, email }));
}

/** Roles that begin once a passkey is enrolled. */
const higherRoles = rolesFrom('admin');

const { id, principalId, kind, publicSubject, verifiedAt, revokedAt } = authenticators;

const emailStatement = statement(
  'people.email',
  {
    params: { email: publicSubject },
    row: {
      id,
      principalId,
      verified: computed<boolean>('boolean', sql`${verifiedAt} is not null`),
      revoked: computed<boolean>('boolean', sql`${revokedAt} is not null`),
      disabled: computed<boolean>('boolean', sql`${principals.disabledAt} is not null`),
    },
  },
  ({ email }, row) => sql`select ${row} from ${authenticators} join ${principals} on ${principals.id} = ${principalId}
    where ${kind} = 'email' and ${publicSubject} = ${email} for no key update of ${authenticators}`,
);

const verifyStatement = statement(
  'people.verify-email',
  { params: { id } },
  (given) => sql`update ${authenticators} ${setOf(authenticators, { verifiedAt: sql`clock_timestamp()` })}
    where ${id} = ${given.id}`,
);

const reassignStatement = statement(
  'people.reassign-email',
  { params: { id, fresh: principals.id } },
  (given) => sql`with fresh as (
      ${insertInto(principals, { id: given.fresh, type: sql`'human'` })} returning ${principals.id}
    )
    update ${authenticators} ${setOf(authenticators, {
      principalId: sql`fresh.id`,
      revokedAt: sql`null`,
      verifiedAt: sql`clock_timestamp()`,
    })} from fresh where ${id} = ${given.id}`,
);

const emailsStatement = statement(
  'people.emails',
  { params: { principalId }, row: { email: publicSubject } },
  (given, row) => sql`select ${row} from ${authenticators} where ${principalId} = ${given.principalId}
    and ${kind} = 'email' and ${verifiedAt} is not null and ${revokedAt} is null
    order by ${authenticators.createdAt}, ${publicSubject}`,
);

const lockStatement = statement(
  'people.lock',
  { params: { id: principals.id } },
  (given) => sql`select from ${principals} where ${principals.id} = ${given.id} for no key update`,
);

const invitee = { principalId: memberships.principalId, higherRoles: typed<readonly Role[]>('text[]') };
type Invitee = { readonly [Name in keyof typeof invitee]: SQL };

const invitedHere = (given: Invitee): SQL => sql`${memberships.principalId} = ${given.principalId}
  and ${memberships.status} = 'invited'
  and (${memberships.inviteExpiresAt} is null or ${memberships.inviteExpiresAt} > clock_timestamp())
  and exists (select from ${authenticators} where ${principalId} = ${given.principalId} and ${kind} = 'email'
    and ${publicSubject} = ${memberships.invitedEmail} and ${verifiedAt} is not null and ${revokedAt} is null)`;

const hasPasskey = (given: Invitee): SQL => sql`exists (select from ${authenticators}
  where ${principalId} = ${given.principalId} and ${kind} = 'passkey' and ${revokedAt} is null)`;

const isDue = (given: Invitee): SQL =>
  sql`${invitedHere(given)} and (${memberships.role} <> all(${given.higherRoles}::text[]) or ${hasPasskey(given)})`;

const waitingStatement = statement(
  'people.waiting-invites',
  {
    params: invitee,
    row: {
      ...pick(memberships, 'orgId', 'role'),
      displayName: orgs.displayName,
      expiresAt: memberships.inviteExpiresAt,
    },
  },
  (given, row) => sql`select ${row} from ${memberships} join ${orgs} on ${orgs.id} = ${memberships.orgId}
    where ${invitedHere(given)} and ${memberships.role} = any(${given.higherRoles}::text[]) and not ${hasPasskey(given)}
    order by ${memberships.createdAt}, ${memberships.orgId}`,
);

const dueStatement = statement(
  'people.due-invites',
  { params: invitee, row: pick(memberships, 'orgId') },
  (given, row) => sql`select ${row} from ${memberships} where ${isDue(given)} order by ${memberships.orgId}`,
);

// Asked again under the organization's lock: an owner may have withdrawn it, or given it another role.
const activateStatement = statement(
  'people.activate-invite',
  {
    params: { ...invitee, orgId: memberships.orgId },
    row: { role: memberships.role, email: memberships.invitedEmail },
  },
  ({ orgId, ...given }, row) => sql`update ${memberships}
    ${setOf(memberships, { status: sql`'active'`, inviteExpiresAt: sql`null` })}
    where ${memberships.orgId} = ${orgId} and ${isDue(given)} returning ${row}`,
);

const taken = alias(memberships, 'taken');

const takeInvitesStatement = statement(
  'people.take-invites',
  {
    params: { from: memberships.principalId, to: memberships.principalId, email: memberships.invitedEmail },
  },
  (given) => {
    const invitation = {
      role: taken.role,
      status: taken.status,
      invitedEmail: taken.invitedEmail,
      invitedBy: taken.invitedBy,
      inviteExpiresAt: taken.inviteExpiresAt,
      inviteMailedAt: taken.inviteMailedAt,
    };
    const each = (write: (key: keyof typeof invitation) => SQL) =>
      Object.fromEntries(Object.keys(invitation).map((key) => [key, write(key as keyof typeof invitation)]));
    const values: Values<typeof memberships> = {
      orgId: sql`${taken.orgId}`,
      principalId: given.to,
      id: sql`gen_random_uuid()`,
      ...each((key) => sql`${invitation[key]}`),
    };
    return sql`${insertSelect(
      memberships,
      values,
      sql`from ${from(taken)} where ${taken.principalId} = ${given.from} and ${taken.status} = 'invited'
        and ${taken.invitedEmail} = ${given.email}`,
    )} on conflict (${namesOf(memberships.orgId, memberships.principalId)}) do update
      ${setOf(
        memberships,
        each((key) => excluded(memberships[key])),
      )}
      where ${memberships.status} = 'revoked'`;
  },
);

const dropInvitesStatement = statement(
  'people.drop-invites',
  { params: { from: memberships.principalId, email: memberships.invitedEmail } },
  (given) => sql`update ${memberships} ${setOf(memberships, { status: sql`'revoked'` })}
    where ${memberships.principalId} = ${given.from} and ${memberships.status} = 'invited'
      and ${memberships.invitedEmail} = ${given.email}`,
);
