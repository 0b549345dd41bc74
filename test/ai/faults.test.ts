import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { completion, faults, type Instead } from '../helpers/ai-server.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { startAiWorld } from './stage.ts';

/** Words that no log, no error and no trail may hold. */
const canary = 'CanaryPromptZebra';
const said = 'CanaryAnswerOkapi';

const world = await startAiWorld();
afterAll(() => world.stop());
const { server, service, project, holds } = world;

// Something that only this machine can reach, on an address that a server names.
const secret = createServer((_request, response) => response.end('inside'));
await new Promise<void>((listening) => secret.listen(0, '127.0.0.1', listening));
afterAll(() => void secret.close());
const inside = `http://127.0.0.1:${(secret.address() as AddressInfo).port}/`;

const says = (content: string | null, finish?: string): Instead => faults.says(200, completion(content, finish));
const twice = (fault: Instead) => [fault, fault];

interface Fault {
  readonly name: string;
  readonly answers: readonly Instead[];
  readonly reason: string;
}

const everywhere: readonly Fault[] = [
  { name: 'an error under 200', answers: [faults.error(`${said} ${canary}`)], reason: 'unusable' },
  { name: 'a page', answers: [faults.html], reason: 'unusable' },
  { name: 'two gigabytes', answers: [faults.huge], reason: 'unusable' },
  { name: 'a redirect into the network', answers: [faults.redirects(inside)], reason: 'refused' },
  { name: 'a refusal of its key', answers: [faults.says(401, { error: { message: said } })], reason: 'refused' },
  { name: 'an answer of no use', answers: [faults.says(200, [])], reason: 'unusable' },
];

const ofText: readonly Fault[] = [
  { name: 'a fault, twice', answers: twice(faults.says(500, { error: { message: said } })), reason: 'refused' },
  { name: 'a closed connection, twice', answers: twice(faults.hangsUp), reason: 'unreachable' },
];

const ofTranslations: readonly Fault[] = [
  { name: 'no choices', answers: [faults.says(200, { ...completion(''), choices: [] })], reason: 'unusable' },
  { name: 'no content', answers: [says(null)], reason: 'unusable' },
  { name: 'prose', answers: [says(`Sure! ${said}`)], reason: 'unusable' },
  { name: 'JSON of another kind', answers: [says(JSON.stringify({ text: said }))], reason: 'unusable' },
  { name: 'half a translation', answers: [says(JSON.stringify({ translation: said }), 'length')], reason: 'unusable' },
  { name: 'an essay', answers: [says(JSON.stringify({ translation: said.repeat(100) }))], reason: 'unusable' },
];

test.each([...everywhere, ...ofText, ...ofTranslations])(
  'a translator that answers $name costs no words',
  async (fault) => {
    const { translate, usage } = await project();
    server.next(...fault.answers);
    const answer = await translate({ text: canary });
    expect(answer.status).toBe(502);
    expect(answer.body).toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      retryable: true,
      safe_to_retry: true,
      details: { kind: 'translate', reason: fault.reason },
    });
    expect(answer.text).not.toMatch(new RegExp(`${canary}|${said}`));
    expect((await usage()).used_words).toBe(0);
    expect(await holds()).toBe(0);
  },
);

test.each([
  ...everywhere,
  ...ofText,
  { name: 'no results', answers: [faults.says(200, { results: [] })], reason: 'unusable' },
  {
    name: 'scores beyond 1',
    answers: [faults.says(200, { results: [{ flagged: true, categories: {}, category_scores: { hate: 7 } }] })],
    reason: 'unusable',
  },
])('a moderator that answers $name gives a clear refusal', async ({ answers, reason }) => {
  const { moderate } = await project();
  server.next(...answers);
  const answer = await moderate(canary);
  expect([answer.status, answer.body.details]).toEqual([502, { kind: 'moderate', reason }]);
  expect(answer.text).not.toMatch(new RegExp(`${canary}|${said}`));
});

const image = (data: unknown): Instead => faults.says(200, { created: 1, data });

test.each([
  ...everywhere,
  { name: 'a fault', answers: [faults.says(500, { error: { message: said } })], reason: 'refused' },
  { name: 'no image', answers: [image([])], reason: 'unusable' },
  {
    name: 'text in place of one',
    answers: [image([{ b64_json: btoa('<svg onload="alert(1)"/>') }])],
    reason: 'unusable',
  },
  { name: 'an address in the network', answers: [image([{ url: inside }])], reason: 'unusable' },
  { name: 'an address of a file', answers: [image([{ url: 'file:///etc/passwd' }])], reason: 'unusable' },
])('a painter that answers $name costs nothing', async ({ answers, reason }) => {
  const { image: make, balance } = await project({ credit: 30_000 });
  server.next(...answers);
  const answer = await make({ prompt: canary });
  expect([answer.status, answer.body.details]).toEqual([502, { kind: 'image', reason }]);
  expect(answer.text).not.toMatch(new RegExp(`${canary}|${said}`));
  expect(await balance()).toEqual({ available: 30_000, held: 0 });
  expect(await holds()).toBe(0);
});

test('a prompt that the model refuses is the caller’s to change', async () => {
  const { image: make, balance } = await project({ credit: 30_000 });
  server.next(faults.says(400, { error: { message: `${said} ${canary}`, code: 'content_policy_violation' } }));
  const answer = await make({ prompt: canary });
  expectRefusal(answer, 'VALIDATION_FAILED', { field: 'prompt' });
  expect(answer.text).not.toMatch(new RegExp(`${canary}|${said}`));
  expect((await balance()).available).toBe(30_000);
});

test('a server that is busy says until when', async () => {
  const { translate, usage } = await project();
  server.next(faults.says(429, { error: { message: said } }, { 'retry-after': '17' }));
  const answer = await translate({ text: canary });
  expectRefusal(answer, 'RATE_LIMITED', { kind: 'translate', retry_after: 17 });
  expect(answer.headers.get('retry-after')).toBe('17');
  server.next(faults.says(429, {}, { 'retry-after': '-1e99' }));
  expect((await translate({ text: canary })).headers.get('retry-after')).toBe('10');
  expect((await usage()).used_words).toBe(0);
});

test('a fault that passes is not noticed, and the words count once', async () => {
  const { translate, usage } = await project();
  server.next(faults.says(503, {}));
  expect((await translate({ text: 'Hello' })).body.text).toBe('hola');
  server.next(faults.hangsUp);
  expect((await translate({ text: 'Hello' })).body.text).toBe('hola');
  server.next(faults.mislabelled(completion('```json\n{"translation":"hola","from":"en"}\n```')));
  expect((await translate({ text: 'Hello' })).body.text).toBe('hola');
  expect((await usage()).used_words).toBe(3);
});

test('a caller that hangs up ends the question, and nothing stays reserved', async () => {
  const { serviceKey, usage, balance } = await project({ credit: 30_000 });
  for (const [path, body] of [
    ['/ai/v1/translate', { text: canary, to: 'es' }],
    ['/generate-image/v1', { prompt: canary }],
  ] as const) {
    const gone = server.gone();
    const gate = faults.gated({});
    server.next(gate.instead);
    const call = new AbortController();
    const sent = fetch(service.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${serviceKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: call.signal,
    }).catch(() => undefined);
    await gate.arrived;
    expect(await holds()).toBe(1);
    call.abort();
    await sent;
    await expect.poll(() => server.gone()).toBe(gone + 1);
    await expect.poll(holds).toBe(0);
    gate.open();
  }
  expect((await usage()).used_words).toBe(0);
  expect(await balance()).toEqual({ available: 30_000, held: 0 });
});

test('neither what is asked nor what is said is in the log, the trail or the database', async () => {
  const { translate, moderate, image: make, key } = await project({ credit: 30_000 });
  server.next(says(JSON.stringify({ translation: said, from: 'en' })));
  expect((await translate({ text: canary, context: canary }, { 'idempotency-key': 'once' })).body.text).toBe(said);
  expect((await moderate(canary)).status).toBe(200);
  expect((await make({ prompt: canary })).status).toBe(200);
  await service.graphql(key, `{ moderateText(text: "${canary}") { flagged } }`);
  await service.graphql(key, `{ moderateText(text: "${canary}") { nothing } }`);
  expect(service.logged().length).toBeGreaterThan(0);
  expect(JSON.stringify(service.logged())).not.toMatch(new RegExp(`${canary}|${said}`));
  const tables = await service.control.sql<{ name: string }>(
    `select quote_ident(relname) as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`,
  );
  for (const { name } of tables) {
    const found = await service.control.sql(
      `select 1 from ${name} as one where one::text ~ '${canary}|${said}' limit 1`,
    );
    expect([name, found.length]).toEqual([name, 0]);
  }
});
