import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { createClient, type Method, SvcError } from '../../clients/sdk/src/index.ts';
import { apiCode, isApiPath } from '../../rest-compat/problem.ts';
import type { PlainSchema } from '../../scripts/surfaces/plain-schema.ts';
import { type Surface, surfaces } from '../../scripts/surfaces.ts';
import { inputOf } from '../access/surface-inputs.ts';
import { type CallerName, callers, codes, stageSurfaces } from '../access/surface-stage.ts';
import { auditedSite } from '../access/surfaces/audits.ts';
import type { Actor } from '../helpers/actors.ts';
import { sample } from '../helpers/sample.ts';
import { startService } from '../helpers/service.ts';
import { startSites } from '../helpers/site-server.ts';

// Every method that is printed, called with real input beside the table of documented paths.

const sites = await startSites({ [auditedSite]: { '/': '<title>Audited</title>' } });
const service = await startService({ auditTrial: sites.trial, env: { MAIL_LISTEN: '127.0.0.1:0' } });
afterAll(async () => {
  await service.stop();
  sites.close();
});
const stage = await stageSurfaces(service);

type Json = Record<string, unknown>;

/** A client of somebody's that keeps what was asked and answered last. */
function clientOf(actor: Actor) {
  const last: { request?: string; text?: string } = {};
  const client = createClient({
    baseUrl: service.url,
    retry: { times: 0 },
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      last.request = `${init!.method} ${String(url).slice(service.url.length)}`;
      last.text = await response.clone().text();
      return response;
    },
  });
  // Given with the call, so that it goes to the paths that ask nobody, too.
  const credential = { headers: ({ path }: { readonly path: string }) => actor.headers(path) };
  return { client: client as unknown as Record<string, Record<string, Method<Json, unknown>>>, credential, last };
}

const camel = (name: string) => name.replace(/_[a-z]/g, (found) => found[1]!.toUpperCase());

/** An answer as its schema says that it is to be spelt: declared names in camel case, all others as they came. */
function spelt(value: unknown, schema: PlainSchema): unknown {
  const branches = schema.anyOf ?? schema.oneOf ?? [schema];
  const own = branches.find((one) => fits(value, one)) ?? schema;
  if (own !== schema) return spelt(value, own);
  if (Array.isArray(value)) return value.map((one) => spelt(one, schema.items ?? {}));
  const closed = schema.properties !== undefined && schema.additionalProperties !== true;
  if (typeof value !== 'object' || value === null || !closed || typeof schema.additionalProperties === 'object')
    return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [camel(name), spelt(member, schema.properties![name] ?? {})]),
  );
}

const fits = (value: unknown, { type, properties = {} }: PlainSchema): boolean =>
  Array.isArray(value)
    ? type === 'array'
    : value === null
      ? type === 'null'
      : typeof value === 'object'
        ? type === 'object' &&
          Object.keys(value).every((name) => name in properties || Object.keys(properties).length === 0)
        : type !== 'object' && type !== 'array' && type !== 'null';

/** Inputs as TypeScript spells them, by their schema. */
const asGiven = (input: Json, schema: PlainSchema) => spelt(input, schema) as Json;

// In the order of the table, which ends with the project's deletion.
const rank = ({ path }: Surface) => Object.keys(stage.surfaces).indexOf(`${path!.method} ${path!.path}`);
const called = surfaces()
  .filter(({ path }) => path !== undefined && !path.answersBytes)
  .toSorted((one, other) => rank(one) - rank(other));
const cellOf = ({ path }: Surface, caller: CallerName) =>
  stage.surfaces[`${path!.method} ${path!.path}`]!.cells.split(' ')[callers.indexOf(caller)]!;
const may = (surface: Surface) => callers.find((caller) => cellOf(surface, caller) === '+');

const cases = called.map((surface) => ({ name: surface.name, surface, caller: may(surface) }));

test('nearly every operation has somebody who may', () => {
  expect(
    cases
      .filter(({ caller }) => caller === undefined)
      .map(({ name }) => name)
      .sort(),
  ).toEqual([
    'ai.generateImage',
    'ai.moderate',
    'ai.translate',
    'allowance.adminFaucet',
    'allowance.faucet',
    'archives.commitUpload',
    'archives.import',
    'archives.inspect',
    'archives.verify',
    'audit.buy',
    'billing.createCheckout',
    'billing.getCheckout',
    'channelCommunities.activate',
    'ci.createBinding',
    'contracts.call',
    'contracts.deleteSigner',
    'contracts.deploy',
    'contracts.drain',
    'contracts.read',
    'notices.connectChat',
    'notices.rotateSecret',
    'notices.test',
    'operator.enrollPasskey',
    'products.buyPack',
    'products.buySource',
    'rooms.claimInvite',
    'vouchers.list',
    'vouchers.mint',
    'vouchers.mintPublic',
  ]);
});

test.each(sample(cases, 3))('$name refuses whoever may not with the error of its path', async ({ surface }) => {
  const { method, path } = surface.path!;
  const caller = callers.find((one) => cellOf(surface, one) !== '+');
  if (caller === undefined) return expect(cellOf(surface, 'nobody')).toBe('+');
  const { prepare } = stage.surfaces[`${method} ${path}`]!;
  Object.assign(stage.params, await prepare?.());
  const { client, credential, last } = clientOf(stage.actors[caller]);
  const input = asGiven(inputOf(stage, surface), surface.input);
  const error = await client[surface.namespace]![surface.method]!(input, { credential }).catch((one: unknown) => one);
  expect(error).toBeInstanceOf(SvcError);
  const { code, status, envelope, nextActions, retryable, safeToRetry } = error as SvcError;
  const [refused, own] = codes[cellOf(surface, caller)]!;
  const told = JSON.parse(last.text!) as Json;
  expect([status, code]).toEqual([
    refused,
    own === undefined ? 'PAYMENT_REQUIRED' : isApiPath(path) ? apiCode(own) : own,
  ]);
  if (own !== undefined) expect(envelope).toMatchObject(told);
  expect({ nextActions, retryable, safeToRetry }).toEqual({
    nextActions: told.next_actions ?? [],
    retryable: told.retryable ?? false,
    safeToRetry: told.safe_to_retry ?? false,
  });
});

test.each(sample(cases, 2).filter(({ caller }) => caller !== undefined))(
  '$name answers $caller what its path answers, in camel case',
  async ({ surface, caller }) => {
    const { method, path } = surface.path!;
    const { prepare } = stage.surfaces[`${method} ${path}`]!;
    Object.assign(stage.params, await prepare?.());
    const { client, credential, last } = clientOf(stage.actors[caller!]);
    const options = { credential, ...(surface.idempotencyKey === 'required' ? { idempotencyKey: randomUUID() } : {}) };
    const answer = await client[surface.namespace]![surface.method]!(
      asGiven(inputOf(stage, surface), surface.input),
      options,
    );
    const asked = path.replaceAll(/:(\w+)/g, (_all, name: string) => encodeURIComponent(stage.params[name]!));
    expect(last.request!.split('?')[0]).toBe(`${method} ${asked}`);
    expect(answer).toEqual(spelt(JSON.parse(last.text!), surface.answer));
  },
);

test('a download is answered as it comes, whole, in part, or by its headers alone', async () => {
  const { token } = (await stage.surfaces['GET /api/downloads/:token']!.prepare!())!;
  const { downloads } = createClient({ baseUrl: service.url });
  const whole = await downloads.take({ token: token! });
  expect([whole.status, await whole.text(), whole.headers.get('content-type')]).toEqual([
    200,
    'zip',
    'application/zip',
  ]);
  const part = await downloads.take({ token: token!, range: 'bytes=1-' });
  expect([part.status, await part.text()]).toEqual([206, 'ip']);
  const same = await downloads.take({ token: token!, ifNoneMatch: whole.headers.get('etag')! });
  expect([same.status, await same.text()]).toEqual([304, '']);
  const head = await downloads.take({ token: token!, head: true });
  expect([head.headers.get('content-length'), await head.text()]).toEqual(['3', '']);
  await expect(downloads.take({ token: 'A'.repeat(43) })).rejects.toMatchObject({ status: 404, kind: 'api_error' });
});

test('names of the wire go in and come out where they are asked for', async () => {
  const { wallet, orgId: org } = await service.owner();
  const { client, credential } = clientOf(wallet);
  const sent = await client.rooms!.sendMessage!.wire({ org, room: 'wire', body: 'b', thread_id: 't' }, { credential });
  expect(sent).toMatchObject({ thread_id: 't', message_id: expect.stringMatching(/^msg_/) });
});
