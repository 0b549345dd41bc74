import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';

const service = await sharedService();
afterAll(() => service.stop());

const query = 'query ($id: ID!) { project(id: $id) { name defaultRoom { key } } }';

test('a caller that sees a project and may not reach its room is refused the room, as by its path', async () => {
  const { projectId, orgId, wallet } = await service.project();
  const { admin } = service.actors;
  const path = await service.call<{ code: string }>(admin, 'GET', `/orgs/v1/${orgId}/rooms/${projectId}`);
  const { errors } = await service.graphql(admin, query, { id: projectId });
  expect(errors).toMatchObject([{ path: ['project', 'defaultRoom'], extensions: { code: path.body.code } }]);
  expect(path.body.code).toBe('FORBIDDEN');
  const { data } = await service.graphql(wallet, query, { id: projectId });
  expect(data).toMatchObject({ project: { defaultRoom: { key: projectId } } });
});
