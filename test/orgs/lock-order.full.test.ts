import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import type { Actor } from '../helpers/actors.ts';
import type { Answer } from '../helpers/service.ts';
import { startService } from '../helpers/service.ts';

/*
 * Everything that changes an organization takes its locks in one order. Changes of all kinds are sent at the same time
 * by several who may: each ends with its own answer, and none with what two waited for of each other.
 */

const service = await startService({ env: { SVC_LEASES: 'on' } });
afterAll(() => service.stop());
const { actors, control } = service;
const { admin } = actors;

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;
type Change = () => Promise<Answer<Any>>;

/** An organization that can pay, with two owners, members of all roles, two projects and what hangs on them. */
async function busyOrg() {
  const { wallet, orgId, projectId } = await service.project();
  const org = `/orgs/v1/${orgId}`;
  const send = (actor: Actor, method: string, path: string, body?: object): Promise<Answer<Any>> =>
    service.call<Any>(actor, method, path, {
      ...(body === undefined ? {} : { body }),
      headers: { 'idempotency-key': randomUUID() },
    });
  const must = async (...call: Parameters<typeof send>) => {
    const answer = await send(...call);
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  };
  await must(admin, 'POST', `/orgs/v1/admin/${orgId}/credits`, { amount_usd_micros: 1_000_000_000 });
  await must(admin, 'POST', `/orgs/v1/admin/${orgId}/limits`, {
    limits: { writes_per_second: 1e6, writes_burst: 1e6, reads_per_second: 1e6, reads_burst: 1e6 },
  });
  const second = await must(wallet, 'POST', '/projects/v1', { org_id: orgId, name: 'second' });
  const join = async (role: string) => {
    const member = actors.wallet();
    const { principal_id } = await must(wallet, 'POST', `${org}/members`, { wallet: member.address, role });
    return { member, id: principal_id as string };
  };
  const [owner, developer, other] = [await join('owner'), await join('developer'), await join('developer')];
  const project = `/projects/v1/${projectId}`;
  const grant = await must(wallet, 'POST', `${project}/grants`, { wallet: other.member.address, capability: 'read' });
  return {
    wallet,
    orgId,
    org,
    project,
    second: `/projects/v1/${second.project_id}`,
    owner,
    developer,
    other,
    grant,
    send,
  };
}

const wordOf = () => `w-${randomUUID().slice(0, 12)}`;

/** Twenty changes of as many kinds, by both owners, a developer and the platform admin. */
function changesOf(world: Awaited<ReturnType<typeof busyOrg>>): Change[] {
  const { wallet, orgId, org, project, second, owner, developer, other, grant, send } = world;
  const [one, two] = [wallet, owner.member];
  const bodyless = (actor: Actor, method: string, path: string) => () => send(actor, method, path);
  const change = (actor: Actor, method: string, path: string, body: object) => () => send(actor, method, path, body);
  return [
    change(one, 'PATCH', org, { display_name: wordOf() }),
    change(two, 'PATCH', org, { display_name: wordOf() }),
    change(one, 'POST', `${org}/slug`, { slug: wordOf() }),
    change(two, 'POST', `${org}/members`, { wallet: actors.wallet().address, role: 'developer' }),
    change(one, 'PATCH', `${org}/members/${developer.id}`, { role: 'admin' }),
    change(two, 'PATCH', `${org}/members/${developer.id}`, { role: 'developer' }),
    bodyless(two, 'DELETE', `${org}/members/${other.id}`),
    change(one, 'PATCH', `${org}/members/${owner.id}`, { role: 'admin' }),
    change(one, 'POST', `${org}/invites`, { email: `${wordOf()}@example.com`, role: 'developer' }),
    change(two, 'POST', `${project}/grants`, { wallet: actors.wallet().address, capability: 'read' }),
    bodyless(one, 'DELETE', `${project}/grants/${grant.grant_id}`),
    change(two, 'POST', `${project}/delegates`, {
      grant_id: grant.grant_id,
      scope: { v: 1, capabilities: ['read'] },
    }),
    change(one, 'PATCH', project, { name: wordOf() }),
    change(two, 'POST', `${project}/repo-name`, { name: wordOf() }),
    bodyless(one, 'DELETE', second),
    change(two, 'POST', '/tiers/v1/hobby', { org_id: orgId }),
    change(admin, 'POST', `/orgs/v1/admin/${orgId}/limits`, { limits: { members: 500 } }),
    change(admin, 'POST', `/orgs/v1/admin/${orgId}/lease-perpetual`, { lease_perpetual: true }),
    change(admin, 'POST', `/orgs/v1/admin/${orgId}/credits`, { amount_usd_micros: 1 }),
    change(developer.member, 'POST', `${org}/rooms/lobby/messages`, { body: wordOf() }),
  ];
}

/** The same in an order of its own. */
const shuffled = <One>(list: readonly One[]): One[] =>
  list
    .map((one) => [Math.random(), one] as const)
    .sort(([left], [right]) => left - right)
    .map(([, one]) => one);

test('twenty changes of one organization at once all end, and none by a deadlock', async () => {
  const deadlocks = async () => {
    const text = 'select deadlocks::int as n from pg_stat_database where datname = current_database()';
    const [row] = await control.sql<{ n: number }>(text);
    return row!.n;
  };
  const before = await deadlocks();
  for (let round = 0; round < 4; round++) {
    const world = await busyOrg();
    const changes = changesOf(world);
    expect(changes).toHaveLength(20);
    const answers = await Promise.all(
      shuffled(changes.map((send, at) => ({ send, at }))).map(async ({ send, at }) => [at, await send()] as const),
    );
    for (const [at, { status, body, text }] of answers) {
      expect(status, `${at}: ${text}`).toBeLessThan(500);
      expect(text).not.toMatch(/\b(40P01|40001|deadlock)\b/i);
      // Nobody was told to come again: what was in the way was waited for.
      expect(body.details?.reason, `${at}: ${text}`).not.toBe('collision');
    }
    // Most of them can be done in any order.
    expect(answers.filter(([, { status }]) => status < 300).length).toBeGreaterThan(13);
    const { members } = (await service.call<Any>(world.wallet, 'GET', `${world.org}/members`)).body;
    expect(members.filter(({ role }: { role: string }) => role === 'owner').length).toBeGreaterThan(0);
  }
  // Not even by one that was then begun anew.
  expect(await deadlocks()).toBe(before);
});
