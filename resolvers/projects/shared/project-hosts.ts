import { sql } from '../../../db/drizzle.ts';
import { projectDomains, subdomains } from '../../../db/schema/hosts.ts';
import { computed, statement, typed } from '../../../db/sql.ts';
import type { Rows } from '../../../db/statement.ts';
import type { Services } from '../../../kernel/run/context.ts';

/** Where a project is served beside its own host. */
export interface ProjectHosts {
  /** Its first subdomain, else its first own domain; null without either. */
  readonly siteUrl: string | null;
  /** Its own domains, those alone that are bound. */
  readonly customDomains: readonly string[];
}

/** The origin at which the gateway is opened, its console too. */
export const originOfGateway = ({ settings }: Pick<Services, 'settings'>): string =>
  new URL(settings.publicBaseUrl ?? settings.mailBaseUrl).origin;

/** The origin of a project's host. In development hosts are where the API is, on its port. */
export function originOfHost({ settings }: Pick<Services, 'settings'>, host: string): string {
  if (settings.platformDomain !== 'localhost' || !host.endsWith('.localhost')) return `https://${host}`;
  const { protocol, port } = new URL(settings.publicBaseUrl ?? settings.mailBaseUrl);
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}`;
}

/** Where projects are served, in the order given, by one statement. @param rows of a transaction. @default of none */
export async function hostsOfProjects(
  services: Pick<Services, 'db' | 'settings'>,
  projects: readonly { readonly orgId: string; readonly id: string }[],
  rows: Rows = services.db.rows,
): Promise<ProjectHosts[]> {
  if (projects.length === 0) return [];
  const found = await rows(
    hostsStatement.with({ orgIds: projects.map(({ orgId }) => orgId), ids: projects.map(({ id }) => id) }),
  );
  const byId = new Map(found.map((row) => [row.projectId, row]));
  return projects.map(({ id }) => {
    const { subdomain = null, domains = [] } = byId.get(id) ?? {};
    const host = subdomain === null ? domains[0] : `${subdomain}.${services.settings.platformDomain}`;
    return { siteUrl: host === undefined ? null : originOfHost(services, host), customDomains: domains };
  });
}

const hostsStatement = statement(
  'projects.hosts',
  {
    params: { orgIds: typed<readonly string[]>('uuid[]'), ids: typed<readonly string[]>('text[]') },
    row: {
      projectId: computed<string>('text', sql`asked.id`),
      subdomain: computed<string | null>(
        'text',
        sql`(select ${subdomains.name} from ${subdomains} where ${subdomains.orgId} = asked.org_id
          and ${subdomains.projectId} = asked.id order by ${subdomains.createdAt}, ${subdomains.name} limit 1)`,
      ),
      domains: computed<readonly string[]>(
        'text[]',
        sql`array(select ${projectDomains.name} from ${projectDomains} where ${projectDomains.orgId} = asked.org_id
          and ${projectDomains.projectId} = asked.id and ${projectDomains.boundAt} is not null
          order by ${projectDomains.createdAt}, ${projectDomains.name})`,
      ),
    },
    pipelined: true,
  },
  ({ orgIds, ids }, row) => sql`select ${row} from unnest(${orgIds}::uuid[], ${ids}::text[]) as asked (org_id, id)`,
);
