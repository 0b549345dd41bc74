import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import type { ProjectDatabase } from '../../db/project-databases.ts';
import { orgs } from '../../db/schema/orgs.ts';
import { type Project, projects } from '../../db/schema/projects.ts';
import { allOf, partOf, prefixed, setOf, statement } from '../../db/sql.ts';
import {
  type Access,
  type NoScope,
  notAuthorized,
  type OrgScope,
  onOrg,
  signedIn,
} from '../../kernel/access/access.ts';
import { principalIdOf } from '../../kernel/access/caller.ts';
import { projectColumns, projectOf } from '../../kernel/access/project-columns.ts';
import { givenName, orgId } from '../../kernel/input/fields.ts';
import { twoWords } from '../../kernel/input/two-words.ts';
import type { Context } from '../../kernel/run/context.ts';
import { type StepRef, stepMutation } from '../../kernel/run/operation.ts';
import { type ProjectKeys, projectKeysOf } from '../identity/shared/project-keys.ts';
import { findOrCreateOwnOrg } from '../orgs/shared/own-org.ts';
import { leaseEndOf, tierWire } from '../orgs/shared/wire.ts';
import { projectActions } from './shared/actions.ts';
import { insertProject } from './shared/insert-project.ts';
import { isProject, projectKey } from './shared/load-projects.ts';
import { requireRoomForProject } from './shared/room-for-project.ts';
import { type ProjectRow, withOrg } from './shared/wire.ts';

interface CreateProjectInput {
  readonly org_id?: string | undefined;
}

/** A new project with the keys to it. */
export interface CreatedProject {
  readonly project: ProjectRow;
  /** Null for a lease that never ends. */
  readonly leaseEnd: Date | null;
  readonly keys: ProjectKeys;
  readonly endpoints: ProjectEndpoints;
}

export interface ProjectEndpoints {
  readonly restUrl: string;
  readonly staticBaseUrl: string;
}

const onNamedOrg = onOrg(projectActions['project:create'], ({ org_id }: CreateProjectInput) => org_id!);
const onHomeOrg = signedIn<CreateProjectInput>('wallet', 'control_plane');

/** On the named organization, or on the principal's own. A project grant never authorizes creation. */
const access: Access<CreateProjectInput, OrgScope | NoScope> = {
  action: projectActions['project:create'],
  authorise: (ctx, caller, input) => {
    if (caller.kind === 'delegate') throw notAuthorized(projectActions['project:create'], 'forbidden');
    return (input.org_id === undefined ? onHomeOrg : onNamedOrg).authorise(ctx, caller, input);
  },
};

/** `POST /projects/v1`. Contract 01, section 5.3. */
export const createProject = stepMutation({
  name: 'projects.create',
  tool: 'provision_postgres_project',
  command: 'projects provision',
  summary: 'Create a project with its own database, login role and keys.',
  path: 'POST /projects/v1 201',
  credentialBound: true,
  access,
  lifecycle: 'gated',
  writeApproval: { action: 'org.project.create', field: 'org_id', target: ({ org_id }) => org_id },
  input: z.object({
    name: givenName(200)
      .trim()
      .min(1)
      .optional()
      .describe('Name for people, at most 200 characters; made up when absent.'),
    org_id: orgId.optional().describe('Organization to create it in; the wallet’s own when absent.'),
    tier: z.string().optional().describe('Accepted and ignored: the tier belongs to the organization.'),
  }),
  steps: {
    async begin(work, { name }) {
      const caller = await work.caller();
      const principalId = principalIdOf(caller);
      const scope: OrgScope =
        work.org === undefined
          ? await findOrCreateOwnOrg(work, principalId!, projectActions['project:create'])
          : { org: work.org, authority: work.authority };
      const { org } = scope;
      await requireRoomForProject(work, org);
      const { id, database } = await insertProject(work, scope, { name: name ?? twoWords(' ') });
      return {
        ref: { orgId: org.id, projectId: id, ...database },
        orgId: org.id,
        audit: { action: 'project.created', object: { kind: 'project', id } },
        scope,
      };
    },
    effect: ({ services }, ref) => services.projectDatabases.provision(ref as unknown as ProjectDatabase),
    async settle(work, ref): Promise<CreatedProject> {
      const [row] = await work.rows(readyStatement.with(rowOf(ref)));
      const project = projectOf(row!)!;
      const org = orgOf(row!)!;
      return {
        project: withOrg(project, org),
        leaseEnd: leaseEndOf(org),
        keys: await projectKeys(work, project),
        endpoints: endpointsOf(work, project),
      };
    },
    async undo({ services }, ref) {
      await services.projectDatabases.drop(ref as unknown as ProjectDatabase);
      await services.db.rows(failedStatement.with(rowOf(ref)));
    },
  },
  wire: z.object({
    project_id: z.string(),
    anon_key: z.string().meta({ secret: true }),
    service_key: z.string().meta({ secret: true }),
    schema_slot: z.string(),
    org_id: z.uuid(),
    tier: tierWire,
    lease_expires_at: z.iso.datetime().nullable(),
    endpoints: z.object({ rest_url: z.url(), static_base_url: z.url() }),
    active_release_id: z.string().nullable(),
  }),
  toWire: ({ project, keys, leaseEnd, endpoints }) => ({
    project_id: project.id,
    anon_key: keys.anonKey,
    service_key: keys.serviceKey,
    schema_slot: project.schemaSlot,
    org_id: project.orgId,
    tier: project.orgTier,
    lease_expires_at: leaseEnd?.toISOString() ?? null,
    endpoints: { rest_url: endpoints.restUrl, static_base_url: endpoints.staticBaseUrl },
    active_release_id: null,
  }),
});

/** The two keys of a project: the same strings whenever they are asked for. */
export const projectKeys = ({ services }: Pick<Context, 'services'>, project: Project): Promise<ProjectKeys> =>
  projectKeysOf(services.keys, project);

function endpointsOf({ services, request }: Pick<Context, 'services' | 'request'>, project: Project): ProjectEndpoints {
  const base = new URL(services.settings.publicBaseUrl ?? request.baseUrl);
  const site = new URL(base);
  site.hostname = `p-${project.publicId}.${services.settings.platformDomain}`;
  return { restUrl: `${base.origin}/rest/v1`, staticBaseUrl: site.origin };
}

const orgColumns = allOf(orgs);
const orgOf = partOf('org.', orgColumns);

/** The key of the project that a step works on. */
const rowOf = (ref: StepRef) => ({ orgId: ref.orgId as string, id: ref.projectId as string });

// A key may be answered again after its project was deleted, which this does not bring back.
const readyStatement = statement(
  'projects.ready',
  { params: projectKey, row: { ...prefixed('project.', projectColumns), ...prefixed('org.', orgColumns) } },
  (key, row) =>
    sql`update ${projects} ${setOf(projects, {
      state: sql`case ${projects.state} when 'provisioning' then 'ready' else ${projects.state} end`,
    })} from ${orgs} where ${isProject(key)} and ${orgs.id} = ${projects.orgId} returning ${row}`,
);

const failedStatement = statement(
  'projects.failed',
  { params: projectKey },
  (key) => sql`update ${projects} ${setOf(projects, { state: sql`'failed'`, deletedAt: sql`now()` })}
    where ${isProject(key)} and ${projects.state} = 'provisioning'`,
);
