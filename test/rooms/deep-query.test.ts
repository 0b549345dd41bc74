import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { seedProjects } from '../projects/seed-projects.ts';

// Messages are told as events beside what is counted here.
const service = await startService({ jobs: false });
afterAll(() => service.stop());

interface Listed {
  readonly messages: readonly { readonly message_id: string; readonly cursor: string; readonly body_snippet: string }[];
  readonly has_more: boolean;
}

const deepQuery = `query ($id: ID!, $first: Int) { project(id: $id) { organization { displayName rooms { edges { node {
  key lastActivityAt messages(first: $first) { edges { cursor node { messageId body } } pageInfo { hasNextPage endCursor } }
} } } } } }`;

async function organization(rooms: number, messages: number) {
  const { wallet, orgId } = await service.owner();
  const keys = await seedProjects(service.control, orgId, rooms);
  for (const key of keys) {
    for (let n = 0; n < messages; n++) {
      await service.call(wallet, 'POST', `/orgs/v1/${orgId}/rooms/${key}/messages`, {
        body: { body: `${n} in ${key}` },
      });
    }
  }
  return { wallet, orgId, keys };
}

test('project, organization, rooms and messages take the same few statements for 1 and for 8 rooms', async () => {
  const taken: string[][] = [];
  for (const rooms of [1, 8]) {
    const { wallet, keys } = await organization(rooms, 3);
    taken.push(
      await service.statements(async () => {
        const { data } = await service.graphql(wallet, deepQuery, { id: keys[0], first: 2 });
        expect(data.project.organization.rooms.edges).toHaveLength(rooms);
      }),
    );
  }
  expect(taken[1]).toEqual(taken[0]);
  // The credential, the project with its organization, the rooms, their messages.
  expect(taken[0]).toHaveLength(4);
});

test('what the deep query says is what each room says by itself', async () => {
  const { wallet, orgId, keys } = await organization(3, 4);
  const { data } = await service.graphql(wallet, deepQuery, { id: keys[0], first: 3 });
  const edges = data.project.organization.rooms.edges as { node: { key: string; messages: unknown } }[];
  expect(edges.map(({ node }) => node.key).toSorted()).toEqual([...keys].toSorted());
  for (const { node } of edges) {
    const { body } = await service.call<Listed>(wallet, 'GET', `/orgs/v1/${orgId}/rooms/${node.key}/messages?limit=3`);
    expect(node.messages).toEqual({
      edges: body.messages.map((message) => ({
        cursor: message.cursor,
        node: { messageId: message.message_id, body: message.body_snippet },
      })),
      pageInfo: { hasNextPage: true, endCursor: body.messages.at(-1)!.cursor },
    });
  }
});

test('a room that nobody wrote to has no messages, and its project may go', async () => {
  const { wallet, orgId, keys } = await organization(2, 0);
  const query = `query ($org: ID!, $room: String!) { room(org: $org, room: $room) {
    messages { edges { node { body } } pageInfo { hasNextPage startCursor } } } }`;
  const { data } = await service.graphql(wallet, query, { org: orgId, room: keys[0] });
  expect(data.room.messages).toEqual({ edges: [], pageInfo: { hasNextPage: false, startCursor: null } });
  await service.control.sql(`update projects set deleted_at = now() where id = '${keys[1]}'`);
  const gone = await service.graphql(wallet, query, { org: orgId, room: keys[1] });
  expect(gone.errors?.[0]?.extensions.code).toBe('NOT_AUTHORIZED');
});

test('messages of a room are for whom the room lists them, whatever the credential', async () => {
  const { wallet, orgId, projectId, serviceKey, anonKey } = await service.project();
  await service.call(wallet, 'POST', `/orgs/v1/${orgId}/rooms/${projectId}/messages`, { body: { body: 'hello' } });
  const query = `query ($org: ID!, $room: String!) { room(org: $org, room: $room) { messages { edges { node { body sender } } } } }`;
  for (const [actor, sees] of [
    [wallet, true],
    [service.actors.bearer(serviceKey), true],
    [service.actors.bearer(anonKey), false],
    [service.actors.wallet(), false],
    [service.actors.nobody, false],
  ] as const) {
    const { data } = await service.graphql(actor, query, { org: orgId, room: projectId });
    const { status } = await service.call(actor, 'GET', `/orgs/v1/${orgId}/rooms/${projectId}/messages`);
    expect([data?.room?.messages.edges.length, status === 200]).toEqual([sees ? 1 : undefined, sees]);
  }
});
