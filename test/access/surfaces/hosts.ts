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
  /** The same with mail that the present mail server forwards, and an address that was tested. */
  const mailDomain = async () => {
    const { sql } = service.control;
    const name = 'mail.example.com';
    const address = `hello@${name}`;
    const email = {
      send: { enabled: false },
      receive: { enabled: true, strategy: 'forwarding_mode', mail_subdomain: 'mail' },
      mailbox_addresses: { mode: 'alias', addresses: [{ local_part: 'hello', mailbox_slug: 'forwarded' }] },
      activation: 'manual',
    };
    const desired = JSON.stringify({ authority: 'manual_dns', web: { enabled: false, role: 'primary' }, email });
    const named = [params.project_id, name];
    for (const table of ['mail_domains', 'mail_addresses', 'receive_tests'])
      await sql(`delete from ${table} where project_id = $1`, [params.project_id]);
    await sql(
      `insert into mailboxes (id, org_id, project_id, slug) select 'mbx_' || public_id, org_id, id, 'forwarded' from projects
       where id = $1 on conflict do nothing`,
      [params.project_id],
    );
    await sql(
      `insert into project_domains (name, org_id, project_id, desired, token, observed, checked_at)
       select $2, org_id, id, $3, 'seen', $4, now() + interval '1 hour' from projects where id = $1
       on conflict (org_id, project_id, name) do update set observed = excluded.observed, failure = null, unproven_since = null`,
      [
        ...named,
        desired,
        JSON.stringify({
          at: new Date().toISOString(),
          texts: ['svc-domain=seen'],
          alias: null,
          addresses: [],
          targetAddresses: [],
          beginsZone: false,
        }),
      ],
    );
    await sql(
      `insert into mail_domains (name, org_id, project_id, domain, receives) select $2, org_id, id, $2, true from projects
       where id = $1 on conflict (name) do update set org_id = excluded.org_id, project_id = excluded.project_id`,
      named,
    );
    await sql(
      `insert into mail_addresses (mail_domain, local_part, org_id, project_id, mailbox_id, is_primary, position)
       select $2, 'hello', org_id, id, 'mbx_' || public_id, false, 1 from projects where id = $1
       on conflict (mail_domain, local_part) do update set org_id = excluded.org_id, project_id = excluded.project_id,
         mailbox_id = excluded.mailbox_id`,
      named,
    );
    await sql(
      `insert into receive_tests (id, org_id, project_id, domain, local_part, address, mailbox_id, target_managed_address,
         token, status, mail_id, created_at)
       select $4, org_id, id, $2, 'hello', $3, 'mbx_' || public_id, $3, id, 'passed', 'mail_none',
         now() - interval '1 hour' from projects where id = $1`,
      [...named, address, service.app.services.newId('rct')],
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
    [`POST ${domainPath}/actions/test_receive`]: {
      ...ofDomain('receive_tested', 'testReceive'),
      prepare: mailDomain,
      body: () => ({ to: 'hello' }),
      field: () =>
        `mutation { testDomainReceive(input: { project: "${params.project_id}", domain: "${params.domain}", to: "hello" }) { domain } }`,
    },
    [`POST ${domainPath}/actions/activate_mailbox_addresses`]: {
      ...ofDomain('addresses_activated', 'activate'),
      prepare: mailDomain,
    },
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
