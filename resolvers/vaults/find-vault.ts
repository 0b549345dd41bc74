import { z } from 'zod';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { orgSlugs } from '../../db/schema/orgs.ts';
import { projects } from '../../db/schema/projects.ts';
import { vaults } from '../../db/schema/vaults.ts';
import { pick, statement, typed } from '../../db/sql.ts';
import { type Access, onProject, type ProjectScope } from '../../kernel/access/access.ts';
import { projectId } from '../../kernel/input/fields.ts';
import type { Context } from '../../kernel/run/context.ts';
import { query } from '../../kernel/run/operation.ts';
import { projectActions } from '../projects/shared/actions.ts';
import { type VaultRow, vaultInside } from './vault-row.ts';

interface Sought {
  readonly project?: string | undefined;
  readonly repo?: string | undefined;
}

const onFound = onProject(projectActions['project:read'], ({ project }: { readonly project: string }) => project);

/** On the project that is named, or whose address is. One that is not there is refused as a foreign one is. */
const access: Access<Sought, ProjectScope> = {
  action: projectActions['project:read'],
  addressed: ({ project }) => project,
  async authorise(ctx, caller, { project, repo }) {
    if ((project === undefined) === (repo === undefined))
      throw invalidField(project === undefined ? 'repo' : 'project_id', 'name the vault by one of repo and project_id');
    return onFound.authorise(ctx, caller, { project: project ?? (await projectOf(ctx, repo!)) });
  },
};

/** The project of an address; one that nobody has for an address without a project. */
async function projectOf({ services }: Context, repo: string): Promise<string> {
  const [slug, name] = repo.split('/');
  const [found] = await services.db.rows(projectStatement.with({ slug: slug!, name: name! }));
  return found?.id ?? 'prj_none';
}

const counter = z.string().regex(/^\d+$/).describe('A decimal number.');

/** `GET /gitvault/v1/vaults`. Contract 03, section 10. */
export const findVault = query({
  name: 'vaults.find',
  tool: 'get_vault',
  command: 'projects vault',
  summary: 'The encrypted source vault of a project: where it stands, and who may write to it.',
  access,
  input: z.object({
    project: projectId.optional().describe('Project; or else its repo.'),
    repo: z
      .string()
      .regex(/^[^/\s]{1,64}\/[^/\s]{1,64}$/, 'must be <org-slug>/<name>')
      .optional()
      .describe('Address of the project: the slug of its organization, a slash, and its own slug.'),
  }),
  async handler({ services, org, project }): Promise<VaultRow> {
    const [found] = await services.db.rows(ofProjectStatement.with({ orgId: org.id, projectId: project.id }));
    if (found === undefined) throw new ServiceError('VAULT_NOT_FOUND', { details: { project_id: project.id } });
    return vaultInside(services.db, org.id, found.id);
  },
  wire: z
    .object({
      repo_id: z.uuid(),
      project_id: z.string(),
      org_id: z.uuid(),
      gitvault_policy: z.enum(['required', 'grandfathered']).nullable(),
      gitvault_policy_version: counter,
      gitvault_policy_changed_at: z.iso.datetime().nullable(),
      allocation_generation: counter,
      allocation_sha256: z.string().nullable(),
      newest_generation: counter.nullable(),
      genesis_admitted_at: z.iso.datetime().nullable(),
      latest_effective_admitted_at: z.iso.datetime().nullable(),
      admitted_generations: counter,
      gc_epoch: counter,
      repair_version: counter,
      repair_fence_state: z.string().nullable(),
      storage: z.object({ source_bytes: counter, open_session_reserved_bytes: counter, objects: counter }),
      maintenance: z.object({
        lease: z.null(),
        open_cycle: z.null(),
        pending_repair_attempt_id: z.string().nullable(),
      }),
      key_epoch: counter.describe('Raised with each rotation of the vault’s key.'),
      writers: z.array(z.object({ encryption_key_id: z.uuid(), principal_id: z.string() })),
      warnings: z.array(z.object({ kind: z.string(), message: z.string() })),
      created_at: z.iso.datetime(),
    })
    .meta({ id: 'VaultRecord' }),
  // The gateway keeps keys and writers of a vault, and none of its objects: what is counted of those is nothing.
  toWire: (vault) => ({
    repo_id: vault.id,
    project_id: vault.projectId,
    org_id: vault.orgId,
    gitvault_policy: null,
    gitvault_policy_version: '0',
    gitvault_policy_changed_at: null,
    allocation_generation: '0',
    allocation_sha256: null,
    newest_generation: null,
    genesis_admitted_at: null,
    latest_effective_admitted_at: null,
    admitted_generations: '0',
    gc_epoch: '0',
    repair_version: '0',
    repair_fence_state: null,
    storage: { source_bytes: '0', open_session_reserved_bytes: '0', objects: '0' },
    maintenance: { lease: null, open_cycle: null, pending_repair_attempt_id: null },
    key_epoch: String(vault.epoch),
    writers: vault.writers.map(({ encryptionKeyId, principalId }) => ({
      encryption_key_id: encryptionKeyId,
      principal_id: principalId,
    })),
    warnings:
      vault.rotationRequiredSince === null
        ? []
        : [{ kind: 'key_rotation_required', message: 'A writer was removed: a remaining one has to rotate the key.' }],
    created_at: vault.createdAt.toISOString(),
  }),
});

const projectStatement = statement(
  'vaults.project-of-repo',
  { params: { slug: typed<string>('text'), name: typed<string>('text') }, row: pick(projects, 'id') },
  ({ slug, name }, row) => sql`select ${row} from ${orgSlugs}
    join ${projects} on ${projects.orgId} = ${orgSlugs.orgId} and ${projects.repoName} = ${name} and ${projects.deletedAt} is null
    where ${orgSlugs.slug} = ${slug} and ${orgSlugs.releasedAt} is null`,
);

const ofProjectStatement = statement(
  'vaults.found',
  { params: pick(vaults, 'orgId', 'projectId'), row: pick(vaults, 'id') },
  ({ orgId, projectId: project }, row) => sql`select ${row} from ${vaults}
    where ${vaults.orgId} = ${orgId} and ${vaults.projectId} = ${project}`,
);
