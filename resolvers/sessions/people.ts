import { ServiceError } from '../../core/errors.ts';
import type { Statement } from '../../db/pool.ts';
import type { Role } from '../../db/schema/orgs.ts';
import { rolesFrom } from '../../kernel/access/permissions.ts';
import { writeAudit } from '../../kernel/durability/audit-log.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { createPrincipal } from '../identity/shared/subject-principal.ts';
import { tellPosture } from '../members/shared/recovery-posture.ts';
import { lockOrg } from '../orgs/shared/lock-org.ts';

interface EmailRow {
  readonly id: string;
  readonly principalId: string;
  readonly verified: boolean;
  readonly revoked: boolean;
  readonly disabled: boolean;
}

/** A mail address that was just proven, and whose it is. */
interface ProvenEmail {
  readonly principalId: string;
  readonly authenticatorId: string;
}

/**
 * The person who has just proven to read a mail address; an unknown one is made. An address that its person gave up
 * begins anew, as somebody who owns nothing.
 *
 * @throws INVALID_AUTH for somebody who was disabled
 */
export async function personOfEmail(work: Work, email: string): Promise<ProvenEmail> {
  await createPrincipal(
    work.client,
    work.services,
    { kind: 'email', publicSubject: email },
    { type: 'human', verified: true },
  );
  const [known] = await work.rows<EmailRow>(emailStatement, [email]);
  const { id, principalId, verified, revoked, disabled } = known!;
  if (revoked) {
    const fresh = work.services.newId('prn');
    await work.rows(reassignStatement, [id, fresh]);
    await takeInvites(work, principalId, fresh, email);
    return { principalId: fresh, authenticatorId: id };
  }
  if (disabled) throw new ServiceError('INVALID_AUTH', { details: { reason: 'disabled' } });
  if (!verified) await work.rows(verifyStatement, [id]);
  return { principalId, authenticatorId: id };
}

/** The addresses that a person has proven, oldest first. */
export async function emailsOf({ rows }: { readonly rows: Work['rows'] }, principalId: string): Promise<string[]> {
  return (await rows<{ email: string }>(emailsStatement, [principalId])).map(({ email }) => email);
}

/** Has everybody wait who would change the same person's ways to sign in. */
export const lockPerson = (work: Work, principalId: string) => work.rows(lockStatement, [principalId]);

/**
 * Begins the memberships that a person was invited to by an address it has proven: those below admin, and with a passkey
 * those of owners and admins. What has expired stays what it is. Contract 01, section 6.5.
 *
 * @returns the organizations
 */
export async function activateInvites(work: Work, principalId: string): Promise<string[]> {
  await lockPerson(work, principalId);
  const due = await work.rows<{ orgId: string }>(dueStatement, [principalId, higherRoles]);
  const joined: string[] = [];
  for (const { orgId } of due) {
    const org = await lockOrg(work, orgId);
    const [member] = await work.rows<{ role: Role; email: string }>(activateStatement, [
      principalId,
      higherRoles,
      orgId,
    ]);
    if (org === undefined || member === undefined) continue;
    work.authorityChanged(orgId);
    await writeAudit(
      work.client,
      work,
      await work.caller(),
      { org },
      { action: 'invite.activated', object: { kind: 'principal', id: principalId }, details: { ...member } },
    );
    if (member.role === 'owner') await tellPosture(work, orgId);
    joined.push(orgId);
  }
  return joined;
}

/** An invitation that begins once its person has a passkey. */
export interface WaitingInvite {
  readonly orgId: string;
  readonly displayName: string | null;
  readonly role: Role;
  /** Null: it does not expire. */
  readonly expiresAt: Date | null;
}

/** What a person was invited to by an address it has proven, and what waits for a passkey alone. Contract 01, section 6.5. */
export const invitesWaiting = ({ rows }: { readonly rows: Work['rows'] }, principalId: string) =>
  rows<WaitingInvite>(waitingStatement, [principalId, higherRoles]);

/** Whoever was invited by an address, before it was known whose it is, is who proves it. */
export async function takeInvites(work: Work, from: string, to: string, email: string): Promise<void> {
  await work.rows(takeInvitesStatement, [from, to, email]);
  await work.rows(dropInvitesStatement, [from, email]);
}

/** Roles that begin once a passkey is enrolled. */
const higherRoles = rolesFrom('admin');

const emailStatement: Statement = {
  name: 'people.email',
  text: `select a.id, a.principal_id as "principalId", a.verified_at is not null as verified,
      a.revoked_at is not null as revoked, p.disabled_at is not null as disabled
    from authenticators a join principals p on p.id = a.principal_id
    where a.kind = 'email' and a.public_subject = $1 for no key update of a`,
};

const verifyStatement: Statement = {
  name: 'people.verify-email',
  text: 'update authenticators set verified_at = clock_timestamp() where id = $1',
};

const reassignStatement: Statement = {
  name: 'people.reassign-email',
  text: `with fresh as (insert into principals (id, type) values ($2, 'human') returning id)
    update authenticators a set principal_id = fresh.id, revoked_at = null, verified_at = clock_timestamp()
    from fresh where a.id = $1`,
};

const emailsStatement: Statement = {
  name: 'people.emails',
  text: `select public_subject as email from authenticators
    where principal_id = $1 and kind = 'email' and verified_at is not null and revoked_at is null
    order by created_at, public_subject`,
};

const lockStatement: Statement = {
  name: 'people.lock',
  text: 'select 1 from principals where id = $1 for no key update',
};

const invitedHere = `m.principal_id = $1 and m.status = 'invited'
      and (m.invite_expires_at is null or m.invite_expires_at > clock_timestamp())
      and exists (select from authenticators a where a.principal_id = $1 and a.kind = 'email'
        and a.public_subject = m.invited_email and a.verified_at is not null and a.revoked_at is null)`;

const hasPasskey = `exists (select from authenticators a
        where a.principal_id = $1 and a.kind = 'passkey' and a.revoked_at is null)`;

const due = `${invitedHere} and (m.role <> all($2::text[]) or ${hasPasskey})`;

const waitingStatement: Statement = {
  name: 'people.waiting-invites',
  text: `select m.org_id as "orgId", o.display_name as "displayName", m.role, m.invite_expires_at as "expiresAt"
    from memberships m join orgs o on o.id = m.org_id
    where ${invitedHere} and m.role = any($2::text[]) and not ${hasPasskey} order by m.created_at, m.org_id`,
};

const dueStatement: Statement = {
  name: 'people.due-invites',
  text: `select m.org_id as "orgId" from memberships m where ${due} order by m.org_id`,
};

// Asked again under the organization's lock: an owner may have withdrawn it, or given it another role.
const activateStatement: Statement = {
  name: 'people.activate-invite',
  text: `update memberships m set status = 'active', invite_expires_at = null
    where m.org_id = $3::uuid and ${due} returning m.role, m.invited_email as email`,
};

const takeInvitesStatement: Statement = {
  name: 'people.take-invites',
  text: `insert into memberships as m (org_id, principal_id, id, role, status, invited_email, invited_by,
        invite_expires_at, invite_mailed_at)
    select org_id, $2, gen_random_uuid(), role, status, invited_email, invited_by, invite_expires_at, invite_mailed_at
      from memberships where principal_id = $1 and status = 'invited' and invited_email = $3
    on conflict (org_id, principal_id) do update set role = excluded.role, status = excluded.status,
      invited_email = excluded.invited_email, invited_by = excluded.invited_by,
      invite_expires_at = excluded.invite_expires_at, invite_mailed_at = excluded.invite_mailed_at
    where m.status = 'revoked'`,
};

const dropInvitesStatement: Statement = {
  name: 'people.drop-invites',
  text: `update memberships set status = 'revoked' where principal_id = $1 and status = 'invited' and invited_email = $2`,
};
