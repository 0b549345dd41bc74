import { afterAll, expect, test } from 'vitest';
import { deploying, refOf } from '../deploys/deploying.ts';
import { withHeaders } from '../helpers/actors.ts';
import { installedPackage, startNpmRegistry } from '../helpers/npm-registry.ts';
import { startService } from '../helpers/service.ts';

const registry = await startNpmRegistry();
const token = 'npm_a-token-of-the-operator';
const service = await startService({ env: { NPM_REGISTRY: registry.url, NPM_REGISTRY_TOKEN: token } });
afterAll(async () => {
  await service.stop();
  await registry.stop();
});
const project = await service.project();
const theirs = deploying(service, project.wallet, project);
await registry.publish(
  installedPackage('zod'),
  // CommonJS, as most of npm is: it asks for what Node.js has, for itself, and for what may be missing.
  {
    manifest: { name: '@acme/old', version: '1.2.0', main: 'lib', dependencies: { tiny: '^1.0.0' } },
    files: {
      'lib/index.js': `const { sep } = require('node:path');
        let fast; try { fast = require('fast-one'); } catch { fast = null; }
        exports.told = () => [sep, fast, require('tiny').name, typeof __dirname, require('../package.json').version].join(' ');`,
    },
  },
  { manifest: { name: 'tiny', version: '1.0.0', main: 'i.js' }, files: { 'i.js': `exports.name = 'tiny 1.0';` } },
  { manifest: { name: 'tiny', version: '1.1.0', main: 'i.js' }, files: { 'i.js': `exports.name = 'tiny 1.1';` } },
  { manifest: { name: 'tiny', version: '2.0.0', main: 'i.js' }, files: { 'i.js': `exports.name = 'tiny 2.0';` } },
);

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

const api = `
import { z } from 'zod';
import old from '@acme/old';
// A name that CommonJS has, too: it is the function's own here.
const __dirname = 'mine';
const Greeting = z.object({ name: z.string().min(1) });
export default async (request) => {
  const asked = Greeting.safeParse(await request.json());
  if (!asked.success) return Response.json({ issues: asked.error.issues.length }, { status: 422 });
  return Response.json({ hello: asked.data.name, told: old.told(), __dirname });
};`;
const withDeps = (deps: readonly string[], text = api) => ({
  functions: { replace: { api: { source: refOf(text), deps } } },
});
const call = (body: object) =>
  service.call<Any>(withHeaders({ apikey: project.anonKey }), 'POST', '/functions/v1/api', { body });

test('a function imports packages of npm, and what these need', async () => {
  expect(await theirs.deploy(withDeps(['zod', '@acme/old@^1.0']), [api])).toMatchObject({ status: 'ready' });
  expect((await call({ name: 'Ada' })).body).toEqual({
    hello: 'Ada',
    told: '/  tiny 1.1 string 1.2.0',
    __dirname: 'mine',
  });
  expect(await call({ name: '' })).toMatchObject({ status: 422, body: { issues: 1 } });
});

test('what is worth knowing of a build is told with the deploy', async () => {
  const released = await theirs.deploy(withDeps(['zod', '@acme/old@^1.0'], `${api} // told`), [`${api} // told`]);
  const { events } = (await theirs.read(`/apply/v1/operations/${released.operation_id}/events`)).body;
  expect(events.filter(({ type }: Any) => type === 'log')).toMatchObject([
    { resource: 'functions.api', line: '@acme/old/lib/index.js:2:39: @acme/old goes without fast-one' },
  ]);
});

test('the versions that were chosen are told', async () => {
  const path = `/projects/v1/admin/${project.projectId}/functions`;
  const { body } = await service.call<Any>(service.actors.bearer(project.serviceKey), 'GET', path);
  const { version } = installedPackage('zod').manifest;
  expect(body.functions[0].deps_resolved).toEqual({ '@acme/old': '1.2.0', zod: version });
});

test('the registry is shown the token of the operator', () => {
  expect(registry.asked.length).toBeGreaterThan(0);
  expect(registry.asked.map(({ authorization }) => authorization)).toEqual(registry.asked.map(() => `Bearer ${token}`));
});

test('the same function is not built again, and another range is another function', async () => {
  const before = registry.asked.length;
  expect(await theirs.deploy(withDeps(['zod', '@acme/old@^1.0']), [api])).toMatchObject({ status: 'ready' });
  expect(registry.asked).toHaveLength(before);
  expect(await theirs.deploy(withDeps(['zod', '@acme/old', 'tiny@2']), [api])).toMatchObject({ status: 'ready' });
  // What its package asks for stays what that can use.
  expect((await call({ name: 'Ada' })).body.told).toContain('tiny 1.1');
});

test('what is not in the registry fails the deploy by name, and leaves the live release alone', async () => {
  const ended = await theirs.deploy(withDeps(['zod', '@acme/old', 'no-such-thing@^3']), [api]);
  expect(ended).toMatchObject({
    status: 'failed',
    error: { code: 'FUNCTION_BUILD_FAILED', logs: ['the registry has not got the package no-such-thing'] },
  });
  expect((await call({ name: 'Ada' })).status).toBe(200);
});

test('what was built without a record of its packages is not built anew', async () => {
  await service.control.sql('update function_builds set lock = null where project_id = $1', [project.projectId]);
  const path = `/projects/v1/${project.projectId}/functions/api/rebuild`;
  expect(await service.call<Any>(project.wallet, 'POST', path)).toMatchObject({
    status: 409,
    body: { code: 'CANNOT_REBUILD_UNLOCKED_DEPS', details: { function: 'api' } },
  });
  expect((await call({ name: 'Ada' })).status).toBe(200);
});
