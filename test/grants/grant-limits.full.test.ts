import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { delegatedProjects } from './own-delegates.ts';

/** A project holds so many grants and delegates that still hold, and its lists hide none of them. */
const service = await startService();
afterAll(() => service.stop());
const call = documentedCalls(service);
const { actors, control } = service;
const delegatedProject = delegatedProjects(service);

const bound = (orgId: string, limits: object) =>
  service.call(actors.admin, 'POST', `/orgs/v1/admin/${orgId}/limits`, { body: { limits } });

test('twenty grants that are given at once cannot pass the number of a project, and those that ended make room', async () => {
  const { wallet, orgId, projectId } = await service.project();
  await bound(orgId, { grants_per_project: 3 });
  const path = `/projects/v1/${projectId}/grants`;
  const give = (address = actors.wallet().address) =>
    call(wallet, 'POST', path, { body: { wallet: address, capability: 'read' } });
  const known = actors.wallet().address;
  await give(known);
  const answers = await Promise.all(Array.from({ length: 20 }, () => give()));
  const refused = answers.filter(({ status }) => status !== 201);
  expect(refused).toHaveLength(18);
  const full = { scope: 'project', metric: 'grants', resource: 'grants', limit: 3, used: 3 };
  for (const answer of refused) expectRefusal(answer, 'QUOTA_EXCEEDED', full);
  expect((await give(known)).status).toBe(200);
  const ended = `update project_grants set expires_at = now() where project_id = $1 and id = $2`;
  await control.sql(ended, [projectId, answers.find(({ status }) => status === 201)!.body.grant_id]);
  expect((await give()).status).toBe(201);
});

test('twenty delegates that are made at once cannot pass the number of a project', async () => {
  const { orgId, make, revoke } = await delegatedProject();
  await bound(orgId, { delegates_per_project: 3 });
  const answers = await Promise.all(Array.from({ length: 20 }, () => make()));
  const refused = answers.filter(({ status }) => status !== 201);
  expect(refused).toHaveLength(17);
  const full = { scope: 'project', metric: 'delegates', resource: 'delegates', limit: 3, used: 3 };
  for (const answer of refused) expectRefusal(answer, 'QUOTA_EXCEEDED', full);
  await revoke(answers.find(({ status }) => status === 201)!.body.delegate_id);
  expect((await make()).status).toBe(201);
});

test('however many grants and delegates have run out, those that hold are listed before them', async () => {
  const { wallet, orgId, projectId, grantId, make, list } = await delegatedProject();
  const { delegate_id } = (await make()).body;
  await control.sql(
    `with fresh as (insert into principals (id, type) select 'prn_' || gen_random_uuid(), 'agent' from generate_series(1, 1100)
       returning id)
     insert into project_grants (org_id, id, project_id, principal_id, capability, expires_at, created_at)
       select $1, gen_random_uuid(), $2, id, 'read', now(), now() + interval '1 hour' from fresh`,
    [orgId, projectId],
  );
  await control.sql(
    `insert into delegates (org_id, id, project_id, grant_id, principal_id, kind, scope, expires_at, created_at)
       select $1, gen_random_uuid(), $2, g.id, g.principal_id, 'ci_oidc', '{"v":1,"capabilities":["read"]}', now(),
         now() + interval '1 hour'
       from project_grants g where g.project_id = $2 and g.id <> $3`,
    [orgId, projectId, grantId],
  );
  const { grants } = (await call(wallet, 'GET', `/projects/v1/${projectId}/grants`)).body;
  expect([grants.length, grants[0].id]).toEqual([1_001, grantId]);
  const delegates = await list();
  expect([delegates.length, delegates[0].id]).toEqual([1_001, delegate_id]);
});
