import { afterAll, expect, test } from 'vitest';
import { startDnsServer } from '../helpers/dns-server.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { hostCall } from '../hosted/host-call.ts';
import { domainDoor, projectWithHost } from './domain-door.ts';

const platform = 'apps.example.net';
const dns = await startDnsServer();
const service = await startService({ env: { PLATFORM_DOMAIN: platform, DNS_SERVERS: dns.address } });
afterAll(async () => {
  await service.stop();
  await dns.stop();
});
const { control } = service;
const one = await projectWithHost(service, dns, platform, '192.0.2.10');
const other = await projectWithHost(service, dns, platform, '192.0.2.10');
const first = domainDoor(service, one);
const second = domainDoor(service, other);

const servedTo = async (name: string) => (await hostCall(service, name)('GET', '/_svc/config.json')).body?.project_id;
const age = () => control.sql(`update project_domains set checked_at = checked_at - interval '1 minute'`);
// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
const bindingOf = (body: any) => body.checks.find(({ id }: { id: string }) => id === 'binding');
/** Has the background job look at every domain, as if it were time. */
async function recheck(): Promise<void> {
  await control.sql(`update project_domains set next_check_at = now() - interval '1 second'`);
  await control.sql(`select graphile_worker.add_job('recheck-domains')`);
}
const statusOf = async (name: string) => (await first.get(name)).body.status;

test('both may want a domain, and the one that proves it gets it', async () => {
  const name = 'wanted.example.org';
  const theirs = await first.ensure(name);
  const ours = await second.ensure(name);
  expect([theirs.status, ours.status]).toEqual([201, 201]);
  expect(ours.body.dns_records[0].value).not.toBe(theirs.body.dns_records[0].value);
  dns.set(`_svc-challenge.${name}`, { TXT: [ours.body.dns_records[0].value] });
  dns.set(name, { CNAME: other.host });
  await age();
  await first.check(name);
  expect(await servedTo(name)).toBeUndefined();
  await second.check(name);
  expect(await servedTo(name)).toBe(other.projectId);
  await age();
  expect(bindingOf((await first.check(name)).body)).toMatchObject({ status: 'failed', reason_code: 'bound_elsewhere' });
  expect(await servedTo(name)).toBe(other.projectId);
});

test('a domain that is another’s cannot be connected while its proof stands', async () => {
  const name = 'held.example.org';
  await one.proveAndConnect(name);
  expectRefusal(await second.ensure(name), 'DOMAIN_CONFLICT');
  expect(await servedTo(name)).toBe(one.projectId);
});

test('a proof of both leaves the domain where it is', async () => {
  const name = 'both.example.org';
  const theirs = await first.ensure(name);
  const ours = await second.ensure(name);
  dns.set(`_svc-challenge.${name}`, {
    TXT: [theirs.body.dns_records[0].value, ours.body.dns_records[0].value],
  });
  await age();
  await first.check(name);
  await age();
  expect(bindingOf((await second.check(name)).body).reason_code).toBe('bound_elsewhere');
  expect(await servedTo(name)).toBe(one.projectId);
});

test('whoever sets the records of a domain may give it to another project', async () => {
  const name = 'moves.example.org';
  await first.ensure(name);
  const ours = await second.ensure(name);
  await one.proveAndConnect(name);
  dns.set(`_svc-challenge.${name}`, { TXT: [ours.body.dns_records[0].value] });
  dns.set(name, { CNAME: other.host });
  await age();
  expect((await second.check(name)).body.status).toBe('active');
  expect(await servedTo(name)).toBe(other.projectId);
  expect((await first.get(name)).body).toMatchObject({ status: 'failed' });
  // It does not come back by a mere check.
  await age();
  expect((await first.check(name)).body.status).toBe('failed');
  expect(await servedTo(name)).toBe(other.projectId);
  await age();
  expect((await first.repair(name)).body.status).toBe('action_required');
});

test('a proof that goes away is drift at first, and after three days the end', async () => {
  const name = 'drifts.example.org';
  await one.proveAndConnect(name);
  const token = (await first.get(name)).body.dns_records[0].value;
  dns.set(`_svc-challenge.${name}`, null);
  await age();
  expect((await first.check(name)).body.status).toBe('needs_repair');
  expect(await servedTo(name)).toBe(one.projectId);
  // Another owner need not wait for that.
  expect((await second.ensure(name)).status).toBe(201);
  dns.set(`_svc-challenge.${name}`, { TXT: [token] });
  await age();
  expect((await first.check(name)).body.status).toBe('active');
  dns.set(`_svc-challenge.${name}`, null);
  await age();
  await first.check(name);
  await control.sql(
    `update project_domains set unproven_since = unproven_since - interval '73 hours' where name = $1`,
    [name],
  );
  await age();
  expect((await first.check(name)).body.status).toBe('failed');
  expect(await servedTo(name)).toBeUndefined();
  dns.set(`_svc-challenge.${name}`, { TXT: [token] });
  await age();
  expect((await first.repair(name)).body.status).toBe('active');
  expect(await servedTo(name)).toBe(one.projectId);
});

test('the gateway looks by itself: it binds what was proven, and sees what drifts', async () => {
  const name = 'itself.example.org';
  const { body } = await first.ensure(name);
  dns.set(`_svc-challenge.${name}`, { TXT: [body.dns_records[0].value] });
  dns.set(name, { CNAME: one.host });
  await recheck();
  await expect.poll(() => statusOf(name)).toBe('active');
  dns.set(name, { A: ['198.51.100.7'] });
  await recheck();
  await expect.poll(() => statusOf(name)).toBe('needs_repair');
  expect(await servedTo(name)).toBe(one.projectId);
});

test('another project’s domains can neither be seen nor touched', async () => {
  const name = 'private.example.org';
  await first.ensure(name);
  for (const act of [second.get, second.check, second.apply, second.repair, second.disconnect])
    expectRefusal(await act(name), 'DOMAIN_NOT_FOUND');
  const foreign = domainDoor(service, { wallet: other.wallet, projectId: one.projectId });
  for (const act of [foreign.get, foreign.ensure, foreign.check, foreign.disconnect])
    expectRefusal(await act(name), 'NOT_AUTHORIZED');
});
