import { setTimeout as sleep } from 'node:timers/promises';
import { isObjectType } from 'graphql';
import WebSocket from 'ws';
import type { Exchange } from '../exchange.ts';
import { http, nextAddress } from '../http.ts';
import { type Caller, callers, fill, type Side } from '../side.ts';
import { newWorld } from '../world.ts';
import { documentOf, schemaOf } from './graphql-fields.ts';

/** How long frames are waited for behind the last change, in milliseconds; on a busy machine one may take a while. */
const quietMs = 700;

const following: readonly Caller[] = ['nobody', 'stranger', 'viewer', 'service key', 'admin', 'person', 'owner'];

/** Every subscription that either build has, over WebSocket and as a stream of events: what is there, and what a change adds. */
export async function* subscriptionsPart(sides: readonly Side[]): AsyncIterable<Exchange> {
  yield* newWorld(sides);
  const schemas = [await schemaOf(sides.at(-1)!), await schemaOf(sides[0]!)];
  const fields = schemas.flatMap((schema) => {
    const type = schema.getSubscriptionType();
    return isObjectType(type)
      ? Object.values(type.getFields()).map((field) => [field.name, { field, schema }] as const)
      : [];
  });
  for (const [name, { field, schema }] of new Map(fields)) {
    const plain = documentOf('subscription', field, schema, { depth: 2 });
    for (const as of following) {
      yield overSocket(`subscription ${name}`, 'plain', as, plain, as === 'owner' ? 'owner' : undefined);
      yield overEvents(`subscription ${name}`, as, plain);
    }
    yield overSocket(
      `subscription ${name}`,
      'with all arguments',
      'owner',
      documentOf('subscription', field, schema, { all: true, depth: 2 }),
    );
    yield overSocket(`subscription ${name}`, 'of another type', 'owner', {
      ...plain,
      variables: { org: 5, room: {}, project: [] },
    });
    yield overSocket(`subscription ${name}`, 'from a wrong cursor', 'owner', {
      ...plain,
      query: plain.query.replace(/\)(?= \{ \w+ )/, ''),
    });
  }
  yield* handshakes();
  yield* live();
}

interface Document {
  readonly query: string;
  readonly variables: Record<string, unknown>;
}

const overEvents = (group: string, as: Caller, document: Document): Exchange =>
  http({
    group,
    name: `as ${as}, as events`,
    as,
    method: 'POST',
    path: '/graphql',
    body: document,
    headers: { accept: 'text/event-stream' },
    streams: true,
  });

/** Changes that every feed tells of, made while it is followed. */
async function change(side: Side): Promise<void> {
  const send = async (as: Caller, method: string, path: string, body: object) => {
    const at = fill(path, side);
    await fetch(side.url + at, {
      method,
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': nextAddress(),
        ...(await callers[as](side, at)),
      },
      body: fill(JSON.stringify(body), side),
    }).then((answer) => answer.text());
    // Feeds are apart, and tell each change in its own time: one after the other they come in one order.
    await sleep(60);
  };
  const room = '/orgs/v1/{{org}}/rooms/{{room}}';
  await send('owner', 'POST', `${room}/messages`, { session_key: 'wire', requested_name: 'wire', body: 'News' });
  await send('owner', 'POST', `${room}/claims`, {
    session_key: 'wire',
    requested_name: 'wire',
    resource: 'deploy',
    mode: 'shared',
  });
  await send('service key', 'POST', '/projects/v1/{{project}}/events', { event_type: 'order_paid' });
  await send('service key', 'POST', '/admin/v1/rest/notes', { body: 'News' });
  await send('owner', 'POST', '/orgs/v1/{{org}}/escalations/{{escalation}}/ack', {});
}

/** @param changes whether something happens while it is followed */
function overSocket(group: string, name: string, as: Caller, document: Document, changes?: Caller): Exchange {
  return {
    group,
    name: `as ${as}, over a socket, ${name}`,
    ask: (side) =>
      socketFrames(side, '/graphql', as, async (send) => {
        send({ id: '1', type: 'subscribe', payload: JSON.parse(fill(JSON.stringify(document), side)) });
        await sleep(quietMs / 2);
        if (changes !== undefined) await change(side);
      }),
  };
}

/** All that a socket is sent, and how it is closed. */
async function socketFrames(
  side: Side,
  path: string,
  as: Caller,
  run: (send: (message: unknown) => void) => Promise<void>,
  { protocol = 'graphql-transport-ws', init = true }: { protocol?: string; init?: boolean } = {},
): Promise<string> {
  const credentials = await callers[as](side, path);
  const socket = new WebSocket(side.url.replace('http', 'ws') + path, protocol, {
    headers: { 'x-forwarded-for': nextAddress() },
  });
  const frames: string[] = ['frames'];
  const opened = new Promise<boolean>((resolve) => {
    socket.on('open', () => resolve(true));
    socket.on('unexpected-response', (_request, response) => {
      frames.push(`refused ${response.statusCode}`);
      resolve(false);
    });
    socket.on('error', () => resolve(false));
  });
  let at = performance.now();
  const acknowledged = new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      at = performance.now();
      frames.push(String(data));
      resolve();
    });
    socket.on('close', (code, reason) => {
      frames.push(`closed ${code} ${reason}`);
      resolve();
    });
  });
  if (!(await opened)) return frames.join('\n');
  const send = (message: unknown) => socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  if (init) {
    send({ type: 'connection_init', payload: credentials });
    await acknowledged;
  }
  if (socket.readyState === WebSocket.OPEN) await run(send);
  while (socket.readyState === WebSocket.OPEN && performance.now() - at < quietMs) await sleep(20);
  socket.removeAllListeners('close').terminate();
  return frames.join('\n');
}

/** What clients do wrong on a socket. */
function* handshakes(): Iterable<Exchange> {
  const group = 'sockets';
  const ping = { type: 'ping' };
  const subscribe = { id: '1', type: 'subscribe', payload: { query: '{ __typename }' } };
  const wrong: readonly (readonly [string, readonly unknown[]])[] = [
    ['a ping', [ping]],
    ['a query', [subscribe]],
    [
      'the same id twice',
      [{ ...subscribe, payload: { query: 'subscription { auditProgress { __typename } }' } }, subscribe],
    ],
    ['no message', ['x']],
    ['an unknown type', [{ type: 'nothing' }]],
    ['init twice', [{ type: 'connection_init' }]],
    ['no query', [{ id: '1', type: 'subscribe', payload: {} }]],
    ['a broken query', [{ id: '1', type: 'subscribe', payload: { query: '{' } }]],
    ['a completed one', [subscribe, { id: '1', type: 'complete' }]],
  ];
  for (const path of ['/graphql', '/projects/v1/{{project}}/graphql', '/nothing'])
    for (const [name, messages] of wrong)
      yield {
        group,
        name: `${name} at ${path}`,
        ask: (side) =>
          socketFrames(side, fill(path, side), 'owner', async (send) => {
            for (const message of messages) send(message);
          }),
      };
  for (const protocol of ['graphql-ws', 'nothing'])
    yield {
      group,
      name: `protocol ${protocol}`,
      ask: (side) => socketFrames(side, '/graphql', 'nobody', async (send) => send(ping), { protocol }),
    };
  yield {
    group,
    name: 'a query before its init',
    ask: (side) => socketFrames(side, '/graphql', 'nobody', async (send) => send(subscribe), { init: false }),
  };
}

/** Changes of rows, which project keys follow. */
function* live(): Iterable<Exchange> {
  for (const as of ['nobody', 'stranger', 'anon key', 'service key', 'user', 'owner'] as const)
    for (const search of [
      'tables=notes',
      'tables=notes,tasks',
      'tables=no_such',
      'tables=',
      'tables=notes&cursor=wrong',
      'tables=notes&wait=0',
    ])
      for (const [path, streams] of [
        ['/live/v1', true],
        ['/live/v1/changes', false],
      ] as const)
        yield http({
          group: `live ${path}`,
          name: `as ${as}`,
          as,
          method: 'GET',
          path: `${path}?project_id={{project}}&${search}`,
          ...(streams ? { streams } : {}),
          headers: { accept: '*/*' },
        });
}
