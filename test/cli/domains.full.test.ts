import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDnsServer } from '../helpers/dns-server.ts';
import { startService } from '../helpers/service.ts';
import { terminal } from './command.ts';

const dns = await startDnsServer();
const service = await startService({ env: { PLATFORM_DOMAIN: 'apps.example.net', DNS_SERVERS: dns.address } });
const ada = await terminal(service.url);
afterAll(async () => {
  await ada.remove();
  await service.stop();
  await dns.stop();
});
const name = 'shop.example.org';

beforeAll(async () => {
  await ada.svc('init');
  await ada.svc('org', 'create');
  await ada.svc('projects', 'provision', '--name', 'Shop');
});

test('a domain is connected, its records are listed, and the wait ends when it serves', async () => {
  const connected = await ada.svc('domains', 'connect', name, '--role', 'alias');
  expect(connected.json).toMatchObject({
    domain: name,
    status: 'action_required',
    desired: { web: { role: 'alias' } },
  });
  const late = await ada.svc('domains', 'wait', name, '--timeout', '1');
  expect([late.code, late.error.code]).toEqual([1, 'DOMAIN_WAIT_TIMEOUT']);
  expect(late.error.details.status).toBe('action_required');
  const { dns_records: records } = (await ada.svc('domains', 'dns', name)).json;
  const [ownership, routing] = records;
  dns.set(ownership.name, { TXT: [ownership.value] });
  dns.set(routing.name, { [routing.type]: routing.value });
  expect((await ada.svc('domains', 'wait', name)).json).toMatchObject({ domain: name, status: 'active' });
  expect((await ada.svc('domains', 'status', name)).json.status).toBe('active');
});

test('what gives a name up is done only with --confirm', async () => {
  await ada.svc('subdomains', 'claim', 'our-shop');
  for (const words of [
    ['domains', 'disconnect', name],
    ['subdomains', 'delete', 'our-shop'],
  ]) {
    expect((await ada.svc(...words)).error.code).toBe('CONFIRMATION_REQUIRED');
    expect((await ada.svc(...words, '--confirm')).code).toBe(0);
  }
  expect((await ada.svc('domains', 'list')).json.domains).toEqual([]);
  expect((await ada.svc('subdomains', 'list')).json.subdomains).toEqual([]);
});

test('what is not offered yet says so', async () => {
  for (const word of ['test-receive', 'activate'])
    expect((await ada.svc('domains', word, name)).error.message).toContain('receive nothing yet');
});
