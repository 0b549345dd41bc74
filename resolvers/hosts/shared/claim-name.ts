import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { subdomains } from '../../../db/schema/hosts.ts';
import { computed, excluded, insertInto, nameOf, pick, setOf, statement } from '../../../db/sql.ts';
import { ownerOf, type ProjectScope } from '../../../kernel/access/access.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { subdomainsPerProject } from '../../../kernel/limits/limits.ts';
import { quotaExceeded } from '../../../kernel/limits/quota.ts';
import { isReservedName } from '../subdomains/reserved-names.ts';
import { bindHost } from './host-names.ts';
import { hostOfSubdomain, type SubdomainRow, subdomainColumns } from './subdomain.ts';

export interface ClaimedName {
  readonly row: SubdomainRow;
  /** Whether the project did not have the name yet. */
  readonly isNew: boolean;
}

/**
 * Claims a name below the platform's domain for a project whose row is locked; again for one that it has.
 *
 * @param deploymentId the deployment that the name is pointed to. @default the one that it was pointed to
 * @throws SUBDOMAIN_TAKEN, QUOTA_EXCEEDED
 */
export async function claimName(
  work: Work & ProjectScope,
  name: string,
  deploymentId: string | undefined,
): Promise<ClaimedName> {
  const taken = () => new ServiceError('SUBDOMAIN_TAKEN', { details: { name } });
  if (isReservedName(name)) throw taken();
  const owner = ownerOf(work);
  const [counted] = await work.rows(countStatement.with({ ...owner, name }));
  const { used, known } = counted!;
  if (!known && used >= subdomainsPerProject)
    throw quotaExceeded({ scope: 'project', metric: 'subdomains' }, subdomainsPerProject, used);
  const claim = { ...owner, name, deploymentId: deploymentId ?? null };
  const [row] = await work.rows(claimStatement.with(claim));
  if (row === undefined) throw taken();
  if (!(await bindHost(work, { ...owner, name: hostOfSubdomain(work.services, name) }))) throw taken();
  return { row, isNew: !known };
}

const countStatement = statement(
  'subdomains.count',
  {
    params: pick(subdomains, 'orgId', 'projectId', 'name'),
    row: {
      used: computed<number>('integer', sql`count(*)::int`),
      known: computed<boolean>('boolean', sql`coalesce(bool_or(${subdomains.name} = $3), false)`),
    },
  },
  ({ orgId, projectId }, row) => sql`select ${row} from ${subdomains}
    where ${subdomains.orgId} = ${orgId} and ${subdomains.projectId} = ${projectId}`,
);

// One statement decides, so that of two who claim a name at once the second is refused.
const claimStatement = statement(
  'subdomains.claim',
  { params: pick(subdomains, 'orgId', 'projectId', 'name', 'deploymentId'), row: subdomainColumns },
  (given, row) => sql`${insertInto(subdomains, given)} on conflict (${nameOf(subdomains.name)}) do update
    ${setOf(subdomains, {
      orgId: excluded(subdomains.orgId),
      projectId: excluded(subdomains.projectId),
      deploymentId: sql`case when ${subdomains.projectId} is null then ${excluded(subdomains.deploymentId)}
        else coalesce(${excluded(subdomains.deploymentId)}, ${subdomains.deploymentId}) end`,
      restsUntil: sql`null`,
      createdAt: sql`case when ${subdomains.projectId} is null then now() else ${subdomains.createdAt} end`,
      updatedAt: sql`case when ${excluded(subdomains.deploymentId)} is null and ${subdomains.projectId} is not null
        then ${subdomains.updatedAt} else now() end`,
    })}
    where (${subdomains.orgId} = ${given.orgId} and coalesce(${subdomains.projectId}, ${given.projectId}) = ${given.projectId})
      or ${subdomains.restsUntil} <= now()
    returning ${row}`,
);
