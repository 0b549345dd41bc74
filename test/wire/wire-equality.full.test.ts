import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { References } from '../../scripts/wire-equality/mask.ts';
import { restPart } from '../../scripts/wire-equality/parts/rest.ts';
import { report } from '../../scripts/wire-equality/report.ts';
import { runWire } from '../../scripts/wire-equality/run.ts';
import { makeSide } from '../../scripts/wire-equality/side.ts';
import { type Service, startService } from '../helpers/service.ts';

const env = { TRUSTED_PROXIES: '127.0.0.1,::1' };
const services = await Promise.all([startService({ env }), startService({ env })]);
const [one, other] = services as [Service, Service];
afterAll(() => Promise.all(services.map((service) => service.stop())));

async function sideOf(name: 'old' | 'new', { actors }: Service, url: string) {
  const { 'x-admin-key': adminKey } = await actors.admin.headers('/');
  return makeSide({ name, url, adminKey: adminKey!, checkout: undefined, home: `/home/${name}` });
}

/** A gateway that answers as another does, but for one text. */
async function changing(target: string, from: string, to: string) {
  const server = createServer((asked, answer) => {
    const { port } = new URL(target);
    const passed = request(
      { port, method: asked.method, path: asked.url, headers: asked.headers },
      async (response) => {
        let body = '';
        for await (const part of response) body += part;
        const { 'content-length': _length, ...headers } = response.headers;
        answer.writeHead(response.statusCode!, response.rawHeaders.length === 0 ? headers : kept(response.rawHeaders));
        answer.end(body.replace(from, to));
      },
    );
    asked.pipe(passed);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://localhost:${(server.address() as AddressInfo).port}`, server };
}

const kept = (raw: readonly string[]) =>
  raw.filter((_text, at) => !/^(content-length|date|connection|keep-alive)$/i.test(raw[at - (at % 2)]!));

test('a build answers as it does itself', async () => {
  const sides = [await sideOf('old', one, one.url), await sideOf('new', other, other.url)] as const;
  const outcome = await runWire(sides, [restPart], { limit: 100 });
  expect(outcome.differences).toEqual([]);
  expect(outcome.count).toBe(100);
});

test('an answer that a build changes is told, and no other', async () => {
  const { url, server } = await changing(other.url, '"display_name":"', '"display_name":"renamed ');
  const sides = [await sideOf('old', one, one.url), await sideOf('new', other, url)] as const;
  const outcome = await runWire(sides, [restPart], { limit: 60 });
  server.close();
  const told = new Set(outcome.differences.map(({ group }) => group));
  expect([...told]).toEqual(['world', 'GET /orgs/v1']);
  const text = report(outcome, { old: 'one', new: 'other', seconds: 1, acceptedCount: 0 });
  expect(text).toMatch(/old .*"display_name":"(?!renamed )/);
  expect(text).toContain('"display_name":"renamed ');
});

test('ids differ freely, but an id that comes again has to be the same one', () => {
  const [a, b, c] = [
    '0190a0b0-0000-4000-8000-00000000000a',
    '0190a0b0-0000-4000-8000-00000000000b',
    '0190a0b0-0000-4000-8000-00000000000c',
  ];
  const references = new References();
  expect(references.same(`{"id":"${a}"}`, `{"id":"${b}"}`)).toBe(true);
  expect(references.same(`{"org":"${a}"}`, `{"org":"${b}"}`)).toBe(true);
  expect(references.same(`{"org":"${a}"}`, `{"org":"${c}"}`)).toBe(false);
  expect(references.same(`{"org":"${c}"}`, `{"org":"${b}"}`)).toBe(false);
  expect(references.masked(`{"org":"${a}"}`)).toBe(references.masked(`{"org":"${b}"}`));
});

test.each([
  ['a word', '{"state":"active"}', '{"state":"Active"}'],
  ['a number', '{"count":5}', '{"count":6}'],
  ['the order of members', '{"a":1,"b":2}', '{"b":2,"a":1}'],
  ['a time that is none', '{"at":"2026-01-02T03:04:05Z"}', '{"at":null}'],
  ['an id of another kind', '{"id":"msg_0kz3m0kz3m0kz3m0kz3m0kz3m0"}', '{"id":"prj_0kz3m0kz3m0kz3m0kz3m0kz3m1"}'],
  ['a name in camel case', 'acknowledgeEscalationByToken', 'acknowledgeEscalationsByToken'],
  ['a header', 'HTTP 200\ncache-control: no-store', 'HTTP 200\nCache-Control: no-store'],
])('%s that differs is told', (_what, old, next) => {
  expect(new References().same(old, next)).toBe(false);
});
