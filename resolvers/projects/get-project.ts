import { z } from 'zod';
import { onProject } from '../access.ts';
import type { Services } from '../context.ts';
import { projectId } from '../fields.ts';
import { limitsOf } from '../limits.ts';
import { query } from '../operation.ts';
import { type ProjectRow, ProjectSummaryWire, projectToWire, withOrg } from './wire.ts';

/** `GET /projects/v1/:id`. Contract 01, section 5.5. */
export const getProject = query({
  name: 'projects.get',
  summary: 'One project. Holds no secrets.',
  access: onProject('project:read', ({ project }: { project: string }) => project),
  input: z.object({ project: projectId }),
  handler: async ({ project, org, authority }): Promise<ProjectRow> => withOrg(project, org, authority),
  wire: ProjectSummaryWire.extend({
    public_id: z.string(),
    last_deploy: z.null(),
    mailbox: z.array(z.string()),
    usage: z.object({
      api_calls: z.number(),
      storage_bytes: z.number(),
      api_calls_limit: z.number(),
      storage_bytes_limit: z.number(),
    }),
    repo_name: z.string().nullable(),
  }),
  // Usage is asked for only where it is shown: GraphQL callers may not select it.
  toWire: async (project, { services }) => {
    const usage = await projectUsage(services, project);
    return {
      ...projectToWire(project),
      public_id: project.publicId,
      last_deploy: null,
      mailbox: [],
      usage: {
        api_calls: usage.apiCalls,
        storage_bytes: usage.storageBytes,
        api_calls_limit: usage.apiCallsLimit,
        storage_bytes_limit: usage.storageBytesLimit,
      },
      repo_name: project.repoName,
    };
  },
});

export interface ProjectUsage {
  /** Requests to the project's data plane in this lease. */
  readonly apiCalls: number;
  readonly storageBytes: number;
  readonly apiCallsLimit: number;
  readonly storageBytesLimit: number;
}

/** What a project uses, beside what its organization's tier allows. */
export async function projectUsage(services: Services, project: ProjectRow): Promise<ProjectUsage> {
  const limits = limitsOf({ tier: project.orgTier, limitOverrides: project.orgLimitOverrides });
  return {
    // Nothing is served from project databases yet that could be counted.
    apiCalls: 0,
    storageBytes: project.state === 'ready' ? await services.projectDatabases.sizeBytes(project) : 0,
    apiCallsLimit: limits.apiCalls,
    storageBytesLimit: limits.storageBytes,
  };
}
