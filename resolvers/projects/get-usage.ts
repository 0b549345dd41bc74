import { z } from 'zod';
import { onProject } from '../../kernel/access/access.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { leaseEndToWire, lifecycleWire, tierWire } from '../orgs/shared/wire.ts';
import { projectUsages } from './project-usage.ts';
import { projectActions } from './shared/actions.ts';
import { statusOf, statusWire, withOrg } from './shared/wire.ts';

/** `GET /projects/v1/admin/:project_id/usage`. Contract 01, section 2.8. */
export const getUsage = query({
  name: 'projects.getUsage',
  tool: 'get_usage',
  command: 'projects usage',
  summary: 'What a project uses, beside what its organization’s tier allows.',
  path: 'GET /projects/v1/admin/:project_id/usage',
  access: onProject(projectActions['project:read'], ({ project }: { project: string }) => project),
  input: z.object({ project: projectId }),
  async handler({ project, org, services }) {
    const row = withOrg(project, org);
    const [usage] = await projectUsages(services, [row]);
    return { project: row, leaseEnd: leaseEndToWire(org), usage: usage! };
  },
  wire: z.object({
    project_id: z.string(),
    tier: tierWire,
    api_calls: z.number(),
    api_calls_limit: z.number(),
    storage_bytes: z.number(),
    storage_limit_bytes: z.number(),
    lease_expires_at: z.iso.datetime().nullable(),
    effective_status: statusWire,
    organization_lifecycle_state: lifecycleWire,
    status: statusWire,
  }),
  toWire: ({ project, leaseEnd, usage }) => ({
    project_id: project.id,
    tier: project.orgTier,
    api_calls: usage.apiCalls,
    api_calls_limit: usage.apiCallsLimit,
    storage_bytes: usage.storageBytes,
    storage_limit_bytes: usage.storageBytesLimit,
    lease_expires_at: leaseEnd,
    effective_status: statusOf(project),
    organization_lifecycle_state: project.orgLifecycleState,
    status: statusOf(project),
  }),
});
