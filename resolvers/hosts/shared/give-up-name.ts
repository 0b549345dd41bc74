import { sql } from '../../../db/drizzle.ts';
import { interval } from '../../../db/intervals.ts';
import { subdomains } from '../../../db/schema/hosts.ts';
import { pick, setOf, statement } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { subdomainRestDays } from '../../../kernel/limits/limits.ts';
import type { DeletedProject } from '../../projects/shared/deletion-hooks.ts';
import { forgetHosts, unbindHost } from './host-names.ts';
import { hostOfSubdomain, type SubdomainRow, subdomainColumns } from './subdomain.ts';

/**
 * Takes a name from a project, and lets it rest for its organization.
 *
 * @returns the name as it was; undefined when the project does not have it
 */
export async function giveUpName(
  work: Pick<Work, 'rows' | 'afterCommit' | 'services'>,
  owner: DeletedProject,
  name: string,
): Promise<SubdomainRow | undefined> {
  const [row] = await work.rows(findStatement.with({ ...owner, name }));
  if (row === undefined) return undefined;
  const [rested] = await work.rows(restStatement.with({ ...owner, name }));
  await unbindHost(work, { ...owner, name: hostOfSubdomain(work.services, name) });
  return { ...row, updatedAt: rested!.updatedAt };
}

/** The same for every name of a project that ends. Its hosts are removed with its other ones. */
export async function giveUpNames(work: Work, owner: DeletedProject): Promise<void> {
  await work.rows(restAllStatement.with(owner));
  work.afterCommit(() => forgetHosts(work.services));
}

const key = pick(subdomains, 'orgId', 'name');
const resting = {
  projectId: sql`null`,
  deploymentId: sql`null`,
  restsUntil: sql`now() + ${interval(`${subdomainRestDays} days`)}`,
  updatedAt: sql`now()`,
};

const findStatement = statement(
  'subdomains.find',
  { params: pick(subdomains, 'orgId', 'projectId', 'name'), row: subdomainColumns },
  (given, row) => sql`select ${row} from ${subdomains} where ${subdomains.name} = ${given.name}
    and ${subdomains.orgId} = ${given.orgId} and ${subdomains.projectId} = ${given.projectId} for update`,
);

const restStatement = statement(
  'subdomains.rest',
  { params: key, row: pick(subdomains, 'updatedAt') },
  (given, row) => sql`update ${subdomains} ${setOf(subdomains, resting)}
    where ${subdomains.name} = ${given.name} and ${subdomains.orgId} = ${given.orgId} returning ${row}`,
);

const restAllStatement = statement(
  'subdomains.rest-all',
  { params: pick(subdomains, 'orgId', 'projectId') },
  (given) => sql`update ${subdomains} ${setOf(subdomains, resting)}
    where ${subdomains.orgId} = ${given.orgId} and ${subdomains.projectId} = ${given.projectId}`,
);
