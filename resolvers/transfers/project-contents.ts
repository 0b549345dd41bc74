import { z } from 'zod';
import { sha256Hex } from '../../core/keys.ts';
import { sql } from '../../db/drizzle.ts';
import { ciBindings } from '../../db/schema/ci.ts';
import { projectDomains, subdomains } from '../../db/schema/hosts.ts';
import { mailboxes } from '../../db/schema/mailboxes.ts';
import { projects } from '../../db/schema/projects.ts';
import { projectSecrets } from '../../db/schema/secrets.ts';
import { computed, statement } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
import { grantHolds } from '../../kernel/access/rules.ts';
import type { Services } from '../../kernel/run/context.ts';
import { liveFunctions } from '../functions/shared/live-functions.ts';

/** What whoever is offered a project sees of it, as it is answered. Contract 01, section 5.12. */
export const ProjectContentsWire = z.object({
  custom_domains: z.array(z.object({ hostname: z.string(), status: z.string().nullable() })),
  subdomains: z.array(z.object({ name: z.string(), status: z.string().nullable() })),
  functions: z.array(
    z.object({
      name: z.string(),
      runtime: z.string().nullable(),
      timeout_ms: z.int().nullable(),
      memory_mb: z.int().nullable(),
      scheduled: z.boolean(),
    }),
  ),
  secret_names: z.array(z.string()),
  mailbox_summary: z.object({ count: z.int(), slugs_truncated: z.array(z.string()) }),
  ci_bindings_to_be_revoked: z.array(
    z.object({
      id: z.string(),
      github_repository: z.string().nullable(),
      github_subject_pattern: z.string(),
      created_at: z.iso.datetime(),
    }),
  ),
});

export type ProjectContents = z.output<typeof ProjectContentsWire>;

/** Mailboxes that are named. */
const slugsMax = 20;

/** What a project has, but its data: names alone, never a value. */
export async function contentsOf(services: Services, rows: Rows, projectId: string): Promise<ProjectContents> {
  const [held] = await rows(heldStatement.with({ id: projectId }));
  const { orgId, domains, names, secrets, slugs, bindings } = held!;
  const functions = await liveFunctions(services, { org: { id: orgId }, project: { id: projectId } }, rows);
  return {
    custom_domains: domains,
    subdomains: names.map((name) => ({ name, status: 'active' })),
    functions: functions.map((one) => ({
      name: one.name,
      runtime: one.runtime,
      timeout_ms: one.timeoutSeconds * 1_000,
      memory_mb: one.memoryMb,
      scheduled: one.schedules.length > 0,
    })),
    secret_names: secrets,
    mailbox_summary: { count: slugs.length, slugs_truncated: slugs.slice(0, slugsMax) },
    ci_bindings_to_be_revoked: bindings.map(({ created_at, ...one }) => ({
      ...one,
      created_at: new Date(created_at).toISOString(),
    })),
  };
}

/** The digest of an offer: what it was of, and the rules it is under. */
export const termsDigest = (projectId: string, contents: ProjectContents): string =>
  sha256Hex(JSON.stringify({ terms: 'svc-project-transfer-v1', project_id: projectId, ...contents }));

interface HeldBinding {
  readonly id: string;
  readonly github_repository: string | null;
  readonly github_subject_pattern: string;
  readonly created_at: string;
}

const held = {
  orgId: projects.orgId,
  domains: computed<ProjectContents['custom_domains']>(
    'jsonb',
    sql`(select coalesce(jsonb_agg(jsonb_build_object('hostname', ${projectDomains.name},
        'status', case when ${projectDomains.activeAt} is null then 'pending' else 'active' end)
        order by ${projectDomains.name} collate "C"), '[]') from ${projectDomains}
      where ${projectDomains.orgId} = ${projects.orgId} and ${projectDomains.projectId} = ${projects.id})`,
  ),
  names: computed<string[]>(
    'text[]',
    sql`array(select ${subdomains.name} from ${subdomains} where ${subdomains.orgId} = ${projects.orgId}
      and ${subdomains.projectId} = ${projects.id} order by ${subdomains.name} collate "C")`,
  ),
  secrets: computed<string[]>(
    'text[]',
    sql`array(select ${projectSecrets.key} from ${projectSecrets} where ${projectSecrets.orgId} = ${projects.orgId}
      and ${projectSecrets.projectId} = ${projects.id} order by ${projectSecrets.key} collate "C")`,
  ),
  slugs: computed<string[]>(
    'text[]',
    sql`array(select ${mailboxes.slug} from ${mailboxes} where ${mailboxes.orgId} = ${projects.orgId}
      and ${mailboxes.projectId} = ${projects.id} and ${mailboxes.deletedAt} is null
      order by ${mailboxes.slug} collate "C")`,
  ),
  bindings: computed<HeldBinding[]>(
    'jsonb',
    sql`(select coalesce(jsonb_agg(jsonb_build_object('id', ${ciBindings.id},
        'github_repository', ${ciBindings.githubRepositoryId}, 'github_subject_pattern', ${ciBindings.subjectMatch},
        'created_at', ${ciBindings.createdAt}) order by ${ciBindings.createdAt}, ${ciBindings.id}), '[]')
      from ${ciBindings} where ${ciBindings.orgId} = ${projects.orgId} and ${ciBindings.projectId} = ${projects.id}
        and ${grantHolds(ciBindings)})`,
  ),
};

const heldStatement = statement(
  'transfers.contents',
  { params: { id: projects.id }, row: held },
  ({ id }, row) => sql`select ${row} from ${projects} where ${projects.id} = ${id}`,
);
