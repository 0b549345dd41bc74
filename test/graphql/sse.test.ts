import { afterAll, expect, test } from 'vitest';
import type { RunningFeedHub } from '../../subscriptions/feed-hub.ts';
import { roomSubscription } from '../helpers/graphql-ws-client.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { until } from '../helpers/until.ts';

const service = await sharedService();
afterAll(() => service.stop());

const followed = () => (service.app.services.feeds as RunningFeedHub).followed();
/** Longer than anything it waits for takes; what is proven is that it happens at all. */

type Project = Awaited<ReturnType<typeof service.project>>;

const send = async ({ wallet, orgId, projectId }: Project, body: string) => {
  const path = `/orgs/v1/${orgId}/rooms/${projectId}/messages`;
  expect((await service.call(wallet, 'POST', path, { body: { body } })).status).toBe(201);
};

/** Opens the documented subscription as an event stream and reads its events one by one. */
async function openStream(project: Project, method: 'GET' | 'POST', query = roomSubscription, more: object = {}) {
  const variables = { org: project.orgId, room: project.projectId, ...more };
  const abort = new AbortController();
  const headers = { accept: 'text/event-stream', apikey: project.serviceKey };
  const response =
    method === 'POST'
      ? await fetch(`${service.url}/graphql`, {
          method,
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ query, variables }),
          signal: abort.signal,
        })
      : await fetch(`${service.url}/graphql?${new URLSearchParams({ query, variables: JSON.stringify(variables) })}`, {
          headers,
          signal: abort.signal,
        });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    response,
    abort: () => abort.abort(),
    /** The next event that is no comment. */
    async next(): Promise<{ readonly event: string; readonly data: string }> {
      for (;;) {
        const end = text.indexOf('\n\n');
        if (end !== -1) {
          const block = text.slice(0, end);
          text = text.slice(end + 2);
          const field = (name: string) =>
            block
              .split('\n')
              .find((line) => line.startsWith(`${name}:`))
              ?.slice(name.length + 1)
              .trim();
          if (field('event') !== undefined) return { event: field('event')!, data: field('data') ?? '' };
          continue;
        }
        const { value, done } = await reader.read();
        if (done) throw new Error('The stream ended.');
        text += value;
      }
    },
  };
}

test.each(['POST', 'GET'] as const)('a subscription by %s streams what there is and what comes', async (method) => {
  const project = await service.project();
  await send(project, 'before');
  const stream = await openStream(project, method);
  expect(stream.response.status).toBe(200);
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
  const body = async () => {
    const { event, data } = await stream.next();
    return [event, JSON.parse(data).data.roomMessages.message.body];
  };
  expect(await body()).toEqual(['next', 'before']);
  await send(project, 'after');
  expect(await body()).toEqual(['next', 'after']);
  stream.abort();
  await until(() => expect(followed()).toBe(0));
});

test('a reader that goes away from a quiet room leaves no follower behind', async () => {
  const project = await service.project();
  const streams = await Promise.all([openStream(project, 'POST'), openStream(project, 'GET')]);
  await until(() => expect(followed()).toBe(1));
  for (const stream of streams) stream.abort();
  await until(() => expect(followed()).toBe(0));
});

test('a stream resumes after a cursor', async () => {
  const project = await service.project();
  for (const body of ['one', 'two']) await send(project, body);
  const first = await openStream(project, 'POST');
  const { cursor } = JSON.parse((await first.next()).data).data.roomMessages;
  first.abort();
  const second = await openStream(project, 'POST', roomSubscription, { after: cursor });
  expect(JSON.parse((await second.next()).data).data.roomMessages.message.body).toBe('two');
  second.abort();
  await until(() => expect(followed()).toBe(0));
});

test('a subscription that ends by itself says so', async () => {
  const project = await service.project();
  await send(project, 'only');
  const query = `subscription ($org: ID!, $room: String!) {
    roomMessages(org: $org, room: $room, first: 1) { message { body } }
  }`;
  const stream = await openStream(project, 'POST', query);
  expect((await stream.next()).event).toBe('next');
  expect(await stream.next()).toEqual({ event: 'complete', data: '' });
});

test('a room that may not be read ends the stream with the refusal', async () => {
  const project = await service.project();
  const other = await service.project();
  const stream = await openStream({ ...project, serviceKey: other.serviceKey }, 'POST');
  const { data } = await stream.next();
  expect(JSON.parse(data)).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN', source: 'gateway' } }] });
  expect((await stream.next()).event).toBe('complete');
});

test('a query is answered as a stream of one event for those who accept nothing else', async () => {
  const stream = await openStream(await service.project(), 'POST', '{ __typename }', {});
  expect(await stream.next()).toEqual({ event: 'next', data: '{"data":{"__typename":"Query"}}' });
  expect((await stream.next()).event).toBe('complete');
});

test('a subscription is refused where no stream is accepted, and follows nothing', async () => {
  const { orgId, projectId, serviceKey } = await service.project();
  const answer = await service.call<{ code: string }>(service.actors.apikey(serviceKey), 'POST', '/graphql', {
    body: { query: roomSubscription, variables: { org: orgId, room: projectId } },
    headers: { accept: 'application/json' },
  });
  expect([answer.status, answer.body.code]).toEqual([406, 'NOT_ACCEPTABLE']);
  expect(followed()).toBe(0);
});
