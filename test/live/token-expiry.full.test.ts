import { createClient } from 'graphql-ws';
import { SignJWT } from 'jose';
import { afterAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { findProjectTarget } from '../../kernel/access/project-target.ts';
import { signingKeys } from '../../resolvers/auth/signing-keys.ts';
import { signSessionToken } from '../../resolvers/identity/shared/session-token.ts';
import { claimsOf } from '../auth/auth-project.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { liveProject, notes, tasks } from './live-project.ts';

// A token expires while something is followed by it, and the session stands.

const service = await startService();
const project = await liveProject(service);
await project.expose(notes, tasks);
afterAll(() => service.stop());

/** So long the tokens of these tests last, in seconds. */
const briefSeconds = 6;

/** A user of the project with a token that is about to expire, and one that is not. */
async function user() {
  const { access_token: lasting } = await project.signedIn();
  const keys = await signingKeys(
    service.app.services,
    await findProjectTarget(service.app.services, project.projectId),
  );
  const brief = await new SignJWT({ ...claimsOf(lasting), exp: Math.floor(Date.now() / 1000) + briefSeconds })
    .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: keys.kid })
    .sign(keys.signing);
  return { brief, lasting };
}

/** graphql-ws as it is published, which signs in with one token at first and then with another. */
function followed(path: string, query: string, headersOf: (time: number) => Record<string, string>) {
  const events: { readonly data?: unknown; readonly errors?: unknown }[] = [];
  const closes: { readonly code: number; readonly reason: string }[] = [];
  let asked = 0;
  let over = false;
  const client = createClient({
    url: `${service.url.replace(/^http/, 'ws')}${path}`,
    webSocketImpl: WebSocket,
    connectionParams: () => headersOf(asked++),
    on: { closed: (event) => void closes.push(event as (typeof closes)[number]) },
  });
  client.subscribe(
    { query },
    {
      next: (event) => void events.push(event as (typeof events)[number]),
      error: () => (over = true),
      complete: () => (over = true),
    },
  );
  return { client, events, closes, asked: () => asked, over: () => over };
}

const tokenExpired = { code: 4403, reason: JSON.stringify({ code: 'INVALID_AUTH', reason: 'token_expired' }) };

test('on the graph of a project graphql-ws asks for the token again and goes on, without a word to its subscriber', async () => {
  const { brief, lasting } = await user();
  const path = `/projects/v1/${project.projectId}/graphql`;
  const told = followed(path, 'subscription { notesHints { cursor hint { op } } }', (time) => ({
    apikey: project.anonKey,
    authorization: `Bearer ${time === 0 ? brief : lasting}`,
  }));
  await until(() => expect(told.closes.length).toBeGreaterThan(0));
  expect(told.closes[0]).toMatchObject(tokenExpired);
  await until(() => expect(told.asked()).toBe(2));
  await until(async () => {
    await project.run(`insert into notes (body) values ('x')`);
    expect(told.events.at(-1)).toMatchObject({ data: { notesHints: { hint: { op: 'INSERT' } } } });
  });
  expect(told.events.filter(({ errors }) => errors !== undefined)).toEqual([]);
  expect(told.over()).toBe(false);
  await told.client.dispose();
});

test('on the platform’s graph graphql-ws asks for the token again and goes on', async () => {
  const { orgId, projectId, principalId, wallet } = await service.project();
  const session = await service.actors.session({ principalId });
  const named = { id: session.sessionId, kind: 'control_plane', subject: principalId } as const;
  const signed = (at: number) =>
    signSessionToken(service.app.services.keys, { ...named, provenance: 'loopback_pkce', amrTimes: {} }, new Date(at));
  const [brief, lasting] = [await signed(Date.now() - (900 - briefSeconds) * 1000), await signed(Date.now())];
  const query = `subscription { roomMessages(org: "${orgId}", room: "${projectId}") { message { body } } }`;
  const told = followed('/graphql', query, (time) => ({ authorization: `Bearer ${time === 0 ? brief : lasting}` }));
  await until(() => expect(told.closes.length).toBeGreaterThan(0));
  expect(told.closes[0]!.code).toBe(4403);
  await until(() => expect(told.asked()).toBe(2));
  await service.graphql(
    wallet,
    `mutation { sendRoomMessage(input: { org: "${orgId}", room: "${projectId}", body: "hello" }) { body } }`,
  );
  await until(() => expect(told.events.at(-1)).toEqual({ data: { roomMessages: { message: { body: 'hello' } } } }));
  expect(told.events.filter(({ errors }) => errors !== undefined)).toEqual([]);
  expect(told.over()).toBe(false);
  await told.client.dispose();
});

test('a token that expires with none to follow it ends the subscription after the retries of the client', async () => {
  const { brief } = await user();
  const path = `/projects/v1/${project.projectId}/graphql`;
  const client = createClient({
    url: `${service.url.replace(/^http/, 'ws')}${path}`,
    webSocketImpl: WebSocket,
    retryAttempts: 1,
    connectionParams: { apikey: project.anonKey, authorization: `Bearer ${brief}` },
  });
  const error = await new Promise((resolve) =>
    client.subscribe(
      { query: 'subscription { notesHints { cursor } }' },
      { next: () => {}, error: resolve, complete: () => {} },
    ),
  );
  expect(error).toMatchObject(tokenExpired);
  await client.dispose();
});

test('event streams and requests say the same of an expired token, and advise to refresh it', async () => {
  const { brief } = await user();
  const headers = { apikey: project.anonKey, authorization: `Bearer ${brief}` };
  const [live, graph] = [
    await project.stream({ tables: 'notes', bearer: brief }),
    await fetch(`${service.url}/projects/v1/${project.projectId}/graphql`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query: 'subscription { notesHints { cursor } }' }),
    }),
  ];
  const ended = await live.until(({ event }) => event === 'reconnect');
  expect(ended.at(-1)).toMatchObject({ data: { reason: 'token_expired' } });
  const text = await graph.text();
  expect(text).toContain('"reason":"token_expired"');
  expect(text).toContain('Refresh the user’s token.');
  for (const path of ['/rest/v1/notes', '/auth/v1/user', `/live/v1?tables=notes`]) {
    const refused = await service.call<Record<string, unknown>>(service.actors.nobody, 'GET', path, { headers });
    expect(refused, path).toMatchObject({
      status: 401,
      body: {
        code: 'INVALID_AUTH',
        details: { reason: 'token_expired' },
        next_actions: [{ type: 'authenticate', why: 'Refresh the user’s token.' }],
      },
    });
  }
  // A token that was changed is none that has expired, whatever it says of its time.
  const changed = `${brief.slice(0, -10)}AAAAAAAAAA`;
  const refused = await service.call<{ details: object }>(service.actors.nobody, 'GET', '/rest/v1/notes', {
    headers: { ...headers, authorization: `Bearer ${changed}` },
  });
  expect([refused.status, refused.body.details]).toEqual([401, {}]);
});
