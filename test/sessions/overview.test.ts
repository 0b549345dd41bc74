import { afterAll, expect, test } from 'vitest';
import { withHeaders } from '../helpers/actors.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { type Body, operator, peopleOf } from './person.ts';

const service = await sharedService();
afterAll(() => service.stop());
const people = peopleOf(service);
const { control, call } = service;
const { post } = people;

const get = async (actor: Parameters<typeof call>[0], path: string) =>
  (await call<Body>(actor, 'GET', `${operator}/${path}`)).body;

test('an operator sees in counts what all wallets run that named its verified address', async () => {
  const person = await people.operatorByMail();
  const home = await service.project();
  await post(home.wallet, '/agent/v1/contact', { name: 'Ada', email: person.email });
  // Naming an address proves nothing.
  expect((await get(person, 'overview')).organizations).toEqual([]);
  await control.sql('update operator_contacts set email_verified_at = now() where email = $1', [person.email]);
  expect(await get(person, 'overview')).toEqual({
    scope: { kind: 'email', principal: person.email },
    rollup: { organizations: 1, projects: 1, wallets: 1, advisories: 0 },
    organizations: [
      expect.objectContaining({
        org_id: home.orgId,
        role: 'owner',
        tier: 'prototype',
        project_count: 1,
        member_count: 1,
      }),
    ],
    wallets: [home.wallet.address],
    advisories: [],
  });
  const { projects, scope } = await get(person, 'projects');
  expect([projects.map(({ id }: Body) => id), scope.kind]).toEqual([[home.projectId], 'email']);
  expect(await get(person, 'status')).toMatchObject({
    operator_contact: { email_status: 'verified', recovery_gap: true },
    critical_items: [{ kind: 'recovery_gap' }],
    organizations: [home.orgId],
    projects: [home.projectId],
    operator_reachability: { reachable: true, verified_recipient_count: 1 },
  });
  // It reads counts and names: the project itself stays its members'.
  expect((await call<Body>(person, 'GET', `/projects/v1/${home.projectId}`)).body.code).toBe('NOT_AUTHORIZED');
});

test('a wallet sees its own slice, and a stranger nothing of it', async () => {
  const home = await service.project();
  const body = await get(home.wallet, 'overview');
  expect([body.scope, body.rollup]).toEqual([
    { kind: 'wallet', principal: home.wallet.address },
    { organizations: 1, projects: 1, wallets: 1, advisories: 1 },
  ]);
  expect(body.advisories).toEqual([{ type: 'operator_unreachable', org_id: home.orgId }]);
  const stranger = service.actors.wallet();
  expect((await get(stranger, 'overview')).rollup.organizations).toBe(0);
  expect((await get(stranger, `projects?org_id=${home.orgId}`)).code).toBe('NOT_AUTHORIZED');
  expect((await get(home.wallet, `projects?org_id=${home.orgId}`)).projects).toHaveLength(1);
});

test('archived projects are listed to who asks for them', async () => {
  const home = await service.project();
  await call(service.actors.admin, 'POST', `/projects/v1/admin/${home.projectId}/archive`, { body: {} });
  expect((await get(home.wallet, 'projects')).projects).toEqual([]);
  expect((await get(home.wallet, 'projects?include=archived')).projects).toHaveLength(1);
});

test('the graph answers as the paths do', async () => {
  const home = await service.project();
  const { data } = await service.graphql(
    home.wallet,
    `{ operatorOverview { rollup { organizations projects wallets advisories } organizations { orgId role } advisories { type } }
       operatorProjects { projects { edges { node { name } } } } operatorStatus { recoveryGap criticalItems { kind } } }`,
  );
  const [overview, status] = [await get(home.wallet, 'overview'), await get(home.wallet, 'status')];
  expect(data.operatorOverview.rollup).toEqual(overview.rollup);
  expect(data.operatorOverview.organizations).toEqual([{ orgId: overview.organizations[0].org_id, role: 'owner' }]);
  expect(data.operatorProjects.projects.edges).toHaveLength(1);
  expect(data.operatorStatus.criticalItems).toEqual(status.critical_items.map(({ kind }: Body) => ({ kind })));
});

const contents = (actor: Parameters<typeof call>[0], projectId: string) =>
  call<Body>(actor, 'GET', `${operator}/projects/${projectId}/contents`);

test('what is in a project is told by name, to who answers for it and has just shown a passkey', async () => {
  const person = await people.withPasskey();
  const home = await service.project();
  await call(home.wallet, 'POST', `/projects/v1/admin/${home.projectId}/sql`, {
    body: { sql: 'create table notes (id int, secret text); create table "Zeta" (id int)' },
  });
  await control.sql('insert into host_names (name, org_id, project_id) values ($1, $2, $3)', [
    `${home.projectId.replaceAll('_', '-').toLowerCase()}.example.com`,
    home.orgId,
    home.projectId,
  ]);
  await post(home.wallet, '/agent/v1/contact', { name: 'Ada', email: person.email });
  await control.sql('update operator_contacts set email_verified_at = now() where email = $1', [person.email]);
  const mine = await contents(home.wallet, home.projectId);
  expect([mine.status, mine.body]).toEqual([
    200,
    {
      project_id: home.projectId,
      tables: ['Zeta', 'notes'],
      domains: [expect.stringMatching(/\.example\.com$/)],
      functions: [],
      mailboxes: [],
      secrets: [],
    },
  ]);
  const byPasskey = await people.byPasskey(person.email, person.key, `${operator}/session/passkey`);
  const reader = withHeaders({ authorization: `Bearer ${byPasskey.body.operator_session_token}` });
  expect((await contents(reader, home.projectId)).body).toEqual(mine.body);
  await control.sql(
    `update sessions set amr_times = jsonb_build_object('passkey', floor(extract(epoch from now()))::bigint - 301)
     where kind = 'operator' and email = $1`,
    [person.email],
  );
  expect((await contents(reader, home.projectId)).body).toMatchObject({
    code: 'STEP_UP_REQUIRED',
    details: { reason: 'stale', op_class: 'project.contents' },
    next_actions: [{ path: `${operator}/session/passkey/options` }],
  });
  const mailed = await people.operatorByMail(person.email);
  expect((await contents(mailed, home.projectId)).body.details.reason).toBe('missing');
  // A device has a proof of somebody else's hands.
  const { body: begun } = await post(mailed, `${operator}/session/device`);
  await post(person, `${operator}/session/device/approve`, { user_code: begun.user_code, decision: 'approve' });
  const { body: given } = await post(mailed, `${operator}/session/device/token`, { device_code: begun.device_code });
  const device = withHeaders({ authorization: `Bearer ${given.operator_session_token}` });
  expect((await contents(device, home.projectId)).body.details.reason).toBe('device_flow_forbidden');
});

test('what is in somebody else’s project is as secret as whether there is one', async () => {
  const home = await service.project();
  const fresh = await people.withPasskey();
  const stale = await people.operatorByMail();
  for (const stranger of [service.actors.wallet(), fresh, stale]) {
    const [foreign, absent] = [await contents(stranger, home.projectId), await contents(stranger, 'prj_nobodys')];
    expect([foreign.status, foreign.body.details.reason]).toEqual([403, 'project_not_found']);
    expect({ ...foreign.body, trace_id: '' }).toEqual({ ...absent.body, trace_id: '' });
  }
});

test('a member who may not read the schema is not told its names either', async () => {
  const home = await service.project();
  const viewer = await service.actors.session({ passkeyAgeSeconds: 1 });
  await service.actors.member(home.orgId, viewer.principalId, 'viewer');
  expect((await contents(viewer, home.projectId)).body.details.reason).toBe('forbidden');
});
