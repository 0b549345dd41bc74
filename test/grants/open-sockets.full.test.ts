import { afterAll, expect, test } from 'vitest';
import type { Actor } from '../helpers/actors.ts';
import { documentedCalls } from '../helpers/documented.ts';
import { openSocket } from '../helpers/graphql-ws-client.ts';
import { startService } from '../helpers/service.ts';
import { delegatedProjects } from './own-delegates.ts';

// What is open by a right ends with it, not only what is asked for afterwards.

const service = await startService();
afterAll(() => service.stop());
const call = documentedCalls(service);
const delegatedProject = delegatedProjects(service);

type Home = Awaited<ReturnType<typeof delegatedProject>>;

const say = ({ wallet, orgId, projectId }: Home, body: string) =>
  call(wallet, 'POST', `/orgs/v1/${orgId}/rooms/${projectId}/messages`, { body: { body } });

/** Follows the project's room, ends the right to, and tells what came after that. */
async function afterTheEnd(home: Home, actor: Actor, end: () => Promise<{ readonly status: number }>) {
  await say(home, 'before');
  const { client, follow } = openSocket(service.url, actor);
  const events = follow({ org: home.orgId, room: home.projectId });
  try {
    const first = await events.next();
    expect(first.value.data.roomMessages.message.body).toBe('before');
    expect((await end()).status).toBeLessThan(300);
    const rest = [];
    for await (const event of events) rest.push(event);
    return rest;
  } finally {
    await client.dispose();
  }
}

const refused = [{ errors: [{ extensions: { code: 'NOT_AUTHORIZED' } }] }];

test.each<[string, (home: Home, delegateId: string) => Promise<{ readonly status: number }>]>([
  ['the delegate is revoked', ({ revoke }, id) => revoke(id)],
  ['its token is rotated', ({ rotate }, id) => rotate(id)],
  ['its grant is revoked', ({ revokeGrant }) => revokeGrant()],
])('a delegate’s open subscription ends when %s', async (_case, end) => {
  const home = await delegatedProject();
  const { delegate_id, token } = (await home.make()).body;
  const rest = await afterTheEnd(home, service.actors.bearer(token), () => end(home, delegate_id));
  expect(rest).toMatchObject(refused);
});

test('the subscription of a grant’s holder ends when the grant is revoked', async () => {
  const home = await delegatedProject();
  const guest = service.actors.wallet();
  const given = await call(home.wallet, 'POST', `/projects/v1/${home.projectId}/grants`, {
    body: { wallet: guest.address, capability: 'deploy' },
  });
  const rest = await afterTheEnd(home, guest, () =>
    call(home.wallet, 'DELETE', `/projects/v1/${home.projectId}/grants/${given.body.grant_id}`),
  );
  expect(rest).toMatchObject(refused);
});

test('a subscription by the new token outlives the rotation, and the delegate’s siblings hear on', async () => {
  const home = await delegatedProject();
  const { delegate_id } = (await home.make()).body;
  const sibling = (await home.make()).body;
  const { token } = (await home.rotate(delegate_id)).body;
  await say(home, 'before');
  const sockets = [token, sibling.token].map((one) => openSocket(service.url, service.actors.bearer(one)));
  const feeds = sockets.map(({ follow }) => follow({ org: home.orgId, room: home.projectId }));
  for (const feed of feeds) expect((await feed.next()).value.data.roomMessages.message.body).toBe('before');
  await home.revoke((await home.make()).body.delegate_id);
  await say(home, 'after');
  for (const feed of feeds) expect((await feed.next()).value.data.roomMessages.message.body).toBe('after');
  for (const { client } of sockets) await client.dispose();
});
