import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { roomsOf } from './room.ts';

const service = await sharedService();
afterAll(() => service.stop());
const newRoom = roomsOf(service);

const unseen: [string, string][] = [
  ['a right-to-left override', '\u202e'],
  ['a zero-width space', '\u200b'],
  ['a zero-width joiner', '\u200d'],
  ['a byte order mark', '\ufeff'],
  ['a soft hyphen', '\u00ad'],
  ['a tag character', '\u{e0041}'],
];

test.each(unseen)('a name with %s is refused, for a presence as for an organization and a project', async (_, one) => {
  const { wallet, orgId, post, count } = await newRoom();
  const details = { reason: 'must not contain format characters' };
  const name = `Ada${one}nimda`;
  const joined = await post('/presences', { requested_name: name });
  expectRefusal(joined, 'VALIDATION_FAILED', { ...details, field: 'requested_name' });
  const sent = await post('/messages', { body: 'x', requested_name: name });
  expectRefusal(sent, 'VALIDATION_FAILED', { ...details, field: 'requested_name' });
  expect([await count('room_presences'), await count('room_messages')]).toEqual([0, 0]);
  // Things are not told apart by their names, so those may be joined as their script needs.
  if (one !== '\u200d') {
    const org = await service.call(wallet, 'POST', '/orgs/v1', { body: { display_name: name } });
    expectRefusal(org, 'VALIDATION_FAILED', { ...details, field: 'display_name' });
    const project = await service.call(wallet, 'POST', '/projects/v1', { body: { org_id: orgId, name } });
    expectRefusal(project, 'VALIDATION_FAILED', { ...details, field: 'name' });
  }
  const join = 'mutation ($input: JoinRoomInput!) { joinRoom(input: $input) { id } }';
  const graph = await service.graphql(wallet, join, { input: { org: orgId, room: 'a', requestedName: name } });
  expect(graph.errors![0]!.extensions).toMatchObject({ code: 'VALIDATION_FAILED', details });
});

test.each([...unseen, ['a filler that shows nothing', '\u3164'], ['a variation selector', '\ufe0f']])(
  'a body of nothing but %s is blank, and one that shows something is kept whole',
  async (_, one) => {
    const { wallet, orgId, post, get, count } = await newRoom();
    const details = { field: 'body', reason: 'must not be blank' };
    expectRefusal(await post('/messages', { body: ` ${one}\n${one}` }), 'VALIDATION_FAILED', details);
    const send = 'mutation ($input: SendRoomMessageInput!) { sendRoomMessage(input: $input) { id } }';
    const graph = await service.graphql(wallet, send, { input: { org: orgId, room: 'standup', body: one } });
    expect(graph.errors![0]!.extensions).toMatchObject({ code: 'VALIDATION_FAILED', details });
    expect(await count('room_messages')).toBe(0);
    const body = `${one}hello${one}`;
    const { message_id } = (await post('/messages', { body })).body;
    expect((await get(`/messages/${message_id}`)).body.body).toBe(body);
  },
);
