import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { hostNames, type ObservedDomain, projectDomains } from '../../../db/schema/hosts.ts';
import { computed, excluded, insertInto, namesOf, pick, setOf, statement } from '../../../db/sql.ts';
import { projectId } from '../../../kernel/input/fields.ts';
import { domainsPerProject } from '../../../kernel/limits/limits.ts';
import { quotaExceeded } from '../../../kernel/limits/quota.ts';
import { mutation } from '../../../kernel/run/operation.ts';
import { lockProjectFor } from '../../projects/shared/lock-project.ts';
import { hostActions } from '../shared/actions.ts';
import { desiredInput, desiredOf } from './desired.ts';
import { connectableDomain } from './domain-name.ts';
import { domainColumns, domainKey, type ProjectDomain } from './domain-rows.ts';
import { lookAt, targetOf } from './look.ts';
import { onDomainsOf } from './on-domains.ts';
import { settleLook } from './settle-look.ts';
import { domainToWire, ProjectDomainWire } from './wire.ts';

interface EnsuredDomain {
  readonly domain: ProjectDomain;
  /** Whether the project did not have it yet. */
  readonly isNew: boolean;
}

interface Prepared {
  readonly name: string;
  readonly observed: ObservedDomain | undefined;
}

/** `POST /projects/v1/:project_id/domains/:domain`. Contract 03, section 5.3. */
export const ensureDomain = mutation({
  name: 'domains.ensure',
  tool: 'domains_ensure',
  command: 'domains connect',
  effects: ['idempotent', 'openWorld'],
  duration: 'long',
  summary: 'Connect a domain of one’s own to a project, or change what is wanted of it; tells which records to set.',
  access: onDomainsOf(hostActions['project:domains:write']),
  lifecycle: 'owned',
  input: z.object({
    project: projectId,
    domain: z.string().min(1).max(1024).describe('The domain, also in Unicode: `shop.example.com`.'),
    desired: desiredInput.optional(),
  }),
  async prepare({ services, project }, given): Promise<Prepared> {
    desiredOf(given.desired ?? {});
    const name = connectableDomain(services, given.domain);
    return { name, observed: await lookAt(services, name, targetOf(services, project.publicId)) };
  },
  async handler(work, { desired: wanted = {} }, { name, observed }: Prepared): Promise<EnsuredDomain> {
    const { publicId } = await lockProjectFor(work, hostActions['project:domains:write']);
    const key = { orgId: work.org.id, projectId: work.project.id, name };
    const [counted] = await work.rows(countStatement.with(key));
    const { used, known, conflicting } = counted!;
    if (!known && conflicting) throw new ServiceError('DOMAIN_CONFLICT', { details: { domain: name } });
    if (!known && used >= domainsPerProject)
      throw quotaExceeded({ scope: 'project', metric: 'domains' }, domainsPerProject, used);
    const desired = JSON.stringify(desiredOf(wanted));
    const [row] = await work.rows(putStatement.with({ ...key, desired, token: randomBytes(20).toString('hex') }));
    return { domain: await settleLook(work, row!, publicId, observed), isNew: !known };
  },
  audit: ({ domain: { name }, isNew }, _input, { project }) => ({
    action: isNew ? 'domain.connected' : 'domain.changed',
    object: { kind: 'domain', id: name },
    details: { project_id: project.id },
  }),
  wire: ProjectDomainWire,
  toWire: ({ domain }) => domainToWire(domain),
});

const countStatement = statement(
  'domains.count',
  {
    params: domainKey,
    row: {
      used: computed<number>('integer', sql`count(*)::int`),
      known: computed<boolean>('boolean', sql`coalesce(bool_or(${projectDomains.name} = $3), false)`),
      // One whose proof is gone may lose it to the owner that comes.
      conflicting: computed<boolean>(
        'boolean',
        sql`exists (select from ${hostNames} held where held.name = $3 and held.project_id <> $2 and not exists (
          select from ${projectDomains} theirs where theirs.org_id = held.org_id and theirs.project_id = held.project_id
            and theirs.name = held.name and theirs.unproven_since is not null))`,
      ),
    },
  },
  ({ orgId, projectId: project }, row) => sql`select ${row} from ${projectDomains}
    where ${projectDomains.orgId} = ${orgId} and ${projectDomains.projectId} = ${project}`,
);

const putStatement = statement(
  'domains.put',
  { params: { ...domainKey, ...pick(projectDomains, 'desired', 'token') }, row: domainColumns },
  (given, row) => sql`${insertInto(projectDomains, given)}
    on conflict (${namesOf(projectDomains.orgId, projectDomains.projectId, projectDomains.name)}) do update
    ${setOf(projectDomains, { desired: excluded(projectDomains.desired), updatedAt: sql`now()` })} returning ${row}`,
);
