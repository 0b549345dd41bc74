import { afterAll, expect, test } from 'vitest';
import type { Actor } from '../helpers/actors.ts';
import { expectRefusal, moment } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { roomsOf } from './room.ts';

const service = await sharedService();
afterAll(() => service.stop());
const newRoom = roomsOf(service);

/** A message of Sam's to Ada (asked to acknowledge) and, as a copy, to Bob; all of them are one wallet's sessions. */
async function asked() {
  const room = await newRoom();
  const joined: Record<string, string> = {};
  for (const name of ['Ada', 'Bob', 'Sam']) {
    joined[name] = (await room.post('/presences', { requested_name: name, session_key: name })).body.presence_id;
  }
  const said = { body: 'look', to: ['Ada'], cc: ['Bob'], ack_required: true, session_key: 'Sam' };
  const { message_id } = (await room.post('/messages', said)).body;
  const ack = (body: object, actor?: Actor) => room.post(`/messages/${message_id}/ack`, body, actor);
  const ackedAt = async () => {
    const { recipients } = (await room.get(`/messages/${message_id}`)).body;
    return Object.fromEntries(recipients.map((one: Record<string, string>) => [one.name, one.acked_at]));
  };
  return { ...room, joined, message_id, ack, ackedAt };
}

test('an acknowledgement is seen by all who read the message, and repeated it keeps its first time', async () => {
  const { ack, ackedAt, joined, message_id, get } = await asked();
  const first = await ack({ presence_id: joined.Ada });
  expect(first.status).toBe(200);
  expect(first.body).toStrictEqual({ message_id, acked_at: moment, already_acked: false });
  const again = await ack({ session_key: 'Ada' });
  expect(again.body).toStrictEqual({ ...first.body, already_acked: true });
  expect(await ackedAt()).toEqual({ Ada: first.body.acked_at, Bob: null });
  const { body } = await get('/messages');
  expect(body.messages[0].recipients).toMatchObject([{ name: 'Ada', acked_at: first.body.acked_at }, { name: 'Bob' }]);
});

test('who only had a copy, and was not asked, may acknowledge too', async () => {
  const { ack, ackedAt, joined } = await asked();
  expect((await ack({ presence_id: joined.Bob })).body.already_acked).toBe(false);
  expect(await ackedAt()).toMatchObject({ Ada: null, Bob: moment });
});

test('of twenty acknowledgements at once one is the first, and all name its time', async () => {
  const { ack, joined, ackedAt } = await asked();
  const answers = await Promise.all(Array.from({ length: 20 }, () => ack({ presence_id: joined.Ada })));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(answers.filter(({ body }) => !body.already_acked)).toHaveLength(1);
  expect(new Set(answers.map(({ body }) => body.acked_at)).size).toBe(1);
  expect((await ackedAt()).Ada).toBe(answers[0]!.body.acked_at);
});

test('two who acknowledge at once are both heard', async () => {
  const { ack, joined, ackedAt } = await asked();
  await Promise.all(
    ['Ada', 'Bob'].flatMap((name) => Array(5).fill({ presence_id: joined[name] })).map((who) => ack(who)),
  );
  expect(await ackedAt()).toEqual({ Ada: moment, Bob: moment });
});

test('without an identity it is the one presence of the caller’s that the message names', async () => {
  const { ack, post, member, ackedAt } = await asked();
  // The wallet has two.
  const several = await ack({});
  expect([several.status, several.body.code, several.body.details.field]).toEqual([
    422,
    'VALIDATION_FAILED',
    'presence_id',
  ]);
  const guest = await member();
  expectRefusal(await ack({}, guest), 'NOT_A_RECIPIENT');
  await post('/presences', { requested_name: 'Gus' }, guest);
  expectRefusal(await ack({}, guest), 'NOT_A_RECIPIENT');
  const { message_id } = (await post('/messages', { body: 'x', to: ['Gus', 'Ada'] })).body;
  expect((await post(`/messages/${message_id}/ack`, {}, guest)).body.already_acked).toBe(false);
  expect(await ackedAt()).toEqual({ Ada: null, Bob: null });
});

test('who cannot acknowledge is told why, and nothing changes', async () => {
  const { ack, joined, expire, member, post, ackedAt } = await asked();
  expectRefusal(await ack({ presence_id: joined.Sam }), 'NOT_A_RECIPIENT');
  expectRefusal(await ack({ session_key: 'Sam' }), 'NOT_A_RECIPIENT');
  expectRefusal(await ack({ presence_id: joined.Ada }, await member()), 'FORBIDDEN');
  expectRefusal(await ack({ presence_id: 'prs_nobody' }), 'RESOURCE_NOT_FOUND', { presence_id: 'prs_nobody' });
  const unknown = await ack({ session_key: 'unknown' });
  expect([unknown.status, unknown.body.code, unknown.body.details.field]).toEqual([
    422,
    'VALIDATION_FAILED',
    'session_key',
  ]);
  expectRefusal(await post('/messages/msg_nothing/ack', {}), 'RESOURCE_NOT_FOUND', { message_id: 'msg_nothing' });
  await expire(joined.Ada!);
  for (const who of [{ presence_id: joined.Ada }, { session_key: 'Ada' }]) {
    expectRefusal(await ack(who), 'PRESENCE_EXPIRED', { presence_id: joined.Ada });
  }
  expect(await ackedAt()).toEqual({ Ada: null, Bob: null });
});

test('a message is acknowledged in its own room alone', async () => {
  const { message_id, orgId, wallet, joined } = await asked();
  const elsewhere = `/orgs/v1/${orgId}/rooms/elsewhere/messages/${message_id}/ack`;
  const answer = await service.call(wallet, 'POST', elsewhere, { body: { presence_id: joined.Ada } });
  expectRefusal(answer, 'RESOURCE_NOT_FOUND', { message_id });
});

test('acknowledging keeps a presence alive for another hour', async () => {
  const { ack, joined, get, orgId } = await asked();
  await service.control.sql(
    `update room_presences set last_active = now() - interval '59 min', expires_at = now() + interval '1 min' where org_id = $1`,
    [orgId],
  );
  await ack({ presence_id: joined.Ada });
  const { last_active, expires_at } = (await get(`/presences/${joined.Ada}`)).body;
  expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(3_000_000);
  expect(Date.parse(expires_at) - Date.parse(last_active)).toBe(3_600_000);
});

test('the mutation answers the message as it is now, by its global id too', async () => {
  const { wallet, orgId, message_id, joined } = await asked();
  const ack = `mutation ($input: AckRoomMessageInput!) {
    ackRoomMessage(input: $input) { messageId recipients(first: 2) { edges { name ackedAt } } }
  }`;
  const run = (input: object) => service.graphql(wallet, ack, { input: { org: orgId, room: 'standup', ...input } });
  const { data } = await run({ message: `RoomMessage_${message_id}`, presenceId: joined.Ada });
  expect(data.ackRoomMessage).toEqual({
    messageId: message_id,
    recipients: {
      edges: [
        { name: 'Ada', ackedAt: moment },
        { name: 'Bob', ackedAt: null },
      ],
    },
  });
  const again = await run({ message: message_id, sessionKey: 'Ada' });
  expect(again.data).toEqual(data);
  const refused = await run({ message: message_id, presenceId: joined.Sam });
  expect(refused.errors?.[0]?.extensions.code).toBe('NOT_A_RECIPIENT');
});
