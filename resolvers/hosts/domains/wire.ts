import { z } from 'zod';
import type { ProjectDomain } from './domain-rows.ts';
import type { DomainCheck, WantedRecord } from './judge.ts';

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
  const { observed, checkedAt, boundAt, desired, name } = domain;
  const checkedIso = checkedAt === null ? {} : { checked_at: checkedAt.toISOString() };
  return {
    project_id: domain.projectId,
    domain: name,
    status: domain.status,
    desired: { ...desired },
    observed:
      observed === null
        ? {}
        : {
            at: observed.at,
            texts: observed.texts,
            alias: observed.alias,
            addresses: observed.addresses,
            target_addresses: observed.targetAddresses,
            begins_zone: observed.beginsZone,
            unanswered: domain.unanswered,
          },
    effective: {
      web: { active: domain.status === 'active' && boundAt !== null, bound: boundAt !== null, url: `https://${name}` },
      email: { receive: { active: false } },
    },
    authority: { recommended_mode: 'manual_dns', options: ['manual_dns'] },
    dns_records: domain.records.map(recordToWire),
    checks: domain.checks.map((check) => checkToWire(check, checkedIso)),
    next_actions: actionsOf(domain),
    provenance,
    created_at: domain.createdAt.toISOString(),
    updated_at: domain.updatedAt.toISOString(),
  };
}

const recordToWire = (record: WantedRecord) => ({
  ...record,
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

function actionsOf({ projectId, name, records, status }: ProjectDomain): ProjectDomainShown['next_actions'] {
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
    ...(status === 'active'
      ? []
      : [{ ...later, type: 'check', path: `${path}/check`, why: 'Look at the records now.' }]),
  ];
}
