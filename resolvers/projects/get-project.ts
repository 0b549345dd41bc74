import { z } from 'zod';
import { onProject } from '../../kernel/access/access.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { hasInheritedSecrets } from './inherited-secrets.ts';
import { projectUsages } from './project-usage.ts';
import { projectActions } from './shared/actions.ts';
import { lastDeploysOf } from './shared/last-deploys.ts';
import { type ProjectRow, ProjectSummaryWire, projectToWire, withOrg } from './shared/wire.ts';

/** `GET /projects/v1/:id`. Contract 01, section 5.5. */
export const getProject = query({
  name: 'projects.get',
  tool: 'project_info',
  command: 'projects get',
  summary: 'One project. Holds no secrets.',
  access: onProject(projectActions['project:read'], ({ project }: { project: string }) => project),
  input: z.object({ project: projectId }),
  handler: async ({ project, org, authority }): Promise<ProjectRow> => withOrg(project, org, authority),
  wire: ProjectSummaryWire.extend({
    public_id: z.string(),
    last_deploy: z.object({ release_id: z.string(), activated_at: z.iso.datetime() }).nullable(),
    mailbox: z.array(z.string()),
    usage: z.object({
      api_calls: z.number(),
      storage_bytes: z.number(),
      api_calls_limit: z.number(),
      storage_bytes_limit: z.number(),
    }),
    repo_name: z.string().nullable(),
    max_affected: z.number().nullable(),
    secrets_rotation_advised: z.boolean().describe('Whether a former owner knows secrets of it.'),
  }),
  // Usage is asked for only where it is shown: GraphQL callers may not select it.
  toWire: async (project, { services }) => {
    const [[usage], summary, [last], inherits] = await Promise.all([
      projectUsages(services, [project]),
      projectToWire(services, project),
      lastDeploysOf(services, [project]),
      hasInheritedSecrets(services.db.rows, project),
    ]);
    return {
      ...summary,
      public_id: project.publicId,
      last_deploy: last == null ? null : { release_id: last.releaseId, activated_at: last.activatedAt.toISOString() },
      mailbox: [],
      usage: {
        api_calls: usage!.apiCalls,
        storage_bytes: usage!.storageBytes,
        api_calls_limit: usage!.apiCallsLimit,
        storage_bytes_limit: usage!.storageBytesLimit,
      },
      repo_name: project.repoName,
      max_affected: project.maxAffected,
      secrets_rotation_advised: inherits,
    };
  },
});
