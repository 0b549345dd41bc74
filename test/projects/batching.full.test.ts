import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { seedProjects } from './seed-projects.ts';

// Messages are told as events beside what is counted here.
const service = await startService({ jobs: false });
afterAll(() => service.stop());

async function listOf(count: number) {
  const { wallet, orgId } = await service.owner(`org of ${count}`);
  const rooms = await seedProjects(service.control, orgId, count);
  for (const room of rooms) {
    const sent = await service.call(wallet, 'POST', `/orgs/v1/${orgId}/rooms/${room}/messages`, {
      body: { body: `last word in ${room}` },
    });
    expect(sent.status).toBe(201);
  }
  return { wallet, rooms, displayName: `org of ${count}` };
}

test('projects with their organization and the last message of their room take the same statements for 1, 10 and 50', async () => {
  const query = `{ projects(first: 50) { edges { node { id organization { displayName }
    defaultRoom { lastMessage { body } } } } } }`;
  const taken: string[][] = [];
  for (const count of [1, 10, 50]) {
    const { wallet, rooms, displayName } = await listOf(count);
    let data: unknown;
    taken.push(
      await service.statements(async () => {
        ({ data } = await service.graphql(wallet, query));
      }),
    );
    expect(data).toEqual({
      projects: {
        edges: rooms.map((room) => ({
          node: {
            id: `Project_${room}`,
            organization: { displayName },
            defaultRoom: { lastMessage: { body: `last word in ${room}` } },
          },
        })),
      },
    });
  }
  expect(taken[1]).toEqual(taken[0]);
  expect(taken[2]).toEqual(taken[0]);
});

test('members and roles of many organizations take the same statements as of one', async () => {
  const query = '{ organizations { edges { node { displayName role members { edges { node { id } } } } } } }';
  const taken: number[] = [];
  for (const count of [1, 3]) {
    const wallet = service.actors.wallet();
    for (let made = 0; made < count; made++) await service.call(wallet, 'POST', '/orgs/v1', { body: {} });
    const statements = await service.statements(async () => {
      const { data } = await service.graphql(wallet, query);
      expect(data.organizations.edges).toHaveLength(count);
    });
    taken.push(statements.length);
  }
  expect(taken[1]).toBe(taken[0]);
});
