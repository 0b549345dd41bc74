import { afterAll, expect, test, vi } from 'vitest';
import type { Actor } from '../helpers/actors.ts';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { openSocket, roomSubscription } from '../helpers/graphql-ws-client.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

// Whoever loses a right hears nothing more by it, whatever is open: a subscription, an event stream, a held read. The
// lane `two-nodes` runs this again with the change on another node than what it ends.

const service = await startService();
afterAll(() => service.stop());
const call = documentedCalls(service);

/** Somebody who may read a room, and how that ends. */
interface Reader {
  readonly actor: Actor;
  readonly end: () => Promise<unknown>;
}

type Project = Awaited<ReturnType<typeof service.project>>;

async function removedMember({ wallet, orgId }: Project): Promise<Reader> {
  const member = await service.actors.session();
  await service.actors.member(orgId, member.principalId, 'developer');
  const path = `/orgs/v1/${orgId}/members/${member.principalId}`;
  return { actor: member, end: () => call(wallet, 'DELETE', path) };
}

/** A delegate as its owner makes it. */
async function delegate({ wallet, projectId }: Project) {
  const grants = `/projects/v1/${projectId}/grants`;
  const given = await call(wallet, 'POST', grants, { body: { wallet: wallet.address, capability: 'read' } });
  const scope = { v: 1, capabilities: ['read'] };
  const path = `/projects/v1/${projectId}/delegates`;
  const { body } = await call(wallet, 'POST', path, { body: { grant_id: given.body.grant_id, scope } });
  return { actor: service.actors.bearer(body.token), path: `${path}/${body.delegate_id}` };
}

async function revokedDelegate(project: Project): Promise<Reader> {
  const { actor, path } = await delegate(project);
  return { actor, end: () => call(project.wallet, 'DELETE', path) };
}

async function rotatedKey(project: Project): Promise<Reader> {
  const { actor, path } = await delegate(project);
  return { actor, end: () => call(project.wallet, 'POST', `${path}/rotate`) };
}

async function expiredGrant({ wallet, projectId }: Project): Promise<Reader> {
  const guest = service.actors.wallet();
  const { body } = await call(wallet, 'POST', `/projects/v1/${projectId}/grants`, {
    body: { wallet: guest.address, capability: 'deploy' },
  });
  // Time does not tell anybody that it has passed.
  const expire = `update project_grants set expires_at = now() where id = $1`;
  return { actor: guest, end: () => service.control.sql(expire, [body.grant_id]) };
}

const rights = {
  'a member is removed': removedMember,
  'a delegate is revoked': revokedDelegate,
  'a delegate’s key is rotated': rotatedKey,
  'a grant expires': expiredGrant,
};
const cases = Object.entries(rights);

const say = async ({ wallet, orgId, projectId }: Project, body: string) =>
  expect((await call(wallet, 'POST', `/orgs/v1/${orgId}/rooms/${projectId}/messages`, { body: { body } })).status).toBe(
    201,
  );
const lost = { errors: [{ extensions: { code: 'NOT_AUTHORIZED' } }] };
const heard = (body: string) => ({ data: { roomMessages: { message: { body } } } });

test.each(cases)('a subscription ends when %s, and those of others go on', async (_case, reader) => {
  const project = await service.project();
  const { actor, end } = await reader(project);
  const room = { org: project.orgId, room: project.projectId };
  await say(project, 'before');
  const sockets = [openSocket(service.url, actor), openSocket(service.url, project.wallet)] as const;
  const [events, others] = sockets.map(({ follow }) => follow(room));
  for (const each of [events!, others!]) expect((await each.next()).value).toMatchObject(heard('before'));
  await end();
  expect((await events!.next()).value).toMatchObject(lost);
  expect(await events!.next()).toMatchObject({ done: true });
  await say(project, 'after');
  expect((await others!.next()).value).toMatchObject(heard('after'));
  for (const { client } of sockets) await client.dispose();
});

test.each(cases)('an event stream ends when %s', async (_case, reader) => {
  const project = await service.project();
  const { actor, end } = await reader(project);
  await say(project, 'before');
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      ...(await actor.headers('/graphql')),
    },
    body: JSON.stringify({
      query: roomSubscription,
      variables: { org: project.orgId, room: project.projectId },
    }),
  });
  const events: { readonly event: string; readonly data: string }[] = [];
  let text = '';
  const ended = (async () => {
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      text += piece;
      for (let at = text.indexOf('\n\n'); at !== -1; at = text.indexOf('\n\n')) {
        const [, event, data] = /^event: ?(.*)\ndata: ?(.*)$/m.exec(text.slice(0, at)) ?? [];
        text = text.slice(at + 2);
        if (event !== undefined) events.push({ event, data: data! });
      }
    }
  })();
  await until(() => expect(events).toHaveLength(1));
  await end();
  await ended;
  expect(events.map(({ event }) => event)).toEqual(['next', 'next', 'complete']);
  expect(JSON.parse(events[1]!.data)).toMatchObject(lost);
});

test.each(cases)('a held read ends when %s, long before its wait does', async (_case, reader) => {
  const project = await service.project();
  const { actor, end } = await reader(project);
  const rooms = `/orgs/v1/${project.orgId}/rooms`;
  const sleeping = (count: number) => until(async () => expect(await service.gauge('feed_followers')).toBe(count));
  let ended = false;
  // It waits as long, and was there first: whoever is answered before it was not answered by the end of its wait.
  const owners = call(project.wallet, 'GET', `${rooms}/elsewhere/messages?wait=25`).finally(() => {
    ended = true;
  });
  await sleeping(1);
  const held = call(actor, 'GET', `${rooms}/${project.projectId}/messages?wait=25`);
  await sleeping(2);
  await end();
  expectRefusal(await held, 'NOT_AUTHORIZED', { reason: 'member' });
  expect(ended).toBe(false);
  await call(project.wallet, 'POST', `${rooms}/elsewhere/messages`, { body: { body: 'for the owner' } });
  expect((await owners).body.messages).toMatchObject([{ body_snippet: 'for the owner' }]);
});

test('a credential that lasts is not over for a node whose clock is a day ahead', async () => {
  const project = await service.project();
  const actor = await service.actors.session({ principalId: project.principalId });
  const real = Date.now.bind(Date);
  const ahead = vi.spyOn(Date, 'now').mockImplementation(() => real() + 86_400_000);
  const { client, follow } = openSocket(service.url, actor);
  try {
    const events = follow({ org: project.orgId, room: project.projectId });
    await say(project, 'before');
    expect((await events.next()).value).toMatchObject(heard('before'));
    for (const { services } of service.nodes) services.authority.changed(project.orgId);
    await say(project, 'after');
    expect((await events.next()).value).toMatchObject(heard('after'));
  } finally {
    ahead.mockRestore();
    await client.dispose();
  }
});
