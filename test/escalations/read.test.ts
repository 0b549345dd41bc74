import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { escalationsOf } from './own-org.ts';
import { newEscalation } from './planted.ts';

const service = await sharedService();
afterAll(() => service.stop());
const { answer, get, holder, list, member, raise } = escalationsOf(service);
const { actors, control } = service;

const idsOf = (body: { escalations: { escalation_id: string }[] }) =>
  body.escalations.map(({ escalation_id }) => escalation_id);

test('a member sees all, newest first and page by page; a delegate and a holder of a grant see their own', async () => {
  const { wallet, orgId, projectId } = await service.project();
  const delegate = await actors.delegate({ orgId, projectId, capabilities: ['read'] });
  const granted = await holder(orgId, projectId);
  const raised: string[] = [];
  for (const actor of [wallet, delegate, granted.wallet, delegate, wallet]) {
    raised.unshift((await raise(actor, orgId)).body.escalation_id);
  }
  const viewer = await member(orgId);
  const all = await list(viewer.wallet, orgId);
  expect([all.body.scope, idsOf(all.body), all.body.has_more, all.body.next_cursor]).toEqual([
    'organization',
    raised,
    false,
    null,
  ]);
  const first = await list(wallet, orgId, '?limit=2');
  const second = await list(wallet, orgId, `?limit=3&cursor=${first.body.next_cursor}`);
  expect([first.body.has_more, [...idsOf(first.body), ...idsOf(second.body)]]).toEqual([true, raised]);
  const own = await list(delegate, orgId);
  expect([own.body.scope, idsOf(own.body)]).toEqual(['own', [raised[1], raised[3]]]);
  const held = await list(granted.wallet, orgId);
  expect([held.body.scope, idsOf(held.body)]).toEqual(['own', [raised[2]]]);
  // A cursor is good for the list that gave it out.
  expectRefusal(await list(delegate, orgId, `?cursor=${first.body.next_cursor}`), 'INVALID_CURSOR');
  expectRefusal(await list(wallet, orgId, `?status=open&cursor=${first.body.next_cursor}`), 'INVALID_CURSOR');
});

test('one that another raised is to a delegate one that is not there', async () => {
  const { wallet, orgId, projectId } = await service.project();
  const delegate = await actors.delegate({ orgId, projectId, capabilities: ['read'] });
  const others = (await raise(wallet, orgId)).body.escalation_id;
  const own = (await raise(delegate, orgId)).body.escalation_id;
  expect((await get(delegate, orgId, own)).body.escalation_id).toBe(own);
  expectRefusal(await get(delegate, orgId, others), 'RESOURCE_NOT_FOUND', { escalation_id: others });
  const query = 'query ($org: ID!, $id: ID!) { escalation(org: $org, escalation: $id) { escalationId } }';
  const graph = await service.graphql(delegate, query, { org: orgId, id: others });
  expect(graph.errors![0]!.extensions.code).toBe('RESOURCE_NOT_FOUND');
  expect((await service.graphql(delegate, query, { org: orgId, id: own })).data.escalation).toEqual({
    escalationId: own,
  });
});

test('a list of one status has those alone', async () => {
  const { wallet, orgId } = await service.owner();
  const ids = [
    await newEscalation(control, orgId),
    await newEscalation(control, orgId),
    await newEscalation(control, orgId),
  ];
  await answer(wallet, orgId, ids[1]!, 'ack');
  await answer(wallet, orgId, ids[2]!, 'resolve');
  for (const [n, status] of ['open', 'acknowledged', 'resolved'].entries()) {
    expect(idsOf((await list(wallet, orgId, `?status=${status}`)).body)).toEqual([ids[n]]);
  }
  expectRefusal(await list(wallet, orgId, '?status=Open'), 'VALIDATION_FAILED', { field: 'status' });
  expectRefusal(await list(wallet, orgId, '?limit=0'), 'VALIDATION_FAILED', { field: 'limit' });
  expectRefusal(await list(wallet, orgId, '?cursor=x'), 'INVALID_CURSOR');
  expectRefusal(await get(wallet, orgId, ids[0]!, '?include=all'), 'VALIDATION_FAILED', { field: 'include' });
});

test('the poll brings no attempts unless they are asked for', async () => {
  const { wallet, orgId } = await service.owner();
  const id = await newEscalation(control, orgId);
  await get(wallet, orgId, id);
  expect((await get(wallet, orgId, id)).body).not.toHaveProperty('delivery_attempts');
  expect((await get(wallet, orgId, id, '?include=delivery')).body.delivery_attempts).toEqual([]);
});

test('the list over GraphQL is the list over REST, in both directions', async () => {
  const { wallet, orgId } = await service.owner();
  for (let n = 0; n < 5; n++) await newEscalation(control, orgId);
  const ids = idsOf((await list(wallet, orgId)).body);
  const document = `query ($org: ID!, $first: Int, $after: String, $last: Int, $status: EscalationStatus) {
    escalations(org: $org, first: $first, after: $after, last: $last, status: $status) {
      edges { node { escalationId status deliveryAttempts { edges { cursor } } } } pageInfo { hasNextPage endCursor }
    }
  }`;
  const page = async (args: object) =>
    (await service.graphql(wallet, document, { org: orgId, ...args })).data.escalations;
  const nodes = ({ edges }: { edges: { node: { escalationId: string } }[] }) =>
    edges.map(({ node }) => node.escalationId);
  const first = await page({ first: 2 });
  expect([nodes(first), first.pageInfo.hasNextPage]).toEqual([ids.slice(0, 2), true]);
  expect(nodes(await page({ first: 9, after: first.pageInfo.endCursor }))).toEqual(ids.slice(2));
  expect(nodes(await page({ last: 2 }))).toEqual(ids.slice(3));
  expect(nodes(await page({ status: 'RESOLVED' }))).toEqual([]);
  const refused = await service.graphql((await service.owner()).wallet, document, { org: orgId });
  expect(refused.errors![0]!.extensions.code).toBe('NOT_AUTHORIZED');
});
