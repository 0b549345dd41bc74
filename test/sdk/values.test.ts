import { afterAll, expect, test } from 'vitest';
import { createClient, eq, projectKey, type SvcError } from '../../clients/sdk/src/index.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { ownProject } from './sdk-stage.ts';

const service = await sharedService();
afterAll(() => service.stop());
const { client, org, project, anonKey, serviceKey } = await ownProject(service);
await client.projects.sql({
  project,
  sql: 'create table "größe 👗" (id int primary key, "Ärmel länge" text, n numeric, body text)',
});
const server = createClient({ baseUrl: service.url, credential: projectKey({ key: serviceKey }) });

const hard = 'e\u0301 — 👩‍👩‍👧‍👦 ‮abc‬ \u{1F9E2}\t"quoted" \\ %2F /../?#&=+,;: ﷽ \u2028 \ufeff end';

test('whatever a text holds, it comes back as it was: in bodies, paths, queries, events and rows', async () => {
  const room = 'hard-texts';
  const events = client.rooms.follow({ org, room });
  const arriving = events.next();
  const sent = await client.rooms.sendMessage({ org, room, body: hard, threadId: 'fäden/👋?x=%20&#' });
  expect((await arriving).value?.message.body).toBe(hard);
  await events.return();
  expect((await client.rooms.getMessage({ org, room, message: sent.messageId })).body).toBe(hard);
  const { messages } = await client.rooms.listMessages({ org, room, threadId: 'fäden/👋?x=%20&#' });
  expect(messages.map(({ messageId }) => messageId)).toEqual([sent.messageId]);
  const rows = server.rest<{ id: number; 'Ärmel länge': string; n: number }>('größe 👗', { admin: true });
  expect(await rows.insert({ id: 1, 'Ärmel länge': hard, n: 1.5 })).toMatchObject([{ 'Ärmel länge': hard }]);
  const name = '"Ärmel länge"';
  expect(await rows.select({ columns: `id,${name}`, where: { 'Ärmel länge': eq(hard) } })).toEqual([
    { id: 1, 'Ärmel länge': hard },
  ]);
  const payload = { [hard]: { snake_case: 1, camelCase: 2, __proto: 3 }, list: [{ a_b: null }] };
  const { payload: told } = await createClient({
    baseUrl: service.url,
    credential: { headers: () => ({ authorization: `Bearer ${serviceKey}` }) },
  }).events.emit({ project, eventType: 'kept_as_given', payload });
  expect(told).toEqual(payload);
});

test('answers of many megabytes are read whole', async () => {
  const rows = server.rest<{ id: number; body: string }>('größe 👗', { admin: true });
  const body = 'ä'.repeat(100_000);
  for (let id = 100; id < 140; id += 10)
    await rows.insert(Array.from({ length: 4 }, (_none, at) => ({ id: id + at, body })));
  const big = await rows.select({ columns: 'id,body', where: { id: 'gte.100' }, order: 'id' });
  expect(big).toHaveLength(16);
  expect(big.every((row) => row.body === body)).toBe(true);
});

test('a body that is too large is refused with its code, and not sent twice', async () => {
  let sent = 0;
  const counting = createClient({
    baseUrl: service.url,
    credential: projectKey({ key: anonKey }),
    fetch: (url, init) => {
      sent++;
      return fetch(url, init);
    },
  });
  const error = await counting.auth
    .signup({ email: 'a@example.com', password: 'x'.repeat(3_000_000) })
    .catch((one: SvcError) => one);
  expect(error).toMatchObject({ code: expect.stringMatching(/TOO_LARGE|NETWORK_ERROR/) });
  expect(sent).toBe(1);
});
