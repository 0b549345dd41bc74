import type { Stage, Surfaces } from './surface.ts';

export const hostSurfaces = ({ params, service }: Stage): Surfaces => {
  /** A name of this project's, the same each time that it is asked for. */
  const nameOf = (word: string) => `${word}-${params.project_id!.slice(-8)}`;
  /** The project has a name. */
  const subdomain = async () => {
    const name = nameOf('shop');
    await service.control.sql(
      `insert into subdomains (name, org_id, project_id) select $2, org_id, id from projects where id = $1
       on conflict (name) do update set project_id = excluded.project_id, rests_until = null`,
      [params.project_id, name],
    );
    return { name };
  };
  const unclaimed = () => nameOf('claimed');
  const clear = async () => {
    await service.control.sql('delete from subdomains where name = $1', [unclaimed()]);
    return undefined;
  };
  const domainPath = '/projects/v1/:project_id/domains/:domain';
  /** The project has a domain that was just looked at, so that no name server is asked. */
  const domain = async () => {
    const name = 'shop.example.com';
    await service.control.sql(
      `insert into project_domains (name, org_id, project_id, desired, token, checked_at)
       select $2, org_id, id, $3, 'seen', now() + interval '1 hour' from projects where id = $1
       on conflict (org_id, project_id, name) do update set checked_at = excluded.checked_at, token = 'seen'`,
      [params.project_id, name, JSON.stringify({ authority: 'manual_dns', web: { enabled: true, role: 'primary' } })],
    );
    return { domain: name };
  };
  const ofDomain = (word: string, verb: string): Surfaces[string] => ({
    cells: 'A + + F N + A F',
    prepare: domain,
    audited: {
      action: `domain.${word}`,
      kind: 'domain',
      objectId: 'domain',
      written: `select xmin::text from audit_events where action = 'domain.${word}' and object_id = $1
        order by id desc limit 1`,
    },
    field: () =>
      `mutation { ${verb}Domain(input: { project: "${params.project_id}", domain: "${params.domain}" }) { domain } }`,
  });
  /** The host that the project has from the start. */
  const host = async () => {
    const [row] = await service.control.sql<{ public_id: string }>('select public_id from projects where id = $1', [
      params.project_id,
    ]);
    return { host: `p-${row!.public_id}.localhost` };
  };
  return {
    'POST /cache/v1/invalidate': {
      cells: 'A + + F N + A F',
      prepare: host,
      body: () => ({ kind: 'all', host: params.host }),
      audited: {
        action: 'cache.invalidated',
        kind: 'host',
        objectId: 'host',
        written: 'select xmin::text from cache_generations where host = $1',
      },
      field: () => `mutation { invalidateCache(input: { kind: ALL, host: "${params.host}" }) { deleted } }`,
    },
    'GET /cache/v1/inspect': {
      cells: 'A + + + + + A F',
      prepare: host,
      search: () => `?host=${params.host}&path=/`,
      field: () => `{ cachedPage(host: "${params.host}", path: "/") { status host path } }`,
    },
    'GET /projects/v1/:project_id/domains': {
      cells: 'A + + + + + A F',
      prepare: domain,
      field: () => `{ project(id: "${params.project_id}") { domains { domain } } }`,
    },
    [`GET ${domainPath}`]: {
      cells: 'A + + + + + A F',
      prepare: domain,
      field: () => `{ projectDomain(project: "${params.project_id}", domain: "${params.domain}") { domain } }`,
    },
    [`POST ${domainPath}`]: { ...ofDomain('changed', 'ensure'), body: () => ({}) },
    [`POST ${domainPath}/actions/check`]: ofDomain('checked', 'check'),
    [`POST ${domainPath}/actions/apply`]: ofDomain('applied', 'apply'),
    [`POST ${domainPath}/actions/repair`]: ofDomain('repaired', 'repair'),
    [`DELETE ${domainPath}`]: ofDomain('disconnected', 'disconnect'),
    'GET /subdomains/v1': {
      cells: 'A + + + + + A F',
      search: () => `?project_id=${params.project_id}`,
      prepare: subdomain,
      field: () => `{ project(id: "${params.project_id}") { subdomains { name } } }`,
    },
    'POST /subdomains/v1': {
      cells: 'A + + F N + A F',
      prepare: clear,
      body: () => ({ project_id: params.project_id, name: unclaimed() }),
      audited: {
        action: 'subdomain.claimed',
        kind: 'subdomain',
        objectId: 'name',
        written: 'select xmin::text from subdomains where name = $1',
      },
      field: () =>
        `mutation { claimSubdomain(input: { project: "${params.project_id}", name: "${unclaimed()}" }) { name } }`,
    },
    'DELETE /subdomains/v1/:name': {
      cells: 'A + + F N + A F',
      search: () => `?project_id=${params.project_id}`,
      prepare: subdomain,
      audited: {
        action: 'subdomain.deleted',
        kind: 'subdomain',
        objectId: 'name',
        written: 'select xmin::text from subdomains where name = $1',
      },
      field: () =>
        `mutation { deleteSubdomain(input: { project: "${params.project_id}", name: "${params.name}" }) { name } }`,
    },
  };
};
