import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import type { Actor } from '../helpers/actors.ts';
import { openSocket } from '../helpers/graphql-ws-client.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { escalationsOf } from './own-org.ts';

const service = await sharedService();
afterAll(() => service.stop());
const { answer, call, contact, holder, member, raise } = escalationsOf(service);
const { actors, control } = service;

const shown = 'cursor reset escalation { escalationId status level reason raisedBy climbs { toLevel } }';
const ofAll = `subscription ($org: ID!, $after: String, $first: Int) {
  escalations(org: $org, after: $after, first: $first) { ${shown} } }`;
const ofOne = `subscription ($org: ID!, $id: ID!, $after: String, $first: Int) {
  escalation(org: $org, escalation: $id, after: $after, first: $first) { ${shown} } }`;

interface Event {
  readonly cursor: string;
  readonly reset: boolean;
  readonly escalation: { readonly escalationId: string; readonly status: string };
}

/** Follows as somebody. */
function follow(actor: Actor, query: string, variables: Record<string, unknown>) {
  const { client } = openSocket(service.url, actor);
  const events = client.iterate<Record<string, Event>, unknown>({ query, variables });
  const next = async () => {
    const { value } = await events.next();
    if (value?.errors !== undefined) throw Object.assign(new Error('refused'), { errors: value.errors });
    return Object.values((value?.data ?? {}) as Record<string, Event>)[0]!;
  };
  return {
    next,
    /** What comes before the server ends it. */
    async rest() {
      const all = [];
      for await (const event of events) all.push(event);
      return all;
    },
    async take(count: number) {
      const taken = [];
      while (taken.length < count) taken.push(await next());
      return taken.map(({ escalation: { escalationId, status } }) => `${escalationId} ${status}`);
    },
    end: () => client.dispose(),
  };
}

const refusedBy = (code: string) => [{ errors: [{ extensions: { code } }] }];

test('a member follows each change of all escalations, and resumes where it was', async () => {
  const { wallet, orgId } = await service.owner();
  const first = (await raise(wallet, orgId)).body.escalation_id;
  const viewer = await member(orgId);
  const following = follow(viewer.wallet, ofAll, { org: orgId });
  const begun = await following.next();
  expect(begun).toMatchObject({
    reset: false,
    escalation: { escalationId: first, status: 'OPEN', reason: 'look', level: 1 },
  });
  await answer(wallet, orgId, first, 'ack');
  const second = (await raise(wallet, orgId)).body.escalation_id;
  await answer(wallet, orgId, second, 'resolve');
  const changes = [`${first} ACKNOWLEDGED`, `${second} OPEN`, `${second} RESOLVED`];
  expect(await following.take(3)).toEqual(changes);
  await following.end();
  const resumed = follow(viewer.wallet, ofAll, { org: orgId, after: begun.cursor, first: 3 });
  expect(await resumed.take(3)).toEqual(changes);
  await resumed.end();
});

test('one escalation is followed without the others, up the ladder', async () => {
  const { wallet, orgId } = await service.owner();
  await contact(wallet, orgId, { email: 'low@example.com' });
  await contact(wallet, orgId, { email: 'top@example.com', level: 2 });
  const id = (await raise(wallet, orgId)).body.escalation_id;
  const other = (await raise(wallet, orgId)).body.escalation_id;
  const following = follow(wallet, ofOne, { org: orgId, id });
  expect(await following.take(1)).toEqual([`${id} OPEN`]);
  await answer(wallet, orgId, other, 'resolve');
  await escalationsOf(service).lapse(id);
  expect((await following.next()).escalation).toMatchObject({ escalationId: id, level: 2, climbs: [{ toLevel: 2 }] });
  await answer(wallet, orgId, id, 'ack');
  expect(await following.take(1)).toEqual([`${id} ACKNOWLEDGED`]);
  await following.end();
});

test('a delegate and the holder of a grant follow their own alone, whoever else follows beside them', async () => {
  const { wallet, orgId, projectId } = await service.project();
  const delegate = await actors.delegate({ orgId, projectId, capabilities: ['read'] });
  const granted = await holder(orgId, projectId);
  const everybody = [wallet, delegate, granted.wallet] as const;
  const following = everybody.map((actor) => follow(actor, ofAll, { org: orgId }));
  const ids: string[] = [];
  for (const actor of everybody) ids.push((await raise(actor, orgId)).body.escalation_id);
  for (const id of ids) await answer(wallet, orgId, id, 'ack');
  const [mine, delegates, granteds] = ids;
  expect(await following[0]!.take(6)).toEqual([
    ...ids.map((id) => `${id} OPEN`),
    ...ids.map((id) => `${id} ACKNOWLEDGED`),
  ]);
  expect(await following[1]!.take(2)).toEqual([`${delegates} OPEN`, `${delegates} ACKNOWLEDGED`]);
  expect(await following[2]!.take(2)).toEqual([`${granteds} OPEN`, `${granteds} ACKNOWLEDGED`]);
  for (const one of following) await one.end();
  for (const actor of [delegate, granted.wallet]) {
    const refused = follow(actor, ofOne, { org: orgId, id: mine });
    expect(await refused.rest()).toMatchObject(refusedBy('RESOURCE_NOT_FOUND'));
    await refused.end();
  }
});

test('a member who becomes a mere holder of a grant sees the others’ no more', async () => {
  const { wallet, orgId, projectId } = await service.project();
  const leaving = await holder(orgId, projectId);
  await actors.member(orgId, leaving.principalId, 'viewer');
  const following = follow(leaving.wallet, ofAll, { org: orgId });
  const id = (await raise(wallet, orgId)).body.escalation_id;
  expect(await following.take(1)).toEqual([`${id} OPEN`]);
  await call(wallet, 'DELETE', `/orgs/v1/${orgId}/members/${leaving.principalId}`);
  expect(await following.rest()).toMatchObject(refusedBy('NOT_AUTHORIZED'));
  await following.end();
  await answer(wallet, orgId, id, 'ack');
  const own = (await raise(leaving.wallet, orgId)).body.escalation_id;
  const again = follow(leaving.wallet, ofAll, { org: orgId });
  expect(await again.take(1)).toEqual([`${own} OPEN`]);
  await again.end();
});

test.each<[string, (orgId: string, one: { principalId: string; delegateId: string }) => Promise<unknown>]>([
  [
    'its delegate is revoked',
    (_org, { delegateId }) => control.sql('update delegates set revoked_at = now() where id = $1', [delegateId]),
  ],
  [
    'its grant has ended',
    (orgId) => control.sql('update project_grants set revoked_at = now() where org_id = $1', [orgId]),
  ],
])('a delegate follows no more when %s', async (_case, end) => {
  const { orgId, projectId } = await service.project();
  const delegate = await actors.delegate({ orgId, projectId, capabilities: ['read'] });
  const following = follow(delegate, ofAll, { org: orgId });
  const id = (await raise(delegate, orgId)).body.escalation_id;
  expect(await following.take(1)).toEqual([`${id} OPEN`]);
  await end(orgId, delegate);
  expect(await following.rest()).toMatchObject(refusedBy('NOT_AUTHORIZED'));
  await following.end();
});

test('strangers, keys and absent organizations are refused alike, and nothing is told of what is there', async () => {
  const { orgId, serviceKey } = await service.project();
  const stranger = (await service.owner()).wallet;
  for (const variables of [{ org: orgId }, { org: randomUUID() }]) {
    const following = follow(stranger, ofAll, variables);
    expect(await following.rest()).toMatchObject(refusedBy('NOT_AUTHORIZED'));
    await following.end();
  }
  const byKey = follow(actors.bearer(serviceKey), ofAll, { org: orgId });
  expect(await byKey.rest()).toMatchObject(refusedBy('FORBIDDEN'));
  await byKey.end();
});

test('a cursor of another organization, and one of nothing, begin anew and say so', async () => {
  const { wallet, orgId } = await service.owner();
  const elsewhere = await service.owner();
  await raise(elsewhere.wallet, elsewhere.orgId, { reason: 'secret' });
  const id = (await raise(wallet, orgId)).body.escalation_id;
  const theirs = follow(elsewhere.wallet, ofAll, { org: elsewhere.orgId });
  const { cursor } = await theirs.next();
  await theirs.end();
  for (const after of [cursor, 'x']) {
    const following = follow(wallet, ofAll, { org: orgId, after });
    expect(await following.next()).toMatchObject({ reset: true, escalation: { escalationId: id, reason: 'look' } });
    await following.end();
  }
});

test('following ends after as many changes as were asked for, and fewer than one is refused', async () => {
  const { wallet, orgId } = await service.owner();
  const id = (await raise(wallet, orgId)).body.escalation_id;
  const one = follow(wallet, ofOne, { org: orgId, id, first: 1 });
  expect(await one.rest()).toHaveLength(1);
  await one.end();
  const none = follow(wallet, ofAll, { org: orgId, first: 0 });
  expect(await none.rest()).toMatchObject(refusedBy('VALIDATION_FAILED'));
  await none.end();
});

test('a list says where to follow from, so that what was before is not told again and what came since is', async () => {
  const { wallet, orgId } = await service.owner();
  for (const reason of ['one', 'two']) await raise(wallet, orgId, { reason });
  const listed = 'query ($org: ID!) { escalations(org: $org, first: 1) { cursor edges { node { reason } } } }';
  const { data } = await service.graphql(wallet, listed, { org: orgId });
  expect(data.escalations).toEqual({ cursor: expect.any(String), edges: [{ node: { reason: 'two' } }] });
  const third = (await raise(wallet, orgId)).body.escalation_id;
  const following = follow(wallet, ofAll, { org: orgId, after: data.escalations.cursor });
  expect(await following.next()).toMatchObject({ reset: false, escalation: { escalationId: third, status: 'OPEN' } });
  await following.end();
  // Where nothing was raised yet, too.
  const quiet = await service.owner();
  const empty = await service.graphql(quiet.wallet, listed, { org: quiet.orgId });
  const first = (await raise(quiet.wallet, quiet.orgId)).body.escalation_id;
  const begun = follow(quiet.wallet, ofAll, { org: quiet.orgId, after: empty.data.escalations.cursor });
  expect(await begun.next()).toMatchObject({ reset: false, escalation: { escalationId: first } });
  await begun.end();
});
