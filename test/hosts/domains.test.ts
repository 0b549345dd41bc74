import { afterAll, expect, test } from 'vitest';
import { startDnsServer } from '../helpers/dns-server.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { hostCall } from '../hosted/host-call.ts';
import { domainDoor, projectWithHost } from './domain-door.ts';

const platform = 'apps.example.net';
const gatewayAddress = '192.0.2.10';
const dns = await startDnsServer();
const service = await startService({ env: { PLATFORM_DOMAIN: platform, DNS_SERVERS: dns.address } });
afterAll(async () => {
  await service.stop();
  await dns.stop();
});
const { control } = service;
const home = await projectWithHost(service, dns, platform, gatewayAddress);
const { ensure, get, list, check, apply, repair, disconnect } = domainDoor(service, home);

const servedTo = async (name: string) => (await hostCall(service, name)('GET', '/_svc/config.json')).body?.project_id;
const checksOf = (body: { checks: { id: string; status: string; reason_code?: string }[] }) =>
  Object.fromEntries(body.checks.map(({ id, status, reason_code }) => [id, reason_code ?? status]));
/** Lets the next look ask anew, as time would. */
const age = () => control.sql(`update project_domains set checked_at = checked_at - interval '1 minute'`);

test('a domain is connected, proven, bound and served, and no longer once it is disconnected', async () => {
  const name = 'shop.example.org';
  const connected = await ensure(name);
  expect(connected).toMatchObject({
    status: 201,
    body: {
      project_id: home.projectId,
      domain: name,
      status: 'action_required',
      desired: { authority: 'manual_dns', web: { enabled: true, role: 'primary' } },
      authority: { recommended_mode: 'manual_dns', options: ['manual_dns'] },
    },
  });
  const [ownership, routing] = connected.body.dns_records;
  expect(ownership).toMatchObject({ type: 'TXT', name: `_svc-challenge.${name}`, status: 'missing', required: true });
  expect(routing).toMatchObject({ type: 'CNAME', name, value: home.host, status: 'missing' });
  expect(checksOf(connected.body)).toEqual({
    ownership: 'record_missing',
    routing: 'record_missing',
    binding: 'blocked',
  });
  expect(await servedTo(name)).toBeUndefined();

  dns.set(`_svc-challenge.${name}`, { TXT: ['another text', ownership.value] });
  dns.set(name, { CNAME: home.host });
  await age();
  const checked = await check(name);
  expect(checked.body).toMatchObject({
    status: 'active',
    effective: { web: { active: true, bound: true, url: `https://${name}` }, email: { receive: { active: false } } },
  });
  expect(checksOf(checked.body)).toEqual({ ownership: 'passed', routing: 'passed', binding: 'passed' });
  expect((await get(name)).body).toEqual(checked.body);
  expect((await list()).body).toEqual({ domains: [checked.body] });
  expect(await servedTo(name)).toBe(home.projectId);

  expect((await disconnect(name)).body).toEqual({ status: 'disconnected', domain: name });
  expect(await servedTo(name)).toBeUndefined();
  expectRefusal(await get(name), 'DOMAIN_NOT_FOUND');
  expectRefusal(await disconnect(name), 'DOMAIN_NOT_FOUND');
});

test('where a zone begins, addresses are asked for, and one that leads there is enough', async () => {
  const name = 'apex.example';
  dns.set(name, { SOA: true });
  const { body } = await ensure(name);
  expect(body.dns_records[1]).toMatchObject({ type: 'A', name, value: gatewayAddress, status: 'missing' });
  dns.set(name, { SOA: true, A: ['198.51.100.7'] });
  await age();
  expect((await check(name)).body.dns_records[1]).toMatchObject({ status: 'conflict', safety: { destructive: true } });
  dns.set(name, { SOA: true, A: [gatewayAddress] });
  dns.set(`_svc-challenge.${name}`, { TXT: [body.dns_records[0].value] });
  await age();
  expect((await check(name)).body.status).toBe('active');
  // One that leads elsewhere, beside it, would be half of the visitors’ way.
  dns.set(name, { SOA: true, A: [gatewayAddress, '198.51.100.7'] });
  await age();
  expect((await check(name)).body.status).toBe('needs_repair');
  await disconnect(name);
});

test('a repeated connect changes what is wanted, and asks for the same proof', async () => {
  const name = 'again.example.org';
  const first = await ensure(name);
  const second = await ensure(name, { web: { role: 'alias' } });
  expect(second.status).toBe(200);
  expect(second.body.desired).toEqual({ authority: 'manual_dns', web: { enabled: true, role: 'alias' } });
  expect(second.body.dns_records[0].value).toBe(first.body.dns_records[0].value);
  await disconnect(name);
});

test('a domain that is turned off is served no more', async () => {
  const name = 'off.example.org';
  await home.proveAndConnect(name);
  expect(await servedTo(name)).toBe(home.projectId);
  await ensure(name, { web: { enabled: false } });
  expect(await servedTo(name)).toBeUndefined();
  expect((await ensure(name)).body.status).toBe('active');
  expect(await servedTo(name)).toBe(home.projectId);
  await disconnect(name);
});

test('a domain is known by one name, however it is spelt', async () => {
  const punycode = 'xn--bcher-kva.example.org';
  expect((await ensure('BÜCHER.example.org')).body.domain).toBe(punycode);
  expect((await ensure('bücher。example.org.')).status).toBe(200);
  expect((await get(punycode)).body.domain).toBe(punycode);
  await disconnect('Bücher.example.org');
});

test.each([
  ['localhost', 'malformed'],
  ['com', 'malformed'],
  ['192.0.2.1', 'malformed'],
  ['2130706433', 'malformed'],
  ['0x7f.1', 'malformed'],
  ['[::1]', 'malformed'],
  ['a b.example.org', 'malformed'],
  ['example.org/path', 'malformed'],
  ['user@example.org', 'malformed'],
  ['example.org:443', 'malformed'],
  ['*.example.org', 'malformed'],
  ['-a.example.org', 'malformed'],
  ['a..example.org', 'malformed'],
  [`${'a'.repeat(64)}.example.org`, 'malformed'],
  [`${'a.'.repeat(118)}example.org`, 'malformed'],
  ['shop.localhost', 'local'],
  ['printer.local', 'local'],
  [platform, 'platform'],
  [`shop.${platform}`, 'platform'],
])('%s is no domain to connect: %s', async (name, reason) => {
  const refused = await ensure(name);
  expectRefusal(refused, 'INVALID_DOMAIN');
  expect(refused.body.details.reason).toBe(reason);
});

test('zones are not hosted, and a gateway that takes no mail says so of each domain', async () => {
  const name = 'zone.example.org';
  expectRefusal(await ensure(name, { authority: 'hosted_dns_zone' }), 'INVALID_DOMAIN_AUTHORITY');
  const receiving = await ensure(name, { email: { receive: { enabled: true } } });
  expect(checksOf(receiving.body).mail_routing).toBe('provider_not_configured');
  expect(receiving.body.effective.email).toEqual({
    send: { active: false },
    receive: { active: false, strategy: 'subdomain_mode' },
  });
  const off = await ensure(name, { email: { send: { enabled: false } } });
  expect(Object.keys(checksOf(off.body))).toEqual(['ownership', 'routing', 'binding']);
  await disconnect(name);
});

test('name servers that do not answer leave everything as it is', async () => {
  const name = 'silent.example.org';
  await home.proveAndConnect(name);
  dns.fail = true;
  await age();
  const silent = (await check(name)).body;
  dns.fail = false;
  expect(silent.status).toBe('active');
  expect(silent.observed.unanswered).toBe(true);
  dns.fail = true;
  const fresh = await ensure('unknown.example.org');
  dns.fail = false;
  expect(checksOf(fresh.body).ownership).toBe('dns_unavailable');
  await disconnect(name);
  await disconnect('unknown.example.org');
});

test('clients that ask again and again share one look', async () => {
  const name = 'often.example.org';
  await ensure(name);
  const before = dns.asked(`_svc-challenge.${name}`);
  await Promise.all(Array.from({ length: 5 }, () => check(name)));
  expect(dns.asked(`_svc-challenge.${name}`)).toBe(before);
  await disconnect(name);
});

test('a project has 25 domains at most', async () => {
  const other = await projectWithHost(service, dns, platform, gatewayAddress);
  const door = domainDoor(service, other);
  const told = await Promise.all(Array.from({ length: 28 }, (_none, at) => door.ensure(`many-${at}.example.org`)));
  expect(told.filter(({ status }) => status === 201)).toHaveLength(25);
  for (const { body } of told.filter(({ status }) => status !== 201))
    expect(body).toMatchObject({ code: 'QUOTA_EXCEEDED', details: { metric: 'domains', limit: 25 } });
});

test('domains end with their project', async () => {
  const gone = await projectWithHost(service, dns, platform, gatewayAddress);
  await gone.proveAndConnect('gone.example.org');
  await service.call(service.actors.bearer(gone.serviceKey), 'DELETE', `/projects/v1/${gone.projectId}`);
  expect(await servedTo('gone.example.org')).toBeUndefined();
  expect(await control.sql('select 1 from project_domains where project_id = $1', [gone.projectId])).toEqual([]);
});

test('to apply does what a check does, since records are their owner’s', async () => {
  const name = 'applied.example.org';
  const { body } = await ensure(name);
  dns.set(`_svc-challenge.${name}`, { TXT: [body.dns_records[0].value] });
  dns.set(name, { CNAME: home.host });
  await age();
  expect((await apply(name)).body.status).toBe('active');
  expect((await repair(name)).body.status).toBe('active');
  await disconnect(name);
});
