import { z } from 'zod';
import { strategyOf } from './desired-mail.ts';
import type { ProjectDomain } from './domain-rows.ts';
import { isServed } from './judge.ts';
import type { DomainCheck, WantedRecord } from './judgement.ts';

const safety = z.object({
  safe_to_auto_run: z.boolean(),
  confirmation_required: z.boolean(),
  destructive: z.boolean(),
  external_required: z.boolean(),
  conflict_policy: z.string().optional(),
});

const recordWire = z
  .object({
    id: z.string(),
    purpose: z.string(),
    type: z.string(),
    name: z.string(),
    value: z.string(),
    value_parts: z.array(z.string()).optional(),
    priority: z.int().optional(),
    required: z.boolean(),
    status: z.enum(['unknown', 'missing', 'present', 'conflict']),
    safety,
  })
  .meta({ id: 'DomainRecord' });

const checkWire = z
  .object({
    id: z.string(),
    status: z.enum(['unknown', 'pending', 'passed', 'failed', 'drifted', 'blocked']),
    blocking: z.boolean(),
    reason_code: z.string().optional(),
    summary: z.string(),
    blocked_by: z.array(z.string()).optional(),
    checked_at: z.iso.datetime().optional(),
  })
  .meta({ id: 'DomainCheck' });

const actionWire = z.object({
  type: z.string(),
  method: z.string().optional(),
  path: z.string().optional(),
  why: z.string(),
  safe_to_auto_run: z.boolean(),
  external_required: z.boolean(),
  affected_record_ids: z.array(z.string()).optional(),
});

const receiveTestWire = z
  .object({
    id: z.string(),
    local_part: z.string(),
    address: z.string(),
    target_managed_address: z.string(),
    token: z.string(),
    status: z.enum(['pending', 'passed', 'failed', 'stale']),
    created_at: z.iso.datetime(),
    passed_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'DomainReceiveTest' });

/** Contract 03, section 5.3. */
export const ProjectDomainWire = z
  .object({
    project_id: z.string(),
    domain: z.string(),
    status: z.enum(['action_required', 'waiting', 'active', 'needs_repair', 'failed']),
    desired: z.looseObject({}),
    observed: z.looseObject({}),
    effective: z.looseObject({}),
    authority: z.object({ recommended_mode: z.literal('manual_dns'), options: z.array(z.literal('manual_dns')) }),
    dns_records: z.array(recordWire),
    checks: z.array(checkWire),
    receive_test: receiveTestWire.optional(),
    next_actions: z.array(actionWire),
    provenance: z.record(z.string(), z.string()),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'ProjectDomain' });

export type ProjectDomainShown = z.infer<typeof ProjectDomainWire>;

const provenance = {
  project: 'server_control_plane',
  desired: 'server_control_plane',
  observed_dns: 'public_dns_resolvers',
  effective: 'svc_control_plane',
  local_cache: 'not_used',
};

export function domainToWire(domain: ProjectDomain): ProjectDomainShown {
  const { checkedAt, boundAt, desired, name } = domain;
  const checkedIso = checkedAt === null ? {} : { checked_at: checkedAt.toISOString() };
  return {
    project_id: domain.projectId,
    domain: name,
    status: domain.status,
    desired: { ...desired },
    observed: observedToWire(domain),
    effective: {
      web: { active: isServed(domain), bound: boundAt !== null, url: `https://${name}` },
      email: effectiveMail(domain),
    },
    authority: { recommended_mode: 'manual_dns', options: ['manual_dns'] },
    dns_records: domain.records.map(recordToWire),
    checks: domain.checks.map((check) => checkToWire(check, checkedIso)),
    ...latestTest(domain),
    next_actions: actionsOf(domain),
    provenance,
    created_at: domain.createdAt.toISOString(),
    updated_at: domain.updatedAt.toISOString(),
  };
}

function observedToWire({ observed, unanswered }: ProjectDomain): Record<string, unknown> {
  if (observed === null) return {};
  const { at, texts, alias, addresses, targetAddresses, beginsZone, mail } = observed;
  return {
    at,
    texts,
    alias,
    addresses,
    target_addresses: targetAddresses,
    begins_zone: beginsZone,
    unanswered,
    ...(mail === undefined
      ? {}
      : {
          mail: {
            exchangers: mail.exchangers.domain,
            subdomain_exchangers: mail.exchangers.subdomain,
            dkim: mail.dkim,
            spf: mail.spf,
            dmarc: mail.dmarc,
          },
        }),
  };
}

/** What is in effect of mail below the domain. */
function effectiveMail({ mail, desired, checks }: ProjectDomain): Record<string, unknown> {
  const { email } = desired;
  const addresses = mail?.addresses ?? [];
  const isRouted = checks.some(({ id, status }) => id === 'mail_routing' && status === 'passed');
  const isActive = addresses.some(({ activatedAt }) => activatedAt !== null);
  const strategy = email?.receive.enabled === true ? strategyOf(email) : undefined;
  return {
    send: { active: mail?.sends === true },
    receive: {
      active: mail !== null && isRouted && (isActive || email?.mailbox_addresses.addresses.length === 0),
      ...(strategy === undefined ? {} : { strategy }),
    },
    ...(mail === null
      ? {}
      : {
          mailbox_addresses: addresses.map((one) => ({
            address: `${one.localPart}@${mail.name}`,
            mailbox_id: one.mailboxId,
            mailbox_slug: one.slug,
            primary: one.isPrimary,
            active: one.activatedAt !== null,
          })),
        }),
  };
}

function latestTest({ receiveTests: [latest] }: ProjectDomain): Pick<ProjectDomainShown, 'receive_test'> {
  if (latest === undefined) return {};
  return {
    receive_test: {
      id: latest.id,
      local_part: latest.localPart,
      address: latest.address,
      target_managed_address: latest.targetManagedAddress,
      token: latest.token,
      status: latest.status,
      created_at: new Date(latest.createdAt).toISOString(),
      passed_at: latest.passedAt === null ? null : new Date(latest.passedAt).toISOString(),
    },
  };
}

/** A text of a record has 255 letters at most, so that panels may want a longer value in parts. RFC 1035, section 3.3.14. */
const partLength = 255;

const recordToWire = (record: WantedRecord) => ({
  ...record,
  ...(record.value.length <= partLength
    ? {}
    : { value_parts: record.value.match(new RegExp(`.{1,${partLength}}`, 'g'))!.map(String) }),
  safety: {
    safe_to_auto_run: false,
    confirmation_required: record.status === 'conflict',
    destructive: record.status === 'conflict',
    external_required: true,
    ...(record.status === 'conflict' ? { conflict_policy: 'replace' } : {}),
  },
});

const checkToWire = ({ reasonCode, blockedBy, ...check }: DomainCheck, checked: { checked_at?: string }) => ({
  ...check,
  ...(reasonCode === undefined ? {} : { reason_code: reasonCode }),
  ...(blockedBy === undefined ? {} : { blocked_by: [...blockedBy] }),
  ...checked,
});

function actionsOf({ projectId, name, records, status, checks }: ProjectDomain): ProjectDomainShown['next_actions'] {
  const path = `/projects/v1/${projectId}/domains/${name}/actions`;
  const missing = records.filter((one) => one.required && one.status !== 'present').map(({ id }) => id);
  const later = { method: 'POST', safe_to_auto_run: true, external_required: false };
  return [
    ...(missing.length === 0
      ? []
      : [
          {
            type: 'set_dns_records',
            why: 'Set these records where the domain’s zone is kept.',
            safe_to_auto_run: false,
            external_required: true,
            affected_record_ids: missing,
          },
        ]),
    ...(status === 'failed' || status === 'needs_repair'
      ? [{ ...later, type: 'repair', path: `${path}/repair`, why: 'Once the records are right, begin anew.' }]
      : []),
    ...(waitsFor(checks, 'test_missing')
      ? [
          {
            ...later,
            type: 'test_receive',
            path: `${path}/test_receive`,
            why: 'See whether mail to an address arrives.',
          },
        ]
      : []),
    ...(waitsFor(checks, 'activation_manual')
      ? [
          {
            ...later,
            type: 'activate_mailbox_addresses',
            path: `${path}/activate_mailbox_addresses`,
            why: 'Have the addresses take effect.',
          },
        ]
      : []),
    ...(status === 'active'
      ? []
      : [{ ...later, type: 'check', path: `${path}/check`, why: 'Look at the records now.' }]),
  ];
}

const waitsFor = (checks: readonly DomainCheck[], reason: string): boolean =>
  checks.some(({ reasonCode }) => reasonCode === reason);
