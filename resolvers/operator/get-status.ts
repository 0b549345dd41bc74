import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { type Answer, jsonList, jsonObject } from '../../db/json.ts';
import { authenticators } from '../../db/schema/identity.ts';
import { notices, usageThresholds } from '../../db/schema/notices.ts';
import { operatorContacts } from '../../db/schema/operator-contacts.ts';
import { memberships, orgs } from '../../db/schema/orgs.ts';
import { projects } from '../../db/schema/projects.ts';
import { orgRecoveryPostures } from '../../db/schema/sign-in-flows.ts';
import { computed, pick, statement } from '../../db/sql.ts';
import { signedIn } from '../../kernel/access/access.ts';
import { query } from '../../kernel/run/operation.ts';
import { firstWallet, joinVerifiedMail } from '../identity/shared/known-addresses.ts';
import { isDegraded } from '../incidents/shared/open-incidents.ts';
import { contactStates, emailStateOf, findContact, passkeyStateOf } from '../operator-contact/shared/contact.ts';
import { answeredFor, answering, lookedFor } from '../sessions/shared/sessions.ts';
import { operatedOrgs, type Reach, reachOf } from './reach.ts';

export interface OperatorStatus extends Reach {
  readonly emailStatus: (typeof contactStates)[number];
  readonly passkeyStatus: (typeof contactStates)[number];
  /** An organization that the caller owns could not be acted for once its owner lost the way in. */
  readonly recoveryGap: boolean;
  readonly projectIds: readonly string[];
  readonly degraded: boolean;
  /** Notices of the last 90 days that nobody got, newest first: the latest of them. */
  readonly skipped: Answer<typeof skippedNotices>;
  readonly skippedCount: number;
  /** Limits that come near, or are reached. */
  readonly thresholds: Answer<typeof activeThresholds>;
  /** Addresses that notices reach. */
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
  path: 'GET /agent/v1/operator/status',
  access: signedIn('wallet', 'control_plane', 'operator'),
  input: z.object({}),
  async handler(ctx): Promise<OperatorStatus> {
    const { principal, services } = ctx;
    const [reach, contact, [facts]] = await Promise.all([
      reachOf(ctx, principal),
      findContact(services.db, principal.principal.id),
      services.db.rows(factsStatement.with(lookedFor(principal))),
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
    skipped_notifications: z.array(
      z.object({
        id: z.string(),
        event_type: z.string().nullable(),
        related_project_id: z.string().nullable(),
        related_organization_id: z.uuid().nullable(),
        related_wallet_address: z.string().nullable(),
        created_at: z.iso.datetime(),
      }),
    ),
    organizations: z.array(z.string()),
    projects: z.array(z.string()),
    active_thresholds: z.array(
      z.object({
        resource: z.string(),
        level: z.enum(['warn', 'critical']),
        scope_kind: z.literal('organization'),
        scope_id: z.uuid(),
        crossed_at: z.iso.datetime(),
        last_observed_value: z.number().nullable(),
      }),
    ),
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
    skipped_notifications: status.skipped.map((one) => ({
      id: one.id,
      event_type: one.eventType,
      related_project_id: one.projectId,
      related_organization_id: one.orgId,
      related_wallet_address: one.wallet,
      created_at: new Date(one.createdAt).toISOString(),
    })),
    organizations: status.organizations.map(({ orgId }) => orgId),
    projects: [...status.projectIds],
    active_thresholds: status.thresholds.map(({ resource, level, orgId, crossedAt, lastValue }) => ({
      resource,
      level,
      scope_kind: 'organization' as const,
      scope_id: orgId,
      crossed_at: new Date(crossedAt).toISOString(),
      last_observed_value: lastValue,
    })),
    operator_reachability: {
      reachable: status.verifiedRecipients > 0,
      verified_recipient_count: status.verifiedRecipients,
      sources: ['agent_contacts' as const, 'org_membership' as const],
      skipped_last_90d: status.skippedCount,
    },
    ...(status.degraded ? { platform_status: 'degraded' as const } : {}),
  }),
});

const operated = sql`${memberships.orgId} in (select org_id from operated)`;

const isSkipped = sql`${notices.principalId} in (select id from answered) and ${notices.state} = 'skipped_no_recipient'
  and not ${notices.isTest}`;

const skippedNotices = jsonList(
  jsonObject({
    ...pick(notices, 'id', 'eventType', 'projectId', 'orgId', 'createdAt'),
    wallet: computed<string | null>('text', sql`(${firstWallet(notices.principalId)})`),
  }),
  sql`from (select * from ${notices} where ${isSkipped} order by ${notices.createdAt} desc limit 20) ${notices}`,
  sql`${notices.createdAt} desc, ${notices.id} desc`,
);

const activeThresholds = jsonList(
  jsonObject({
    ...pick(usageThresholds, 'resource', 'level', 'orgId', 'crossedAt'),
    lastValue: computed<number>('numeric', sql`${usageThresholds.lastValue}::numeric`),
  }),
  sql`from ${usageThresholds} where ${usageThresholds.orgId} in (select org_id from operated)`,
  sql`${usageThresholds.orgId}, ${usageThresholds.resource}`,
);

const factsStatement = statement(
  'operator.facts',
  {
    params: answering,
    row: {
      recoveryGap: computed<boolean>(
        'boolean',
        sql`exists (select from ${memberships}
          left join ${orgRecoveryPostures} on ${orgRecoveryPostures.orgId} = ${memberships.orgId}
          join ${orgs} on ${orgs.id} = ${memberships.orgId} and ${orgs.lifecycleState} <> 'purged'
          where ${operated} and ${memberships.role} = 'owner' and ${memberships.status} = 'active'
            and not coalesce(${orgRecoveryPostures.controlPlaneConfigured}, false))`,
      ),
      projectIds: computed<readonly string[]>(
        'text[]',
        sql`array(select ${projects.id} from ${projects}
          where ${projects.orgId} in (select org_id from operated) and ${projects.deletedAt} is null
          order by ${projects.createdAt}, ${projects.id})`,
      ),
      degraded: computed<boolean>('boolean', isDegraded(sql`(select null::uuid)`)),
      skipped: skippedNotices,
      skippedCount: computed<number>('integer', sql`(select count(*)::int from ${notices} where ${isSkipped})`),
      thresholds: activeThresholds,
      verifiedRecipients: computed<number>(
        'integer',
        sql`(select count(distinct email)::int from (
          select ${authenticators.publicSubject} as email from ${memberships} ${joinVerifiedMail}
            where ${operated} and ${memberships.status} = 'active' and ${memberships.role} in ('owner', 'admin')
          union select ${operatorContacts.email} from ${memberships}
            join ${operatorContacts} on ${operatorContacts.principalId} = ${memberships.principalId}
            where ${operated} and ${memberships.status} = 'active' and ${operatorContacts.emailVerifiedAt} is not null
        ) verified)`,
      ),
    },
  },
  (given, row) => sql`with operated (org_id) as (${operatedOrgs(given)}), answered (id) as (${answeredFor(given)})
    select ${row}`,
);
