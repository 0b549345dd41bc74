import { z } from 'zod';
import { sql } from '../../../db/drizzle.ts';
import { projectDomains } from '../../../db/schema/hosts.ts';
import { receiveTests } from '../../../db/schema/mail-domains.ts';
import { pick, statement } from '../../../db/sql.ts';
import { ownerOf } from '../../../kernel/access/access.ts';
import { projectId } from '../../../kernel/input/fields.ts';
import { mutation } from '../../../kernel/run/operation.ts';
import { letGoMailDomain } from '../../mailboxes/shared/mail-domains.ts';
import { lockProjectFor } from '../../projects/shared/lock-project.ts';
import { hostActions } from '../shared/actions.ts';
import { unbindHost } from '../shared/host-names.ts';
import { canonicalDomain } from './domain-name.ts';
import { domainKey, domainNotFound, mailOwner } from './domain-rows.ts';
import { onDomainsOf } from './on-domains.ts';

/** `DELETE /projects/v1/:project_id/domains/:domain`. Contract 03, section 5.3. */
export const disconnectDomain = mutation({
  name: 'domains.disconnect',
  tool: 'domains_disconnect',
  command: 'domains disconnect',
  effects: ['destructive', 'idempotent'],
  summary: 'Disconnect a domain from a project, which is no longer served under it.',
  access: onDomainsOf(hostActions['project:domains:write']),
  lifecycle: 'owned',
  input: z.object({
    project: projectId,
    domain: z.string().min(1).max(1024).describe('The domain, also in Unicode: `shop.example.com`.'),
  }),
  async handler(work, { domain }): Promise<{ readonly name: string }> {
    await lockProjectFor(work, hostActions['project:domains:write']);
    const name = canonicalDomain(domain);
    const key = { ...ownerOf(work), name: name ?? '' };
    const [gone] = await work.rows(deleteStatement.with(key));
    if (gone === undefined) throw domainNotFound(domain);
    await unbindHost(work, key);
    await letGoMailDomain(work, mailOwner(key));
    await work.rows(forgetTestsStatement.with(key));
    return gone;
  },
  audit: ({ name }, _input, { project }) => ({
    action: 'domain.disconnected',
    object: { kind: 'domain', id: name },
    details: { project_id: project.id },
  }),
  wire: z.object({ status: z.literal('disconnected'), domain: z.string() }),
  toWire: ({ name }) => ({ status: 'disconnected' as const, domain: name }),
});

const forgetTestsStatement = statement(
  'domains.forget-tests',
  { params: domainKey },
  (given) => sql`delete from ${receiveTests} where ${receiveTests.orgId} = ${given.orgId}
    and ${receiveTests.projectId} = ${given.projectId} and ${receiveTests.domain} = ${given.name}`,
);

const deleteStatement = statement(
  'domains.delete',
  { params: domainKey, row: pick(projectDomains, 'name') },
  (given, row) => sql`delete from ${projectDomains} where ${projectDomains.orgId} = ${given.orgId}
    and ${projectDomains.projectId} = ${given.projectId} and ${projectDomains.name} = ${given.name} returning ${row}`,
);
