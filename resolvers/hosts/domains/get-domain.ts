import { z } from 'zod';
import { sql } from '../../../db/drizzle.ts';
import { projectDomains } from '../../../db/schema/hosts.ts';
import { pick, statement } from '../../../db/sql.ts';
import { projectId } from '../../../kernel/input/fields.ts';
import { query } from '../../../kernel/run/operation.ts';
import { hostActions } from '../shared/actions.ts';
import { domainColumns, findDomain, type ProjectDomain, standing } from './domain-rows.ts';
import { onDomainsOf } from './on-domains.ts';
import { domainToWire, ProjectDomainWire } from './wire.ts';

/** `GET /projects/v1/:project_id/domains/:domain`. Contract 03, section 5.3. */
export const getDomain = query({
  name: 'domains.get',
  tool: 'domains_get',
  command: 'domains status',
  summary: 'How a domain of a project stands, with the records to set and what was seen of them.',
  access: onDomainsOf(hostActions['project:domains:read']),
  input: z.object({
    project: projectId,
    domain: z.string().min(1).max(1024).describe('The domain, also in Unicode: `shop.example.com`.'),
  }),
  handler: async ({ services, org, project, authority }, { domain }): Promise<ProjectDomain> =>
    standing(services, await findDomain(services.db.rows, { org, project, authority }, domain), project.publicId),
  wire: ProjectDomainWire,
  toWire: domainToWire,
});

/** `GET /projects/v1/:project_id/domains`. */
export const listDomains = query({
  name: 'domains.list',
  tool: 'domains_list',
  command: 'domains list',
  summary: 'The domains of its own that a project is connected to, or is to be.',
  access: onDomainsOf(hostActions['project:domains:read']),
  input: z.object({ project: projectId }),
  async handler({ services, org, project }): Promise<ProjectDomain[]> {
    const rows = await services.db.rows(listStatement.with({ orgId: org.id, projectId: project.id }));
    return rows.map((row) => standing(services, row, project.publicId));
  },
  wire: z.object({ domains: z.array(ProjectDomainWire) }),
  toWire: (domains) => ({ domains: domains.map(domainToWire) }),
});

// A project has few enough of them for one answer.
const listStatement = statement(
  'domains.list',
  { params: pick(projectDomains, 'orgId', 'projectId'), row: domainColumns },
  (given, row) => sql`select ${row} from ${projectDomains} where ${projectDomains.orgId} = ${given.orgId}
    and ${projectDomains.projectId} = ${given.projectId} order by ${projectDomains.createdAt}, ${projectDomains.name} collate "C"`,
);
