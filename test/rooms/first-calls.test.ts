import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';

const service = await sharedService();
afterAll(() => service.stop());

test('a message sent over REST is read back over GraphQL', async () => {
  const { wallet, orgId, projectId } = await service.project();
  const sent = await service.call(wallet, 'POST', `/orgs/v1/${orgId}/rooms/${projectId}/messages`, {
    body: { body: 'hello' },
  });
  expect(sent.status).toBe(201);
  const query = 'query ($id: ID!) { project(id: $id) { defaultRoom { lastMessage { body } } } }';
  expect(await service.graphql(wallet, query, { id: projectId })).toEqual({
    data: { project: { defaultRoom: { lastMessage: { body: 'hello' } } } },
  });
});
