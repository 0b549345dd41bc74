import { sql } from '../../../db/drizzle.ts';
import { hostCertificates, hostNames, projectDomains } from '../../../db/schema/hosts.ts';
import { insertSelect, statement, typed } from '../../../db/sql.ts';
import type { Services } from '../../../kernel/run/context.ts';

/** The host of the API, where it is one that a certificate can be ordered for. */
export function apiHost({ publicBaseUrl }: Pick<Services['settings'], 'publicBaseUrl'>): string | null {
  if (publicBaseUrl === undefined) return null;
  const { protocol, hostname } = new URL(publicBaseUrl);
  const isName = hostname.includes('.') && !/^[\d.]+$|[[\]]|(?:^|\.)localhost$/.test(hostname);
  return protocol === 'https:' && isName ? hostname : null;
}

/**
 * Notes which hosts need a certificate: own domains that lead here, and the host of the API. Hosts below the platform's domain
 * are covered by one certificate of the operator's, since there may be more of them than an authority gives out. What is no
 * project's any more is forgotten with its key.
 */
export async function noteWantedHosts({ db, settings }: Pick<Services, 'db' | 'settings'>): Promise<void> {
  const api = apiHost(settings);
  await db.rows(wantStatement.with({ api }));
  await db.rows(forgetStatement.with({ api }));
}

const api = typed<string | null>('text');

const wantStatement = statement('certificates.want', { params: { api } }, (given) =>
  insertSelect(
    hostCertificates,
    { host: sql`wanted.host` },
    sql`from (select ${projectDomains.name} as host from ${projectDomains}
      where ${projectDomains.boundAt} is not null and ${projectDomains.leadsHere}
      union select ${given.api}::text) wanted where wanted.host is not null on conflict do nothing`,
  ),
);

const forgetStatement = statement(
  'certificates.forget',
  { params: { api } },
  (given) => sql`delete from ${hostCertificates} where ${hostCertificates.host} is distinct from ${given.api}::text
    and not exists (select from ${hostNames} join ${projectDomains} on ${projectDomains.orgId} = ${hostNames.orgId}
      and ${projectDomains.projectId} = ${hostNames.projectId} and ${projectDomains.name} = ${hostNames.name}
      where ${hostNames.name} = ${hostCertificates.host})`,
);
