import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { ownProject } from './sdk-stage.ts';

const service = await sharedService();
afterAll(() => service.stop());

test('a wallet makes an organization and a project, follows its room, and reads what it sent', async () => {
  const { client, org, project: room } = await ownProject(service);
  const events = client.rooms.follow({ org, room });
  const arrival = events.next();
  const sent = await client.rooms.sendMessage({ org, room, body: 'hello', importance: 'high' });
  const { value: event } = await arrival;
  await events.return();
  expect(event).toMatchObject({ message: { messageId: sent.messageId, body: 'hello', importance: 'high' } });
  expect(event!.cursor).toBe(sent.cursor);
  const page = await client.rooms.listMessages({ org, room });
  expect(page.messages.map(({ messageId }) => messageId)).toEqual([sent.messageId]);
});
