import { sql } from '../../../db/drizzle.ts';
import { hostNames } from '../../../db/schema/hosts.ts';
import { insertInto, nameOf, pick, statement } from '../../../db/sql.ts';
import { forgetProjectTargets } from '../../../kernel/access/project-target.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { forgetHostNames } from './find-host.ts';

const key = pick(hostNames, 'name', 'orgId', 'projectId');

/** Has requests for a name go to a project. @returns false when the name is another project's */
export async function bindHost(
  work: Pick<Work, 'rows' | 'afterCommit' | 'services'>,
  host: { readonly name: string; readonly orgId: string; readonly projectId: string },
): Promise<boolean> {
  await work.rows(bindStatement.with(host));
  const [bound] = await work.rows(boundStatement.with(host));
  work.afterCommit(() => forgetHosts(work.services));
  return bound !== undefined;
}

/** Has requests for a name no longer go to a project; nothing where it is not the project's. */
export async function unbindHost(
  work: Pick<Work, 'rows' | 'afterCommit' | 'services'>,
  host: { readonly name: string; readonly orgId: string; readonly projectId: string },
): Promise<void> {
  await work.rows(unbindStatement.with(host));
  work.afterCommit(() => forgetHosts(work.services));
}

/** Has this node ask anew whose names are. Other nodes remember for a second. */
export function forgetHosts(services: Work['services']): void {
  forgetHostNames(services);
  forgetProjectTargets(services);
}

const bindStatement = statement(
  'hosts.bind',
  { params: key },
  (given) => sql`${insertInto(hostNames, given)} on conflict (${nameOf(hostNames.name)}) do nothing`,
);

const boundStatement = statement(
  'hosts.bound',
  { params: key, row: pick(hostNames, 'name') },
  (given, row) => sql`select ${row} from ${hostNames} where ${hostNames.name} = ${given.name}
    and ${hostNames.orgId} = ${given.orgId} and ${hostNames.projectId} = ${given.projectId}`,
);

const unbindStatement = statement(
  'hosts.unbind',
  { params: key },
  (given) => sql`delete from ${hostNames} where ${hostNames.name} = ${given.name}
    and ${hostNames.orgId} = ${given.orgId} and ${hostNames.projectId} = ${given.projectId}`,
);
