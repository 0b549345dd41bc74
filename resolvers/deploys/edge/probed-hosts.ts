import { sql } from '../../../db/drizzle.ts';
import { hostNames } from '../../../db/schema/hosts.ts';
import { pick, statement, typed } from '../../../db/sql.ts';
import type { ProjectScope } from '../../../kernel/access/access.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { hostOfProject } from '../../hosts/shared/host-urls.ts';
import { originOfHost } from '../../projects/shared/project-hosts.ts';

/** A host that a project is served under. */
export interface ProbedHost {
  readonly name: string;
  readonly origin: string;
  /** It lies below the platform's domain. */
  readonly isPlatforms: boolean;
}

/** Hosts that one probe asks. */
const hostsMax = 16;

/** Every host of a project: the one that it has from the start, its subdomain, and its own domains. */
export async function probedHosts({ services, org, project }: Context & ProjectScope): Promise<ProbedHost[]> {
  const bound = await services.db.rows(
    boundStatement.with({ orgId: org.id, projectId: project.id, limit: hostsMax - 1 }),
  );
  const below = `.${services.settings.platformDomain}`;
  return [hostOfProject(services, project.publicId), ...bound.map(({ name }) => name)].map((name) => ({
    name,
    origin: originOfHost(services, name),
    isPlatforms: name.endsWith(below),
  }));
}

const boundStatement = statement(
  'deploys.probed-hosts',
  {
    params: { ...pick(hostNames, 'orgId', 'projectId'), limit: typed<number>('bigint') },
    row: pick(hostNames, 'name'),
  },
  ({ orgId, projectId, limit }, row) => sql`select ${row} from ${hostNames} where ${hostNames.orgId} = ${orgId}
    and ${hostNames.projectId} = ${projectId} order by ${hostNames.createdAt}, ${hostNames.name} limit ${limit}`,
);
