import diagnostics from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const service = await startService({ nodes: 1 });
afterAll(() => service.stop());
const { actors, call } = service;

const mebibyte = 1024 * 1024;

/** Each message is two thirds of a mebibyte of JSON: few of them fill what the system keeps for a connection. */
const query = `subscription ($org: ID!, $room: String!, $after: String) {
  roomMessages(org: $org, room: $room, after: $after) {
    cursor message { body ${Array.from({ length: 20 }, (_, n) => `b${n}: body`).join(' ')} } }
}`;

/** What the server has been given to send for each stream and could not yet hand to the system. */
const answers: ServerResponse[] = [];
const note = (message: unknown) => {
  const { request: asked, response } = message as { request: IncomingMessage; response: ServerResponse };
  if (/event-stream|multipart/.test(asked.headers.accept ?? '')) answers.push(response);
};
diagnostics.subscribe('http.server.request.start', note);
afterAll(() => void diagnostics.unsubscribe('http.server.request.start', note));
const waiting = (response: ServerResponse) => response.writableLength + (response.socket?.writableLength ?? 0);

async function loudRoom() {
  const { wallet, orgId, projectId, serviceKey } = await service.project();
  const raise = { limits: { writes_per_second: 1e6, writes_burst: 1e6 } };
  await call(actors.admin, 'POST', `/orgs/v1/admin/${orgId}/limits`, { body: raise });
  const sent: string[] = [];
  return {
    sent,
    async send() {
      const body = `${sent.length} `.padEnd(32 * 1024, '. The quick brown fox');
      sent.push(body);
      const path = `/orgs/v1/${orgId}/rooms/${projectId}/messages`;
      expect((await call(wallet, 'POST', path, { body: { body } })).status).toBe(201);
    },
    async open(accept: string, after?: string) {
      const asked: ClientRequest = request(`${service.url}/graphql`, {
        method: 'POST',
        headers: { accept, 'content-type': 'application/json', apikey: serviceKey },
        agent: false,
      });
      asked.end(JSON.stringify({ query, variables: { org: orgId, room: projectId, after } }));
      const [response] = (await once(asked, 'response')) as [IncomingMessage];
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('error', () => {});
      /** What was received whole. */
      const events = () =>
        [...text.matchAll(/^(?:data: )?(\{"data":\{"roomMessages":.*\})\r?$/gm)].map(
          ([, json]) => JSON.parse(json!).data.roomMessages as { cursor: string; message: { body: string } },
        );
      return {
        response,
        events,
        bodies: () => events().map(({ message }) => message.body),
        end: () => asked.destroy(),
      };
    },
  };
}

test.each(['text/event-stream', 'multipart/mixed'])(
  'a stream of %s that nobody reads costs bounded memory, holds up nobody, and can be resumed by its cursor',
  async (accept) => {
    const { sent, send, open } = await loudRoom();
    const slow = await open(accept);
    const answer = answers.at(-1)!;
    const quick = await open('text/event-stream');
    const all = (reader: { readonly bodies: () => string[] }) =>
      until(() => {
        const bodies = reader.bodies();
        expect(bodies).toHaveLength(sent.length);
        expect(bodies.findIndex((body, index) => body !== sent[index])).toBe(-1);
      });
    await send();
    for (const reader of [slow, quick]) await all(reader);
    slow.response.pause();
    // What the system itself keeps for a connection has to be filled first; then as much again.
    while (waiting(answer) === 0) await send();
    const stuckAt = waiting(answer);
    for (let n = 0; n < 20; n++) await send();
    await all(quick);
    // Of twenty events of two thirds of a mebibyte not one more was made up than fits behind the one that is stuck.
    expect(waiting(answer)).toBeLessThan(stuckAt + mebibyte);
    expect(waiting(answer)).toBeLessThan(4 * mebibyte);

    const got = slow.events();
    slow.end();
    const resumed = await open(accept, got.at(-1)!.cursor);
    await all({ bodies: () => [...got.map(({ message }) => message.body), ...resumed.bodies()] });
    for (const reader of [resumed, quick]) reader.end();
    await until(async () => expect(await service.gauge('feed_followers')).toBe(0));
  },
  120_000,
);
