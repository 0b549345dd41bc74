import { afterAll, expect, test } from 'vitest';
import { openProtocolSocket } from '../graphql/protocol-socket.ts';
import type { Actor } from '../helpers/actors.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { until } from '../helpers/until.ts';

const service = await sharedService();
afterAll(() => service.stop());

const subscription = `subscription ($org: ID!, $room: String!, $after: String, $first: Int, $thread: String,
    $to: MessageAddressee, $me: String, $session: String, $importance: MessageImportance) {
  roomMessages(org: $org, room: $room, after: $after, first: $first, threadId: $thread, addressedTo: $to,
    presenceId: $me, sessionKey: $session, importance: $importance) { cursor reset message { body } }
}`;

interface Refused {
  readonly extensions: { readonly code: string };
}

async function talk() {
  const { wallet, orgId, projectId, serviceKey } = await service.project();
  const path = `/orgs/v1/${orgId}/rooms/${projectId}`;
  const post = async (rest: string, body: object, actor: Actor = wallet) => {
    const answer = await service.call<Record<string, string>>(actor, 'POST', path + rest, { body });
    expect(answer.status).toBeLessThan(300);
    return answer.body;
  };
  const ada = (await post('/presences', { requested_name: 'Ada', session_key: 'ada' })).presence_id!;
  await post('/presences', { requested_name: 'Bob', session_key: 'bob' });
  const say = (body: string, more: object = {}) => post('/messages', { body, session_key: 'bob', ...more });
  const socket = async () =>
    (await openProtocolSocket(service.url)).init({ 'sign-in-with-x': await wallet.sign({ path: '/graphql' }) });
  const raw = await socket();
  let subscriptions = 0;
  const follow = (variables: object, on = raw) => {
    const id = `${++subscriptions}`;
    on.subscribe(id, subscription, { variables: { org: orgId, room: projectId, ...variables } });
    const payloads = () =>
      on.seen.filter((message) => message.type === 'next' && message.id === id).map(({ payload }) => payload);
    const events = () => payloads().flatMap(({ data }) => (data == null ? [] : [data.roomMessages]));
    return {
      events,
      bodies: () => events().map(({ message }) => message.body),
      codes: () => payloads().flatMap(({ errors = [] }) => errors.map(({ extensions }: Refused) => extensions.code)),
      ended: () => on.seen.some((message) => message.type === 'complete' && message.id === id),
    };
  };
  return { wallet, orgId, projectId, serviceKey, post, ada, say, follow, socket, raw };
}

const everything = async (say: (body: string, more?: object) => Promise<unknown>, tag: string) => {
  await say(`${tag}1`);
  await say(`${tag}2`, { to: ['Ada'], thread_id: 't' });
  await say(`${tag}3`, { to: ['Bob'], thread_id: 't', importance: 'high' });
  await say(`${tag}4`, { cc: ['Ada'], importance: 'high' });
};

test.each<[string, object, number[]]>([
  ['of one thread', { thread: 't' }, [2, 3]],
  ['for one presence', { to: 'ME', session: 'ada' }, [2, 4]],
  ['for one presence in one thread', { to: 'ME', session: 'ada', thread: 't' }, [2]],
  ['that stand out', { importance: 'HIGH' }, [3, 4]],
  ['for one presence that stand out', { to: 'ME', session: 'ada', importance: 'HIGH' }, [4]],
  ['of every kind', {}, [1, 2, 3, 4]],
])('a subscription to messages %s gets those, from before and as they come', async (_case, variables, shown) => {
  const { say, follow, raw } = await talk();
  await everything(say, 'a');
  const followed = follow(variables);
  const all = follow({});
  await until(() => expect(followed.bodies()).toEqual(shown.map((n) => `a${n}`)));
  await everything(say, 'b');
  await until(() => expect(all.bodies()).toHaveLength(8));
  const expected = [...shown.map((n) => `a${n}`), ...shown.map((n) => `b${n}`)];
  await until(() => expect(followed.bodies()).toEqual(expected));
  raw.socket.terminate();
});

test('it resumes by its cursor without gap or repeat, and ends after as many as it wanted of those it shows', async () => {
  const { say, follow, raw } = await talk();
  await everything(say, 'a');
  await everything(say, 'b');
  const one = follow({ thread: 't', first: 3 });
  await until(() => expect(one.ended()).toBe(true));
  expect(one.bodies()).toEqual(['a2', 'a3', 'b2']);
  const rest = follow({ thread: 't', after: one.events().at(-1).cursor, first: 1 });
  await until(() => expect(rest.bodies()).toEqual(['b3']));
  raw.socket.terminate();
});

test('those who share a document and its variables, and are different people, get each their own', async () => {
  const { say, follow, raw, post, orgId } = await talk();
  const guest = await service.actors.session({ passkeyAgeSeconds: 1 });
  await service.actors.member(orgId, guest.principalId, 'viewer');
  // The same session key of another principal is another presence.
  await post('/presences', { requested_name: 'Gus', session_key: 'ada' }, guest);
  const other = (await openProtocolSocket(service.url)).init(await guest.headers('/graphql'));
  const theirs = await other;
  const mine = follow({ to: 'ME', session: 'ada' });
  const his = follow({ to: 'ME', session: 'ada' }, theirs);
  const all = follow({});
  await say('to Ada', { to: ['Ada'] });
  await say('to Gus', { to: ['Gus'] });
  await say('to both', { to: ['Ada', 'Gus'] });
  await until(() => expect(all.bodies()).toHaveLength(3));
  await until(() => expect(mine.bodies()).toEqual(['to Ada', 'to both']));
  await until(() => expect(his.bodies()).toEqual(['to Gus', 'to both']));
  for (const { socket } of [raw, theirs]) socket.terminate();
});

test('without a presence of the caller’s own nobody is "me"', async () => {
  const { follow, raw, ada, serviceKey } = await talk();
  const nobody = follow({ to: 'ME' });
  const unknown = follow({ to: 'ME', me: 'prs_nobody' });
  await until(() => expect([nobody.codes(), unknown.codes()]).toEqual([['VALIDATION_FAILED'], ['RESOURCE_NOT_FOUND']]));
  const byKey = await (await openProtocolSocket(service.url)).init({ apikey: serviceKey });
  const key = follow({ to: 'ME', me: ada }, byKey);
  await until(() => expect(key.codes()).toEqual(['VALIDATION_FAILED']));
  for (const { socket } of [raw, byKey]) socket.terminate();
});
