import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import type { Any } from '../snapshots/stage.ts';
import { functionsOf, greeting, rehearsing } from './stage.ts';

const service = await sharedService();
afterAll(() => service.stop());

const addNote = { id: '003', sql: 'alter table orders add column note text' };
const check = (name: string, path: string, status: number | number[]) => ({ name, http: { path, expect: { status } } });

test('SQL that cannot be read fails before any other migration is tried', async () => {
  const one = await rehearsing(service);
  const plan = await one.planned({ database: { migrations: [addNote, { id: '004', sql: 'create tabel x' }] } });
  expect(await one.rehearse(plan.plan_id, { teardown: 'always' })).toMatchObject({
    status: 'failed',
    migrations: [
      { id: '003', status: 'skipped' },
      { id: '004', status: 'failed' },
    ],
    teardown: { policy: 'always', action: 'deleted' },
  });
  expect(await one.branches()).toEqual([]);
});

test('a function that does not start, and a check with another status, make a rehearsal fail', async () => {
  const one = await rehearsing(service);
  const crashing = `throw new Error('no'); export default { fetch: () => new Response('never') };`;
  const picky = `export default { fetch: async (request) => Response.json(await request.json()) };`;
  const slices = functionsOf({ broken: crashing, hello: greeting, picky });
  const plan = await one.planned({ ...slices, checks: [check('about', '/about.txt', 200)] }, [
    crashing,
    greeting,
    picky,
  ]);
  expect(plan.rehearsal).toEqual({ available: false, rehearse_url: null });
  const report = await one.rehearse(plan.plan_id, { teardown: 'keep' });
  expect(report).toMatchObject({ status: 'failed', migrations: [], teardown: { policy: 'keep', action: 'kept' } });
  const byName = Object.fromEntries(report.checks.map((found: Any) => [found.name, found]));
  expect(byName).toMatchObject({
    '/': { status: 'passed' },
    broken: { status: 'failed', error: { code: 'FUNCTION_CRASHED' } },
    hello: { status: 'passed', actual_status: 200 },
    picky: { status: 'skipped', error: { code: 'FUNCTION_FAILED' } },
    about: { status: 'failed', expected_status: [200], actual_status: 404, error: { code: 'CHECK_STATUS_MISMATCH' } },
  });
});

test('a function that fails in a branch without the secrets of its project is not judged', async () => {
  const one = await rehearsing(service);
  await service.call(one.wallet, 'POST', `/projects/v1/admin/${one.projectId}/secrets`, {
    body: { key: 'STRIPE_KEY', value: 'sk_test' },
  });
  const needing = `if (!process.env.STRIPE_KEY) throw new Error('no key'); export default { fetch: () => new Response('ok') };`;
  const plan = await one.planned({ ...functionsOf({ pay: needing }), secrets: { require: ['STRIPE_KEY'] } }, [needing]);
  const report = await one.rehearse(plan.plan_id);
  expect(report).toMatchObject({ status: 'passed' });
  expect(report.checks).toContainEqual(
    expect.objectContaining({
      name: 'pay',
      status: 'skipped',
      error: expect.objectContaining({ code: 'FUNCTION_CRASHED' }),
    }),
  );
});

test('a name below the platform’s domain stays with the project', async () => {
  const one = await rehearsing(service);
  const name = `shop-${one.projectId.slice(-8)}`;
  await one.mine.deploy({ subdomains: { set: [name] } });
  const plan = await one.planned({ database: { migrations: [addNote] }, subdomains: { set: [name] } });
  expect(await one.rehearse(plan.plan_id, { teardown: 'keep' })).toMatchObject({ status: 'passed' });
  const owners = await service.control.sql<{ project_id: string }>(
    'select project_id from subdomains where name = $1',
    [name],
  );
  expect(owners).toEqual([{ project_id: one.projectId }]);
});

test('two rehearsals of one plan at a time are one', async () => {
  const one = await rehearsing(service);
  const plan = await one.planned({ database: { migrations: [addNote] } });
  const both = await Promise.all([one.ask(plan.plan_id), one.ask(plan.plan_id, { teardown: 'keep' })]);
  expect(new Set(both.map(({ body }) => body.operation_id)).size).toBe(1);
  const report = await one.reportOf(both[0].body.operation_id);
  expect(report.status).toBe('passed');
  const again = await one.rehearse(plan.plan_id);
  expect(again.operation_id).not.toBe(report.operation_id);
});
