import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { authenticators } from '../../db/schema/identity.ts';
import { type MembershipStatus, memberships, type Role } from '../../db/schema/orgs.ts';
import { excluded, insertInto, namesOf, pick, setOf, statement, typed } from '../../db/sql.ts';
import { onOrg } from '../../kernel/access/access.ts';
import { principalIdOf } from '../../kernel/access/caller.ts';
import { refuseWhileClosed } from '../../kernel/access/lifecycle.ts';
import { reaches } from '../../kernel/access/permissions.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { emailAddress } from '../../kernel/input/email-address.ts';
import { orgId } from '../../kernel/input/fields.ts';
import { inviteHours, inviteMailMinutes } from '../../kernel/limits/limits.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { findOrCreatePrincipal, type SubjectPrincipal } from '../identity/shared/subject-principal.ts';
import { notifyPosture } from '../members/shared/recovery-posture.ts';
import { requireRoomForMember } from '../members/shared/room-for-member.ts';
import { findMembership } from '../orgs/shared/find-member.ts';
import { lockOrgFor } from '../orgs/shared/lock-org.ts';
import type { MemberRow } from '../orgs/shared/member-row.ts';
import { roleWire } from '../orgs/shared/wire.ts';
import { requireWriterOfAll } from '../vaults/shared/writers.ts';
import { mailInvite } from './invite-mail.ts';
import { inviteActions } from './shared/actions.ts';
import { InviteWire, inviteToWire } from './wire.ts';

export interface CreatedInvite {
  readonly member: MemberRow;
  /** The address as it was normalised. */
  readonly email: string;
  /** `unchanged`: an active member, who stays as it is. */
  readonly outcome: 'invited' | 'added' | 'unchanged';
  readonly emailSent: boolean;
}

/** `POST /orgs/v1/:org_id/invites`. Contract 01, section 6.5. */
export const createInvite = mutation({
  name: 'invites.create',
  tool: 'create_org_invite',
  command: 'org invite create',
  effects: ['openWorld'],
  summary: 'Invite a mail address to an organization, or invite it anew; an active member stays as it is.',
  access: onOrg(inviteActions['org:invites:write'], ({ org }: { org: string }) => org),
  stepUp: 'org.invite',
  lifecycle: 'gated',
  input: z.object({
    org: orgId,
    email: emailAddress.describe('Address to invite; letter case and blanks around it do not matter.'),
    role: roleWire.default('developer').describe('Role it gets: `developer` unless told.'),
    invite_ttl_hours: z
      .int()
      .min(1)
      .max(inviteHours.most)
      .default(inviteHours.usual)
      .describe('Hours until the invitation expires: 168 unless told, at most 8760.'),
  }),
  async handler(work, { email, role, invite_ttl_hours }): Promise<CreatedInvite> {
    const org = await lockOrgFor(work, work.org.id, inviteActions['org:invites:write']);
    refuseWhileClosed(org);
    const invitee = await findOrCreatePrincipal(work, { kind: 'email', publicSubject: email }, org.id);
    const before = await findMembership(work, org.id, invitee.principalId);
    if (before?.status === 'active') return { member: before, email, outcome: 'unchanged', emailSent: false };
    await requireRoomForMember(work, org, before);
    const status: MembershipStatus = (await mayJoinAtOnce(work, invitee, role)) ? 'active' : 'invited';
    if (status === 'active') await requireWriterOfAll(work, org.id, role);
    const [mailed] = await work.rows(
      mailedStatement.with({ orgId: org.id, principalId: invitee.principalId, minutes: inviteMailMinutes }),
    );
    const emailSent = mailed === undefined;
    const caller = await work.caller();
    const membership = {
      orgId: org.id,
      principalId: invitee.principalId,
      id: randomUUID(),
      role,
      status,
      invitedEmail: email,
      invitedBy: principalIdOf(caller),
      hours: status === 'active' ? null : invite_ttl_hours,
      mailed: emailSent,
    };
    await work.rows(upsertStatement.with(membership));
    work.authorityChanged(org.id);
    if (status === 'active' && role === 'owner') await notifyPosture(work, org.id);
    const member = (await findMembership(work, org.id, invitee.principalId))!;
    if (emailSent) await mailInvite(work, org, email, member);
    return { member, email, outcome: status === 'active' ? 'added' : 'invited', emailSent };
  },
  audit: ({ member, email, outcome }) =>
    outcome === 'unchanged'
      ? undefined
      : {
          action: outcome === 'added' ? 'member.added' : 'invite.created',
          object: { kind: 'principal', id: member.principalId },
          details: { role: member.role, email },
        },
  wire: InviteWire.extend({ status: z.enum(['invited', 'added']), email_sent: z.boolean() }),
  toWire: ({ member, email, outcome, emailSent }) => ({
    ...inviteToWire({ ...member, invitedEmail: email }),
    status: outcome === 'invited' ? ('invited' as const) : ('added' as const),
    email_sent: emailSent,
  }),
});

/** Whoever has proven the address need not do so again; the higher roles want a passkey as well. */
async function mayJoinAtOnce(work: Work, { principalId, verified }: SubjectPrincipal, role: Role): Promise<boolean> {
  if (!verified || !reaches(role, 'admin')) return verified;
  return (await work.rows(passkeyStatement.with({ principalId }))).length > 0;
}

const passkeyStatement = statement(
  'invites.passkey',
  { params: pick(authenticators, 'principalId'), row: pick(authenticators, 'id') },
  ({ principalId }, row) => sql`select ${row} from ${authenticators}
    where ${authenticators.principalId} = ${principalId} and ${authenticators.kind} = 'passkey'
      and ${authenticators.revokedAt} is null limit 1`,
);

// A row when the address was mailed too recently. Invitations of one organization happen one after the other, so its
// answer holds until the commit.
const mailedStatement = statement(
  'invites.mailed-recently',
  {
    params: { ...pick(memberships, 'orgId', 'principalId'), minutes: typed<number>('integer') },
    row: pick(memberships, 'id'),
  },
  ({ orgId: org, principalId, minutes }, row) => sql`select ${row} from ${memberships}
    where ${memberships.orgId} = ${org} and ${memberships.principalId} = ${principalId}
      and ${memberships.inviteMailedAt} > clock_timestamp() - make_interval(mins => ${minutes})`,
);

const upsertStatement = statement(
  'invites.upsert',
  {
    params: {
      ...pick(memberships, 'orgId', 'principalId', 'id', 'role', 'status', 'invitedEmail', 'invitedBy'),
      hours: typed<number | null>('integer'),
      mailed: typed<boolean>('boolean'),
    },
  },
  ({ hours, mailed, ...given }) =>
    sql`${insertInto(memberships, {
      ...given,
      inviteExpiresAt: sql`clock_timestamp() + make_interval(hours => ${hours})`,
      inviteMailedAt: sql`case when ${mailed}::boolean then clock_timestamp() end`,
    })} on conflict (${namesOf(memberships.orgId, memberships.principalId)}) do update ${setOf(memberships, {
      role: excluded(memberships.role),
      status: excluded(memberships.status),
      invitedEmail: excluded(memberships.invitedEmail),
      invitedBy: excluded(memberships.invitedBy),
      inviteExpiresAt: excluded(memberships.inviteExpiresAt),
      inviteMailedAt: sql`coalesce(${excluded(memberships.inviteMailedAt)}, ${memberships.inviteMailedAt})`,
      createdAt: sql`case when ${memberships.status} = 'revoked'
      then ${excluded(memberships.createdAt)} else ${memberships.createdAt} end`,
    })}`,
);
