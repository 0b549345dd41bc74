import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { sql } from '../../../db/drizzle.ts';
import { memberships, type Role } from '../../../db/schema/orgs.ts';
import { excluded, insertInto, namesOf, pick, setOf, statement } from '../../../db/sql.ts';
import { onOrg } from '../../../kernel/access/access.ts';
import { refuseWhileClosed } from '../../../kernel/access/lifecycle.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { orgId, walletAddress } from '../../../kernel/input/fields.ts';
import { mutation } from '../../../kernel/run/operation.ts';
import { findOrCreatePrincipal } from '../../identity/shared/subject-principal.ts';
import { findMembership } from '../../orgs/shared/find-member.ts';
import { lockOrgFor } from '../../orgs/shared/lock-org.ts';
import type { MemberRow } from '../../orgs/shared/member-row.ts';
import { roleWire } from '../../orgs/shared/wire.ts';
import { type Envelope, keysInside } from '../../vaults/shared/member-keys.ts';
import { EnvelopeWire, envelopeActions, NextActionsWire } from '../../vaults/shared/wire.ts';
import { requireWriterOfAll } from '../../vaults/shared/writers.ts';
import { memberActions } from './actions.ts';
import { requireRoomForMember } from './room-for-member.ts';

export interface AddedMember {
  readonly member: MemberRow;
  /** False when the wallet was an active member already, whose role stays as it is. */
  readonly added: boolean;
  readonly envelope: Envelope;
}

/** `POST /orgs/v1/:org_id/members`. Contract 01, section 6.4. */
export const addMember = mutation({
  name: 'members.add',
  tool: 'add_org_member',
  command: 'org member add',
  effects: ['idempotent'],
  summary: 'Add a wallet to an organization; an active member stays as it is.',
  access: onOrg(memberActions['org:members:write'], ({ org }: { org: string }) => org),
  stepUp: 'org.membership',
  lifecycle: 'gated',
  input: z.object({
    org: orgId,
    wallet: walletAddress.describe('Wallet to add, in any letter case; one that nobody has shown yet is welcome.'),
    role: roleWire.default('developer').describe('Role it gets: `developer` unless told.'),
  }),
  async handler(work, { wallet, role }): Promise<AddedMember> {
    const locked = await lockOrgFor(work, work.org.id, memberActions['org:members:write']);
    refuseWhileClosed(locked);
    const org = locked.id;
    const { principalId } = await findOrCreatePrincipal(work, { kind: 'wallet', publicSubject: wallet }, org);
    const before = await findMembership(work, org, principalId);
    const added = before?.status !== 'active';
    if (added) {
      await requireRoomForMember(work, locked, before);
      await requireWriterOfAll(work, org, role);
      await activateMember(work, org, principalId, role);
      work.authorityChanged(org);
    }
    const [keys] = await keysInside(work, org, principalId);
    return { member: (await findMembership(work, org, principalId))!, added, envelope: keys!.envelope };
  },
  audit: ({ member, added }, { wallet }) =>
    added
      ? {
          action: 'member.added',
          object: { kind: 'principal', id: member.principalId },
          details: { role: member.role, wallet },
        }
      : undefined,
  wire: z.object({
    status: z.literal('ok'),
    principal_id: z.string(),
    role: roleWire,
    envelope: EnvelopeWire,
    next_actions: NextActionsWire,
  }),
  toWire: ({ member, envelope }) => ({
    status: 'ok' as const,
    principal_id: member.principalId,
    role: member.role,
    envelope: { state: envelope },
    next_actions: envelopeActions(envelope),
  }),
});

/** Makes a principal an active member, whatever it was before. Its caller holds the organization's lock. */
export const activateMember = (work: Work, orgId: string, principalId: string, role: Role) =>
  work.rows(activateStatement.with({ orgId, principalId, id: randomUUID(), role }));

// Whatever the membership was before. When an invitation was last mailed is kept, since that is limited.
const activateStatement = statement(
  'members.activate',
  { params: pick(memberships, 'orgId', 'principalId', 'id', 'role') },
  (given) => sql`${insertInto(memberships, { ...given, status: sql`'active'` })}
    on conflict (${namesOf(memberships.orgId, memberships.principalId)}) do update ${setOf(memberships, {
      role: excluded(memberships.role),
      status: sql`'active'`,
      invitedEmail: sql`null`,
      invitedBy: sql`null`,
      inviteExpiresAt: sql`null`,
      createdAt: sql`case when ${memberships.status} = 'revoked'
        then ${excluded(memberships.createdAt)} else ${memberships.createdAt} end`,
    })}`,
);
