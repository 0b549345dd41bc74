import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { type Body, operator, peopleOf } from './person.ts';

const service = await startService();
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
