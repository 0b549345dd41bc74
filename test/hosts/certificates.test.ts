import { afterAll, expect, test } from 'vitest';
import { startAcmeServer } from '../helpers/acme-server.ts';
import { startDnsServer } from '../helpers/dns-server.ts';
import { startService } from '../helpers/service.ts';
import { daysFrom } from '../helpers/test-authority.ts';
import { hostCall } from '../hosted/host-call.ts';
import { domainDoor, projectWithHost } from './domain-door.ts';
import { handshake, secureCall } from './secure-call.ts';

const platform = 'apps.example.net';
const dns = await startDnsServer();
const acme = await startAcmeServer();
const service = await startService({
  env: {
    PLATFORM_DOMAIN: platform,
    DNS_SERVERS: dns.address,
    TLS_PORT: '0',
    ACME_TERMS_AGREED: 'true',
    ACME_DIRECTORY_URL: acme.directoryUrl,
    ACME_EMAIL: 'operator@example.net',
  },
});
acme.hostsAt = service.url;
afterAll(async () => {
  await service.stop();
  await acme.stop();
  await dns.stop();
});
const { control } = service;
const { ca } = acme.authority;
const secureUrl = service.app.secureUrl!;
const home = await projectWithHost(service, dns, platform, '192.0.2.10');
const door = domainDoor(service, home);

const order = () =>
  control.sql(`select graphile_worker.add_job('order-certificates', job_key => 'order-certificates')`);
const rowOf = async (host: string) =>
  (
    await control.sql<{ failures: number; problem: string | null; ahead: number; sealed_key: Buffer | null }>(
      `select failures, problem, sealed_key, extract(epoch from next_order_at - now())::float8 / 60 as ahead
       from host_certificates where host = $1`,
      [host],
    )
  )[0];
const makeDue = (host: string) =>
  control.sql(`update host_certificates set next_order_at = now() where host = $1`, [host]);
const issuedFor = (host: string) => acme.issued.filter((one) => one === host).length;
const servedOver = (host: string) => secureCall(secureUrl, ca, host, '/_svc/config.json').catch(() => undefined);

test('a domain whose records are right is given a certificate by itself, and served by TLS', async () => {
  const name = 'secure.example.org';
  const { body } = await door.ensure(name);
  expect(body.checks.at(-1)).toMatchObject({ id: 'certificate', status: 'blocked', blocked_by: ['binding'] });
  acme.staleNonces = 2;
  await home.proveAndConnect(name);
  await expect.poll(async () => (await servedOver(name))?.status).toBe(200);
  expect(JSON.parse((await servedOver(name))!.text).project_id).toBe(home.projectId);
  expect((await door.get(name)).body).toMatchObject({ status: 'active' });
  expect(acme.issued).toContain(name);
  expect(await control.sql('select 1 from acme_challenges where host = $1', [name])).toEqual([]);
});

test('a domain that does not lead here costs no order', async () => {
  const name = 'elsewhere.example.org';
  const { body } = await door.ensure(name);
  dns.set(`_svc-challenge.${name}`, { TXT: [body.dns_records[0].value] });
  dns.set(name, { A: ['198.51.100.7'] });
  await door.ensure(name);
  await home.proveAndConnect('beside.example.org');
  await order();
  await expect.poll(() => issuedFor('beside.example.org')).toBe(1);
  expect(acme.ordered).not.toContain(name);
  expect(await handshake(secureUrl, ca, name)).toEqual({ refused: 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE' });
});

test('a failed order is tried again after growing pauses, and told to the owner', async () => {
  const name = 'unlucky.example.org';
  acme.failNext('finalize', { status: 403, type: 'caa' });
  await home.proveAndConnect(name);
  await expect.poll(async () => (await rowOf(name))?.failures).toBe(1);
  const first = await rowOf(name);
  expect(first!.problem).toBe('caa: told to say caa');
  expect(first!.ahead).toBeGreaterThan(14);
  expect(first!.ahead).toBeLessThan(15.5);
  expect((await door.get(name)).body).toMatchObject({ status: 'waiting' });
  expect((await door.get(name)).body.checks.at(-1)).toMatchObject({ status: 'failed', reason_code: 'order_failed' });
  acme.failNext('finalize', { status: 403, type: 'caa' });
  await makeDue(name);
  await order();
  await expect.poll(async () => (await rowOf(name))?.failures).toBe(2);
  expect((await rowOf(name))!.ahead).toBeGreaterThan(29);
  await makeDue(name);
  await order();
  await expect.poll(() => issuedFor(name)).toBe(1);
  await expect.poll(async () => (await rowOf(name))?.failures).toBe(0);
});

test('an authority that has had enough is left alone for as long as it says, by all orders', async () => {
  const [limited, other] = ['limited.example.org', 'patient.example.org'];
  acme.failNext('newOrder', { status: 429, type: 'rateLimited', retryAfter: 7_200 });
  await home.proveAndConnect(limited!);
  await expect.poll(async () => (await rowOf(limited!))?.failures).toBe(1);
  const [account] = await control.sql<{ minutes: number }>(
    'select extract(epoch from paused_until - now())::float8 / 60 as minutes from acme_accounts',
  );
  expect(account!.minutes).toBeGreaterThan(115);
  const before = acme.ordered.length;
  await home.proveAndConnect(other!);
  await expect.poll(async () => (await rowOf(other!)) !== undefined).toBe(true);
  expect(acme.ordered.length).toBe(before);
  await control.sql('update acme_accounts set paused_until = null');
  await order();
  await expect.poll(() => issuedFor(other!)).toBe(1);
});

test('a certificate is renewed in time, and the new one is used without a restart', async () => {
  const name = 'renewed.example.org';
  acme.life = daysFrom(-60, 30);
  await home.proveAndConnect(name);
  await expect.poll(() => issuedFor(name)).toBeGreaterThan(0);
  const first = await handshake(secureUrl, ca, name);
  // Two thirds of its life have passed.
  acme.life = daysFrom(-1, 89);
  await expect
    .poll(async () => {
      await order();
      return issuedFor(name);
    })
    .toBeGreaterThan(1);
  await expect.poll(async () => (await rowOf(name))!.ahead / 60 / 24).toBeGreaterThan(50);
  await expect.poll(async () => (await handshake(secureUrl, ca, name)).serialNumber).not.toBe(first.serialNumber);
});

test('an account that the authority has forgotten is made anew', async () => {
  const name = 'forgotten.example.org';
  acme.forgetAccounts();
  await home.proveAndConnect(name);
  await expect.poll(async () => (await rowOf(name))?.problem?.split(':')[0]).toBe('accountDoesNotExist');
  await makeDue(name);
  await order();
  await expect.poll(() => issuedFor(name)).toBe(1);
  expect(acme.accounts).toBe(1);
});

test('a certificate goes with its domain', async () => {
  const name = 'leaving.example.org';
  await home.proveAndConnect(name);
  await expect.poll(() => issuedFor(name)).toBe(1);
  await door.disconnect(name);
  await order();
  await expect.poll(() => rowOf(name)).toBeUndefined();
});

test('proofs that nobody expects are not found, under any name', async () => {
  const path = `/.well-known/acme-challenge/${'A'.repeat(32)}`;
  for (const host of ['unknown.example.org', `p-x.${platform}`, home.host, 'localhost'])
    expect((await hostCall(service, host)('GET', path)).status, host).toBe(404);
});

test('keys are kept sealed, and neither they nor proofs are logged', async () => {
  const rows = await control.sql<{ sealed: Buffer }>(
    'select sealed_key as sealed from host_certificates where sealed_key is not null union select sealed_key from acme_accounts',
  );
  expect(rows.length).toBeGreaterThan(1);
  for (const { sealed } of rows) expect(sealed.toString('latin1')).not.toContain('PRIVATE KEY');
  expect(JSON.stringify(service.logged())).not.toContain('PRIVATE KEY');
});
