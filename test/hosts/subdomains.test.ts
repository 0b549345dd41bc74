import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { hostCall } from '../hosted/host-call.ts';

const platform = 'apps.example.com';
const service = await startService({ env: { PLATFORM_DOMAIN: platform } });
afterAll(() => service.stop());
const { actors, control } = service;
const home = await service.project();

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;
const door = ({ serviceKey }: Pick<typeof home, 'serviceKey'>) => {
  const key = actors.bearer(serviceKey);
  return {
    claim: (name: unknown, deployment?: string) =>
      service.call<Any>(key, 'POST', '/subdomains/v1', { body: { name, deployment_id: deployment } }),
    list: async () => (await service.call<Any>(key, 'GET', '/subdomains/v1')).body.subdomains as Any[],
    remove: (name: string) => service.call<Any>(key, 'DELETE', `/subdomains/v1/${name}`),
  };
};
const { claim, list, remove } = door(home);
const servedTo = async (name: string) =>
  (await hostCall(service, `${name}.${platform}`)('GET', '/_svc/config.json')).body?.project_id;

test('a claimed name is listed and serves its project at once, until it is given up', async () => {
  const claimed = await claim('first-shop');
  expect(claimed.status).toBe(201);
  expect(claimed.body).toEqual({
    name: 'first-shop',
    deployment_id: null,
    url: `https://first-shop.${platform}`,
    deployment_url: null,
    project_id: home.projectId,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect(await list()).toEqual([claimed.body]);
  expect(await servedTo('first-shop')).toBe(home.projectId);
  const removed = await remove('first-shop');
  expect(removed).toMatchObject({
    status: 200,
    body: { name: 'first-shop', deployment_id: null, project_id: home.projectId },
  });
  expect(Date.parse(removed.body.deleted_at)).toBeGreaterThanOrEqual(Date.parse(claimed.body.created_at));
  expect(await list()).toEqual([]);
  expect(await servedTo('first-shop')).toBeUndefined();
  expectRefusal(await remove('first-shop'), 'SUBDOMAIN_NOT_FOUND');
});

test('a repeated claim answers 200, and moves the name along when it names a deployment', async () => {
  const first = await claim('moves-along', 'dpl_one');
  expect(first.body).toMatchObject({
    deployment_id: 'dpl_one',
    deployment_url: `https://dpl-one.sites.${platform}`,
  });
  expect(await claim('moves-along')).toMatchObject({ status: 200, body: first.body });
  const moved = await claim('moves-along', 'dpl_two');
  expect(moved).toMatchObject({ status: 200, body: { deployment_id: 'dpl_two', created_at: first.body.created_at } });
  expect(await list()).toEqual([moved.body]);
  await remove('moves-along');
});

test('names that are too short, too long or no label are refused', async () => {
  for (const name of ['ab', 'a'.repeat(64), 'Upper', '-x-', 'x--', 'a.b', 'ä-shop', 'a_b', '', 7])
    expect((await claim(name)).body.code, String(name)).toBe('VALIDATION_FAILED');
  const longest = 'a'.repeat(63);
  expect((await claim(longest)).status).toBe(201);
  await remove(longest);
});

test('names of the platform’s own are nobody’s', async () => {
  for (const name of ['www', 'api', 'mail', 'console', 'ns1', 'p-abc', 'pr-12', 'dpl-one', 'xn--bcher-kva', 'a1--b'])
    expectRefusal(await claim(name), 'SUBDOMAIN_TAKEN');
});

test('a name is one project’s, also of many who claim it at once and of one organization', async () => {
  const { wallet, orgId } = home;
  const { body: sibling } = await service.call<Any>(wallet, 'POST', '/projects/v1', { body: { org_id: orgId } });
  const other = await service.project();
  const doors = [home, { serviceKey: sibling.service_key as string }, other].map(door);
  const told = await Promise.all(Array.from({ length: 12 }, (_none, at) => doors[at % 3]!.claim('contested')));
  expect(told.filter(({ status }) => status === 201)).toHaveLength(1);
  const holders = await control.sql('select 1 from subdomains where name = $1', ['contested']);
  expect(holders).toHaveLength(1);
  expect(told.filter(({ status }) => status === 409)).toHaveLength(8);
});

test('a name that was given up rests for its organization, and is anybody’s after that', async () => {
  const { wallet, orgId } = home;
  const { body: sibling } = await service.call<Any>(wallet, 'POST', '/projects/v1', { body: { org_id: orgId } });
  const stranger = door(await service.project());
  const heir = door({ serviceKey: sibling.service_key });
  await claim('handed-on');
  await remove('handed-on');
  expectRefusal(await stranger.claim('handed-on'), 'SUBDOMAIN_TAKEN');
  expect((await heir.claim('handed-on')).status).toBe(201);
  expect(await servedTo('handed-on')).toBe(sibling.project_id);
  await heir.remove('handed-on');
  await control.sql(`update subdomains set rests_until = now() - interval '1 second' where name = 'handed-on'`);
  expect((await stranger.claim('handed-on')).status).toBe(201);
});

test('the names of a deleted project rest, too, and serve nothing', async () => {
  const gone = await service.project();
  await door(gone).claim('ends-with-it');
  expect(await servedTo('ends-with-it')).toBe(gone.projectId);
  await service.call(actors.bearer(gone.serviceKey), 'DELETE', `/projects/v1/${gone.projectId}`);
  expect(await servedTo('ends-with-it')).toBeUndefined();
  expect(await control.sql('select 1 from host_names where project_id = $1', [gone.projectId])).toEqual([]);
  expectRefusal(await claim('ends-with-it'), 'SUBDOMAIN_TAKEN');
});

test('a project has ten names at most, also when they are claimed at once', async () => {
  const project = await service.project();
  const { claim: take } = door(project);
  const told = await Promise.all(Array.from({ length: 14 }, (_none, at) => take(`one-of-many-${at}`)));
  expect(told.filter(({ status }) => status === 201)).toHaveLength(10);
  for (const { body } of told.filter(({ status }) => status !== 201))
    expect(body).toMatchObject({ code: 'QUOTA_EXCEEDED', details: { metric: 'subdomains', limit: 10, used: 10 } });
});

test('a project neither sees nor takes the names of another', async () => {
  const other = await service.project();
  await claim('not-yours');
  const key = actors.bearer(other.serviceKey);
  const named = `?project_id=${home.projectId}`;
  expect((await service.call<Any>(key, 'GET', `/subdomains/v1${named}`)).status).toBe(403);
  expect((await service.call<Any>(key, 'DELETE', `/subdomains/v1/not-yours${named}`)).status).toBe(403);
  expectRefusal(await door(other).remove('not-yours'), 'SUBDOMAIN_NOT_FOUND');
  expect(await servedTo('not-yours')).toBe(home.projectId);
});
