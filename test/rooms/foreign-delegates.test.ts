import { afterAll, expect, test } from 'vitest';
import { claimRoomsOf } from '../claims/claim-room.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';

const service = await sharedService();
afterAll(() => service.stop());
const newRoom = claimRoomsOf(service);

test('a delegate reaches named rooms of its own organization, and none of another one', async () => {
  const room = await newRoom();
  await room.join('Ada');
  const { orgId, projectId } = await service.project();
  const delegate = await service.actors.delegate({ orgId, projectId, capabilities: ['read'] });
  for (const path of ['', '/messages', '/presences', '/claims'])
    expectRefusal(await service.call(delegate, 'GET', `/orgs/v1/${room.orgId}/rooms/standup${path}`), 'NOT_AUTHORIZED');
  expect((await service.call(delegate, 'GET', `/orgs/v1/${orgId}/rooms/standup`)).status).toBe(200);
});
