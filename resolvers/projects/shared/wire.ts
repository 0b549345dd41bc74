import { z } from 'zod';
import type { LifecycleState, Org, Tier } from '../../../db/schema/orgs.ts';
import type { Project } from '../../../db/schema/projects.ts';
import type { Authority } from '../../../kernel/access/access.ts';
import type { Services } from '../../../kernel/run/context.ts';
import type { OrgWithRole } from '../../orgs/shared/load-orgs.ts';
import { lifecycleWire, tierWire } from '../../orgs/shared/wire.ts';
import { hostsOfProjects, type ProjectHosts } from './project-hosts.ts';

/** A project together with what its organization says about it. */
export interface ProjectRow extends Project {
  readonly orgTier: Tier;
  readonly orgLifecycleState: LifecycleState;
  readonly orgLeasePerpetual: boolean;
  readonly orgLimitOverrides: Org['limitOverrides'];
  /** The organization itself, where whoever was admitted may see it and it was read anyway. */
  readonly organization?: OrgWithRole | undefined;
}

export const withOrg = (project: Project, org: Org, authority?: Authority): ProjectRow => ({
  ...project,
  ...(authority?.kind === 'membership' ? { organization: { ...org, role: authority.role } } : {}),
  orgTier: org.tier,
  orgLifecycleState: org.lifecycleState,
  orgLeasePerpetual: org.leasePerpetual,
  orgLimitOverrides: org.limitOverrides,
});

export const statusWire = z.enum(['active', 'past_due', 'frozen', 'dormant', 'archived', 'deleted']);

export type ProjectStatus = z.infer<typeof statusWire>;

/** What serving a project amounts to: deleted, then archived, then as its organization stands. Contract 01, 5.2. */
export function statusOf(project: ProjectRow): ProjectStatus {
  if (project.deletedAt !== null || project.orgLifecycleState === 'purged') return 'deleted';
  if (project.archivedAt !== null) return 'archived';
  return project.orgLifecycleState;
}

/** Contract 01, section 5.2 (`OperationActor`). */
export const OperationActorWire = z
  .object({
    schema_version: z.literal(1),
    principal: z
      .object({
        principal_id: z.string(),
        principal_type: z.enum(['human', 'agent', 'ci', 'system']),
        display_name_at_capture: z.string().nullable(),
        linked_identities_at_capture: z.array(z.never()),
      })
      .nullable(),
    authenticator: z.object({ authenticator_id: z.string(), kind: z.string(), public_subject: z.string() }).nullable(),
    authority: z.looseObject({ kind: z.string() }),
    captured_at: z.iso.datetime(),
  })
  .meta({ id: 'OperationActor' });

/** Contract 01, section 5.2 (`ProjectSummary`): both spellings of the two ids are sent. */
export const ProjectSummaryWire = z
  .object({
    id: z.string(),
    project_id: z.string(),
    name: z.string(),
    tier: tierWire,
    site_url: z.string().nullable(),
    custom_domains: z.array(z.string()),
    status: statusWire,
    effective_status: statusWire,
    organization_lifecycle_state: lifecycleWire,
    lease_perpetual: z.boolean(),
    organization_id: z.uuid(),
    org_id: z.uuid(),
    created_by: z.string().nullable(),
    created_at: z.iso.datetime(),
    creator: OperationActorWire.nullable(),
    pinned: z.boolean(),
    deleted_at: z.iso.datetime().nullable(),
    archived_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ProjectSummary' });

const summaryOf = (project: ProjectRow, { siteUrl, customDomains }: ProjectHosts) => ({
  id: project.id,
  project_id: project.id,
  name: project.name,
  tier: project.orgTier,
  site_url: siteUrl,
  custom_domains: [...customDomains],
  status: statusOf(project),
  effective_status: statusOf(project),
  organization_lifecycle_state: project.orgLifecycleState,
  lease_perpetual: project.orgLeasePerpetual,
  organization_id: project.orgId,
  org_id: project.orgId,
  created_by: project.createdBy,
  created_at: project.createdAt.toISOString(),
  creator: project.creator ?? null,
  pinned: false,
  deleted_at: project.deletedAt?.toISOString() ?? null,
  archived_at: project.archivedAt?.toISOString() ?? null,
});

/** Projects as they are shown, with where they are served. */
export async function projectsToWire(services: Pick<Services, 'db' | 'settings'>, projects: readonly ProjectRow[]) {
  const hosts = await hostsOfProjects(services, projects);
  return projects.map((project, at) => summaryOf(project, hosts[at]!));
}

/** One project as it is shown. */
export const projectToWire = async (services: Pick<Services, 'db' | 'settings'>, project: ProjectRow) =>
  (await projectsToWire(services, [project]))[0]!;
