import { z } from 'zod';
import { sql } from '../../../db/drizzle.ts';
import { subdomains } from '../../../db/schema/hosts.ts';
import { pick, statement } from '../../../db/sql.ts';
import { onNamedOrOwnProject } from '../../../kernel/access/access.ts';
import { itsProject } from '../../../kernel/input/fields.ts';
import { query } from '../../../kernel/run/operation.ts';
import { hostActions } from '../shared/actions.ts';
import {
  type Subdomain,
  SubdomainWire,
  shownSubdomain,
  subdomainColumns,
  subdomainToWire,
} from '../shared/subdomain.ts';

/** `GET /subdomains/v1`. Contract 03, section 5.2. */
export const listSubdomains = query({
  name: 'subdomains.list',
  tool: 'list_subdomains',
  command: 'subdomains list',
  summary: 'The names below the platform’s domain that a project has claimed.',
  access: onNamedOrOwnProject(hostActions['project:domains:read']),
  input: z.object({
    project: itsProject,
  }),
  async handler({ services, org, project }): Promise<Subdomain[]> {
    const rows = await services.db.rows(listStatement.with({ orgId: org.id, projectId: project.id }));
    return rows.map((row) => shownSubdomain(services, row, project.id));
  },
  wire: z.object({ subdomains: z.array(SubdomainWire) }),
  toWire: (rows) => ({ subdomains: rows.map(subdomainToWire) }),
});

// A project has few enough of them for one answer. The first claimed one is its address.
const listStatement = statement(
  'subdomains.list',
  { params: pick(subdomains, 'orgId', 'projectId'), row: subdomainColumns },
  (given, row) => sql`select ${row} from ${subdomains} where ${subdomains.orgId} = ${given.orgId}
    and ${subdomains.projectId} = ${given.projectId} order by ${subdomains.createdAt}, ${subdomains.name} collate "C"`,
);
