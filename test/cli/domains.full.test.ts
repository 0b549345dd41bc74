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

test('mail below a domain is wanted by flags, and a test of an address waits until the domain is proven', async () => {
  const mail = 'mail.example.org';
  const words = ['--off', '--send', '--receive', 'auto', '--addresses', 'hello=hello-there', '--create-mailboxes'];
  const { json } = await ada.svc('domains', 'connect', mail, ...words);
  expect(json.desired).toMatchObject({
    web: { enabled: false },
    email: {
      send: { enabled: true },
      receive: { enabled: true, strategy: 'auto' },
      mailbox_addresses: { mode: 'primary', addresses: [{ local_part: 'hello', mailbox_slug: 'hello-there' }] },
      activation: 'automatic_when_ready',
    },
  });
  expect((await ada.svc('email', 'mailboxes')).json.mailboxes).toMatchObject([{ slug: 'hello-there' }]);
  const { dns_records: records } = (await ada.svc('domains', 'dns', mail)).json;
  expect(records.map(({ id }: { id: string }) => id)).toEqual(['ownership', 'dkim', 'mx', 'spf', 'dmarc']);
  expect((await ada.svc('domains', 'test-receive', mail, 'hello')).error.code).toBe('DOMAIN_MAIL_NOT_READY');
  expect((await ada.svc('domains', 'activate', mail)).error.code).toBe('DOMAIN_MAIL_NOT_READY');
  // Nothing that is said of the web changes what is wanted of mail.
  const again = (await ada.svc('domains', 'connect', mail, '--off')).json;
  expect(again.desired.email).toEqual(json.desired.email);
  await ada.svc('domains', 'disconnect', mail, '--confirm');
});
