import { z } from 'zod';
import type { Statement } from '../../db/pool.ts';
import { signedIn } from '../../kernel/access/access.ts';
import { query } from '../../kernel/run/operation.ts';
import { degradedSql } from '../incidents/shared/open-incidents.ts';
import { contactStates, emailStateOf, findContact, passkeyStateOf } from '../operator-contact/shared/contact.ts';
import { lookedFor, operatedOrgs, type Reach, reachOf } from './reach.ts';

export interface OperatorStatus extends Reach {
  readonly emailStatus: (typeof contactStates)[number];
  readonly passkeyStatus: (typeof contactStates)[number];
  /** An organization that the caller owns could not be acted for once its owner lost the way in. */
  readonly recoveryGap: boolean;
  readonly projectIds: readonly string[];
  readonly degraded: boolean;
  /** Addresses that notices reach. */
  readonly verifiedRecipients: number;
}

interface FactsRow {
  readonly recoveryGap: boolean;
  readonly projectIds: string[];
  readonly degraded: boolean;
  readonly verifiedRecipients: number;
}

/** What needs somebody's attention, in words. */
export const criticalItems = ({ advisories, recoveryGap }: OperatorStatus) => [
  ...advisories.map(({ type, orgId }) => ({
    kind: type as string,
    detail:
      type === 'operator_unreachable'
        ? `Nobody who owns or administers ${orgId} has a verified mail address: notices reach nobody.`
        : `The lease of ${orgId} has ended.`,
  })),
  ...(recoveryGap
    ? [{ kind: 'recovery_gap', detail: 'No owner could come back if what it signs in with were lost.' }]
    : []),
];

/** `GET /agent/v1/operator/status`, as `svc doctor` reads it. Contract 04, section 3.6. */
export const getOperatorStatus = query({
  name: 'operator.getStatus',
  tool: 'get_operator_status',
  command: 'agent operator-status',
  summary: 'Whether notices about what a caller answers for reach a person, and what needs one.',
  access: signedIn('wallet', 'control_plane', 'operator'),
  input: z.object({}),
  async handler(ctx): Promise<OperatorStatus> {
    const { principal, services } = ctx;
    const [reach, contact, [facts]] = await Promise.all([
      reachOf(ctx, principal),
      findContact(services.db, principal.principal.id),
      services.db.rows<FactsRow>(factsStatement, lookedFor(principal)),
    ]);
    // Who signed in by an address reads it.
    const byMail = principal.kind === 'operator' ? 'verified' : 'none';
    return {
      ...reach,
      ...facts!,
      emailStatus: contact === undefined ? byMail : emailStateOf(contact),
      passkeyStatus: contact === undefined ? 'none' : passkeyStateOf(contact),
    };
  },
  wire: z.object({
    operator_contact: z.object({
      email_status: z.enum(contactStates),
      passkey_status: z.enum(contactStates),
      recovery_gap: z.boolean(),
    }),
    critical_items: z.array(z.object({ kind: z.string(), detail: z.string() })),
    skipped_notifications: z.array(z.never()),
    organizations: z.array(z.string()),
    projects: z.array(z.string()),
    active_thresholds: z.array(z.never()),
    operator_reachability: z.object({
      reachable: z.boolean(),
      verified_recipient_count: z.int(),
      sources: z.array(z.enum(['agent_contacts', 'org_membership'])),
      skipped_last_90d: z.int(),
    }),
    platform_status: z.literal('degraded').optional(),
  }),
  toWire: (status) => ({
    operator_contact: {
      email_status: status.emailStatus,
      passkey_status: status.passkeyStatus,
      recovery_gap: status.recoveryGap,
    },
    critical_items: criticalItems(status),
    skipped_notifications: [],
    organizations: status.organizations.map(({ orgId }) => orgId),
    projects: [...status.projectIds],
    active_thresholds: [],
    operator_reachability: {
      reachable: status.verifiedRecipients > 0,
      verified_recipient_count: status.verifiedRecipients,
      sources: ['agent_contacts' as const, 'org_membership' as const],
      skipped_last_90d: 0,
    },
    ...(status.degraded ? { platform_status: 'degraded' as const } : {}),
  }),
});

const factsStatement: Statement = {
  name: 'operator.facts',
  text: `select
      exists (select from memberships m left join org_recovery_postures r on r.org_id = m.org_id
        join orgs o on o.id = m.org_id and o.lifecycle_state <> 'purged'
        where m.org_id in (${operatedOrgs}) and m.role = 'owner' and m.status = 'active'
          and not coalesce(r.control_plane_configured, false)) as "recoveryGap",
      array(select p.id from projects p where p.org_id in (${operatedOrgs}) and p.deleted_at is null
        order by p.created_at, p.id) as "projectIds",
      ${degradedSql('(select null::uuid)')} as degraded,
      (select count(distinct v.email)::int from (
        select a.public_subject as email from memberships m
          join authenticators a on a.principal_id = m.principal_id and a.kind = 'email'
            and a.verified_at is not null and a.revoked_at is null
          where m.org_id in (${operatedOrgs}) and m.status = 'active' and m.role in ('owner', 'admin')
        union select c.email from memberships m join operator_contacts c on c.principal_id = m.principal_id
          where m.org_id in (${operatedOrgs}) and m.status = 'active' and c.email_verified_at is not null
      ) v) as "verifiedRecipients"`,
};
