import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { holdUp } from '../members/hold-up.ts';

// Whoever loses the right while its change waits for its turn changes nothing any more.

const service = await startService();
afterAll(() => service.stop());
const call = documentedCalls(service);
const { actors, control } = service;

/** A project, with a second owner who is about to be put out or lowered. */
async function withSecondOwner() {
  const home = await service.project();
  const wallet = actors.wallet();
  const { principal } = (await call(wallet, 'GET', '/agent/v1/whoami')).body;
  await actors.member(home.orgId, principal.id, 'owner');
  return { ...home, second: wallet, secondId: principal.id as string };
}
type Home = Awaited<ReturnType<typeof withSecondOwner>>;

const ofProject = ({ projectId }: Home) => `select 1 from projects where id = '${projectId}' for update`;
const ofOrg = ({ orgId }: Home) => `select 1 from orgs where id = '${orgId}' for update`;

const changes = [
  ['deletes a project', 'DELETE', ofProject, ({ projectId }: Home) => `/projects/v1/${projectId}`, undefined],
  ['renames a project', 'PATCH', ofProject, ({ projectId }: Home) => `/projects/v1/${projectId}`, { name: 'Late' }],
  [
    'names a repository',
    'POST',
    ofProject,
    ({ projectId }: Home) => `/projects/v1/${projectId}/repo-name`,
    { name: 'late' },
  ],
  ['makes a project', 'POST', ofOrg, () => '/projects/v1', {}],
  ['renames an organization', 'PATCH', ofOrg, ({ orgId }: Home) => `/orgs/v1/${orgId}`, { display_name: 'Late' }],
] as const;

const losses = [
  ['removed', `status = 'revoked'`],
  ['made a viewer', `role = 'viewer'`],
] as const;

const kept = ({ orgId }: Home) =>
  control.sql(
    `select o.display_name, p.id, p.state, p.name, p.repo_name from orgs o join projects p on p.org_id = o.id where o.id = $1`,
    [orgId],
  );

test.each(changes.flatMap((change) => losses.map((loss) => [change[0], loss[0], change, loss] as const)))(
  'nobody %s who is %s while waiting for it',
  async (what, how, [, method, hold, path, body], [, set]) => {
    const home = await withSecondOwner();
    const before = await kept(home);
    const given = what === 'makes a project' ? { org_id: home.orgId } : body;
    const answer = await holdUp(service, {
      hold: hold(home),
      send: () => call(home.second, method, path(home), given === undefined ? {} : { body: given }),
      meanwhile: `update memberships set ${set} where org_id = '${home.orgId}' and principal_id = '${home.secondId}'`,
    });
    const absent = hold === ofProject ? 'project_not_found' : 'member';
    expectRefusal(answer, 'NOT_AUTHORIZED', { reason: how === 'removed' ? absent : 'forbidden' });
    expect(await kept(home)).toEqual(before);
  },
);

test('a grant or a delegate that ends while its holder waits changes nothing any more', async () => {
  const home = await withSecondOwner();
  const { orgId, projectId } = home;
  const before = await kept(home);
  const holder = actors.wallet();
  const grants = `/projects/v1/${projectId}/grants`;
  await call(home.wallet, 'POST', grants, { body: { wallet: holder.address, capability: 'project:write' } });
  const delegate = await actors.delegate({ orgId, projectId, capabilities: ['project:write'] });
  const rename = (actor: typeof holder | typeof delegate, meanwhile: string) =>
    holdUp(service, {
      hold: ofProject(home),
      send: () => call(actor, 'PATCH', `/projects/v1/${projectId}`, { body: { name: 'Late' } }),
      meanwhile,
    });
  const ended = `update project_grants set revoked_at = now() where project_id = '${projectId}'`;
  expectRefusal(await rename(delegate, 'update delegates set revoked_at = now()'), 'INVALID_AUTH');
  expectRefusal(await rename(holder, ended), 'NOT_AUTHORIZED', { reason: 'project_not_found' });
  expect(await kept(home)).toEqual(before);
});

test('a right that was lost while a change waited is not the outcome of its key', async () => {
  const home = await withSecondOwner();
  const own = `where org_id = '${home.orgId}' and principal_id = '${home.secondId}'`;
  const headers = { 'idempotency-key': randomUUID() };
  const send = () => call(home.second, 'PATCH', `/orgs/v1/${home.orgId}`, { body: { display_name: 'Again' }, headers });
  const meanwhile = `update memberships set role = 'viewer' ${own}`;
  expectRefusal(await holdUp(service, { hold: ofOrg(home), send, meanwhile }), 'NOT_AUTHORIZED');
  await control.sql(`update memberships set role = 'owner' ${own}`);
  expect((await send()).status).toBe(200);
});

test('a change that Postgres takes back to end a deadlock is made again', async () => {
  const { wallet, orgId } = await service.owner();
  const renamed = await holdUp(service, {
    hold: `select 1 from memberships where org_id = '${orgId}' for update`,
    // It has locked the organization, and waits for the membership that the other holds.
    send: () => call(wallet, 'PATCH', `/orgs/v1/${orgId}`, { body: { display_name: 'Twice' } }),
    meanwhile: `select 1 from orgs where id = '${orgId}' for update`,
  });
  expect([renamed.status, renamed.body.display_name]).toEqual([200, 'Twice']);
});
