import { afterAll, expect, test } from 'vitest';
import { startDnsServer } from '../helpers/dns-server.ts';
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
const home = await projectWithHost(service, dns, platform, '192.0.2.10');
const door = domainDoor(service, home);
const key = service.actors.bearer(home.serviceKey);

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;
/** Where a project says that it is, on every surface that shows it. */
async function addresses() {
  const one = (await service.call<Any>(home.wallet, 'GET', `/projects/v1/${home.projectId}`)).body;
  const { projects } = (await service.call<Any>(home.wallet, 'GET', `/projects/v1?org_id=${home.orgId}`)).body;
  const listed = projects.find(({ id }: Any) => id === home.projectId);
  const graph = await service.graphql(home.wallet, `{ project(id: "${home.projectId}") { siteUrl customDomains } }`);
  const seen = [
    [one.site_url, one.custom_domains],
    [listed.site_url, listed.custom_domains],
    [graph.data.project.siteUrl, graph.data.project.customDomains],
  ];
  expect(new Set(seen.map((each) => JSON.stringify(each))).size).toBe(1);
  return { site: seen[0]![0], domains: seen[0]![1] };
}

test('a project’s address is its first subdomain, else its first own domain that is bound', async () => {
  expect(await addresses()).toEqual({ site: null, domains: [] });
  await door.ensure('wanted.example.org');
  expect(await addresses()).toEqual({ site: null, domains: [] });
  await home.proveAndConnect('shop.example.org');
  await home.proveAndConnect('www.shop.example.org');
  const domains = ['shop.example.org', 'www.shop.example.org'];
  expect(await addresses()).toEqual({ site: 'https://shop.example.org', domains });
  for (const name of ['first-name', 'second-name'])
    await service.call(key, 'POST', '/subdomains/v1', { body: { name } });
  expect(await addresses()).toEqual({ site: `https://first-name.${platform}`, domains });
  await service.call(key, 'DELETE', '/subdomains/v1/first-name');
  expect((await addresses()).site).toBe(`https://second-name.${platform}`);
  await door.disconnect('shop.example.org');
  expect((await addresses()).domains).toEqual(['www.shop.example.org']);
});

test.each([
  ['a subdomain', `answers.${platform}`],
  ['an own domain', 'answers.example.org'],
])('under %s a project answers as under its own host, and sign-in may lead there', async (_what, host) => {
  if (host.endsWith(platform)) await service.call(key, 'POST', '/subdomains/v1', { body: { name: 'answers' } });
  else await home.proveAndConnect(host);
  const at = hostCall(service, host, `https://${host}`);
  const own = hostCall(service, home.host, `https://${home.host}`);
  const config = await at('GET', '/_svc/config.json');
  expect([config.status, config.body]).toEqual([200, (await own('GET', '/_svc/config.json')).body]);
  expect((await at('GET', '/_svc/config.js')).text).toContain(home.projectId);
  expect((await at('GET', '/_svc/live?tables=none')).status).toBe((await own('GET', '/_svc/live?tables=none')).status);
  expect((await at('GET', '/auth/sign-in', { page: true })).status).toBe(200);
  const email = `${host.replaceAll('.', '-')}@example.com`;
  const signedUp = await at('POST', '/auth/sign-up', { json: { email, password: 'a long password' } });
  expect(signedUp).toMatchObject({ status: 200, cookie: expect.stringMatching(/^__Host-/) });
  const link = (redirect: string) =>
    service.call<Any>(service.actors.apikey(home.anonKey), 'POST', '/auth/v1/magic-link', {
      body: { email, redirect_url: redirect },
    });
  expect((await link(`https://${host}/welcome`)).status).toBe(200);
  expect((await link(`https://not-${host}/welcome`)).status).toBe(400);
});
