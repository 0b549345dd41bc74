import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../resolvers/index.ts';
import { routes } from '../../rest-compat/routes.ts';
import { type Actor, withHeaders } from '../helpers/actors.ts';
import { startService } from '../helpers/service.ts';

const service = await startService();
afterAll(() => service.stop());

/** Callers in the order of the columns below. All but `nobody` and `admin` belong to one organization and project. */
const callers = ['nobody', 'wallet', 'session', 'operator', 'delegate', 'service_key', 'anon_key', 'admin'] as const;
type CallerName = (typeof callers)[number];

/** What answers a credential where it may not act, by the letters of the table. `+`: it may. */
const codes: Readonly<Record<string, readonly [status: number, code: string]>> = {
  A: [401, 'AUTH_REQUIRED'],
  F: [403, 'FORBIDDEN'],
  N: [403, 'NOT_AUTHORIZED'],
  P: [403, 'ADMIN_REQUIRED'],
};

// nobody wallet session operator delegate service_key anon_key admin
const table: Readonly<Record<string, string>> = {
  'GET /agent/v1/whoami': '                                A + + + + A A A',
  'POST /orgs/v1': '                                       A + + F A A A A',
  'GET /orgs/v1': '                                        A + + + A A A A',
  'GET /orgs/v1/:org_id': '                                A + + + N F A +',
  'GET /orgs/v1/:org_id/members': '                        A + + + N F A +',
  'POST /orgs/v1/admin/:org_id/limits': '                  A P P F P P P +',
  'POST /projects/v1': '                                   A + + F N F A F',
  'GET /projects/v1': '                                    A + + + N F A F',
  'GET /projects/v1/:id': '                                A + + + + + A +',
  'GET /projects/v1/:id/keys': '                           A + + + N F A F',
  'GET /orgs/v1/:org_id/rooms': '                          A + + + + + A F',
  'GET /orgs/v1/:org_id/rooms/:room_key': '                A + + + + + A F',
  'POST /orgs/v1/:org_id/rooms/:room_key/presences': '     A + + F + F A F',
  'GET /orgs/v1/:org_id/rooms/:room_key/presences': '      A + + + + + A F',
  'GET /orgs/v1/:org_id/rooms/:room_key/presences/:presence_id': 'A + + + + + A F',
  'POST /orgs/v1/:org_id/rooms/:room_key/messages': '      A + + F + F A F',
  'GET /orgs/v1/:org_id/rooms/:room_key/messages': '       A + + + + + A F',
  'GET /orgs/v1/:org_id/rooms/:room_key/messages/:message_id': 'A + + + + + A F',
  'GET /mail/v1/admin/outbox': '                           A P P P P P P +',
  'POST /mail/v1/admin/test': '                            A P P F P P P +',
  'GET /tiers/v1': '                                       + + + + + + + +',
  'POST /projects/v1/quote': '                             + + + + + + + +',
  'GET /tiers/v1/status': '                                A + + + N F A +',
  'POST /tiers/v1/:tier': '                                A + + F N F A F',
  'POST /orgs/v1/admin/:org_id/lease-perpetual': '         A P P F P P P +',
  'GET /orgs/v1/lookup': '                                 A + F F F F A +',
  'GET /orgs/v1/:org_id/billing': '                        A + + + N F A +',
  'GET /orgs/v1/:org_id/billing/history': '                A + + + N F A +',
  'POST /orgs/v1/admin/:org_id/credits': '                 A P P F P P P +',
  'POST /orgs/v1/:org_id/slug': '                          A + + F N F A F',
};

let actors: Readonly<Record<CallerName, Actor>>;
let params: Readonly<Record<string, string>>;

beforeAll(async () => {
  const { wallet, orgId, projectId, principalId, serviceKey, anonKey } = await service.project();
  const { session, delegate, approval, bearer, apikey, admin, nobody } = service.actors;
  const person = await session({ principalId, passkeyAgeSeconds: 1 });
  const approved = await approval(person, 'org.project.create', orgId);
  actors = {
    nobody,
    wallet,
    session: withHeaders({ ...(await person.headers('/')), 'x-svc-write-auth': approved }),
    operator: await session({ kind: 'operator', principalId }),
    delegate: await delegate({ orgId, projectId, capabilities: ['read'] }),
    service_key: bearer(serviceKey),
    anon_key: apikey(anonKey),
    admin,
  };
  const room = `/orgs/v1/${orgId}/rooms/${projectId}`;
  const sent = await service.call<{ message_id: string; sender_presence: { presence_id: string } }>(
    wallet,
    'POST',
    `${room}/messages`,
    { body: { body: 'hello' } },
  );
  params = {
    org_id: orgId,
    id: projectId,
    room_key: projectId,
    presence_id: sent.body.sender_presence.presence_id,
    message_id: sent.body.message_id,
    tier: 'prototype',
    address: wallet.address,
  };
  // The first slug costs, and so does a paid tier each time that it is set.
  await service.call(admin, 'POST', `/orgs/v1/admin/${orgId}/credits`, { body: { amount_usd_micros: 1_000_000_000 } });
  await service.call(wallet, 'POST', `/orgs/v1/${orgId}/slug`, {
    body: { slug: 'first' },
    headers: { 'idempotency-key': 'first' },
  });
});

const bodies: Readonly<Record<string, () => object>> = {
  'POST /orgs/v1/admin/:org_id/limits': () => ({ limits: {} }),
  'POST /projects/v1': () => ({ org_id: params.org_id }),
  'POST /orgs/v1/:org_id/rooms/:room_key/messages': () => ({ body: 'hello' }),
  'POST /mail/v1/admin/test': () => ({ to: 'ada@example.com' }),
  'POST /tiers/v1/:tier': () => ({ org_id: params.org_id }),
  'POST /orgs/v1/admin/:org_id/lease-perpetual': () => ({ lease_perpetual: false }),
  'POST /orgs/v1/admin/:org_id/credits': () => ({ amount_usd_micros: 1 }),
  'POST /orgs/v1/:org_id/slug': () => ({ slug: 'first' }),
};

/** What a path wants beside its parameters, in its query. */
const searches: Readonly<Record<string, () => string>> = {
  'GET /projects/v1': () => `?org_id=${params.org_id}`,
  'GET /tiers/v1/status': () => `?org_id=${params.org_id}`,
  'GET /orgs/v1/lookup': () => `?wallet=${params.address}`,
};

/** The status of a path that tells outcomes apart by it, where it is not the usual one. */
const statuses: Readonly<Record<string, number>> = { 'POST /orgs/v1/:org_id/slug': 200 };

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
const cells = Object.entries(table).flatMap(([route, row]) =>
  row
    .trim()
    .split(/\s+/)
    .map((cell, at) => ({ route, caller: callers[at]!, cell })),
);

test('the table names every route', () => {
  expect(Object.keys(table).sort()).toEqual(routes.map(nameOf).sort());
  expect(cells).toHaveLength(routes.length * callers.length);
});

test.each(cells)('$route by $caller: $cell', async ({ route, caller, cell }) => {
  const { status, operation } = routes.find((one) => nameOf(one) === route)!;
  const [method, pattern] = route.split(' ') as [string, string];
  const path = pattern.replaceAll(/:(\w+)/g, (_all, name: string) => params[name]!) + (searches[route]?.() ?? '');
  const body = method === 'GET' ? undefined : (bodies[route]?.() ?? {});
  const needsKey = operations.some((one) => one.name === operation && 'idempotency' in one);
  const headers = needsKey ? { 'idempotency-key': randomUUID() } : {};
  const answer = await service.call<{ code?: string }>(actors[caller], method, path, { body, headers });
  const [refused, code] = codes[cell] ?? [statuses[route] ?? status, undefined];
  expect([answer.status, answer.body.code]).toEqual([refused, code]);
});

/** The field that offers an operation in GraphQL, and where it differs from the row of the path. */
const fields: Readonly<Record<string, { readonly document: () => string; readonly row?: string }>> = {
  'GET /agent/v1/whoami': { document: () => '{ whoami { __typename } }' },
  'POST /orgs/v1': { document: () => 'mutation { createOrganization(input: {}) { id } }' },
  'GET /orgs/v1': { document: () => '{ organizations { edges { cursor } } }' },
  'GET /orgs/v1/:org_id': { document: () => `{ organization(id: "${params.org_id}") { id } }` },
  'GET /orgs/v1/:org_id/members': {
    document: () => `{ organization(id: "${params.org_id}") { members { edges { cursor } } } }`,
  },
  'POST /orgs/v1/admin/:org_id/limits': {
    document: () => `mutation { setOrganizationLimits(input: { org: "${params.org_id}", limits: [] }) { id } }`,
  },
  'POST /projects/v1': {
    document: () => `mutation { createProject(input: { org: "${params.org_id}" }) { id } }`,
  },
  'GET /projects/v1': { document: () => `{ projects(org: "${params.org_id}") { edges { cursor } } }` },
  'GET /projects/v1/:id': { document: () => `{ project(id: "${params.id}") { id } }` },
  'GET /projects/v1/:id/keys': { document: () => `{ project(id: "${params.id}") { keys { anonKey serviceKey } } }` },
  // A field of the organization, so it wants the right to that first.
  'GET /orgs/v1/:org_id/rooms': {
    document: () => `{ organization(id: "${params.org_id}") { rooms { edges { cursor } } } }`,
    row: 'A + + + N F A F',
  },
  'GET /orgs/v1/:org_id/rooms/:room_key': { document: () => `{ room(${address()}) { key } }` },
  'POST /orgs/v1/:org_id/rooms/:room_key/presences': {
    document: () => `mutation { joinRoom(input: { ${address()} }) { name } }`,
  },
  'GET /orgs/v1/:org_id/rooms/:room_key/presences': {
    document: () => `{ room(${address()}) { presences { edges { node { name } } } } }`,
  },
  'POST /orgs/v1/:org_id/rooms/:room_key/messages': {
    document: () => `mutation { sendRoomMessage(input: { ${address()}, body: "hello" }) { body } }`,
  },
  'GET /orgs/v1/:org_id/rooms/:room_key/messages': {
    document: () => `{ roomMessages(${address()}) { edges { cursor } } }`,
  },
  'GET /orgs/v1/:org_id/rooms/:room_key/messages/:message_id': {
    document: () => `{ roomMessage(${address()}, message: "${params.message_id}") { body } }`,
  },
  'GET /mail/v1/admin/outbox': { document: () => '{ outboxMails { edges { cursor } } }' },
  'POST /mail/v1/admin/test': {
    document: () => 'mutation { sendTestMail(input: { to: "ada@example.com" }) { id } }',
  },
  'GET /tiers/v1': { document: () => '{ tiers { edges { cursor } } }' },
  'GET /tiers/v1/status': { document: () => `{ tierStatus(org: "${params.org_id}") { active } }` },
  'POST /tiers/v1/:tier': {
    // The tests before these made it a paid one.
    document: () => `mutation { setOrganizationTier(input: { tier: HOBBY, org: "${params.org_id}" }) { id } }`,
  },
  'POST /orgs/v1/admin/:org_id/lease-perpetual': {
    document: () =>
      `mutation { setOrganizationLeasePerpetual(input: { org: "${params.org_id}", leasePerpetual: true }) { id } }`,
  },
  'GET /orgs/v1/lookup': { document: () => `{ billingLookup(wallet: "${params.address}") { orgId } }` },
  'GET /orgs/v1/:org_id/billing': {
    document: () => `{ organization(id: "${params.org_id}") { billing { orgId } } }`,
  },
  'GET /orgs/v1/:org_id/billing/history': {
    document: () => `{ organization(id: "${params.org_id}") { billing { history { edges { cursor } } } } }`,
  },
  'POST /orgs/v1/admin/:org_id/credits': {
    document: () =>
      `mutation { addOrganizationCredit(input: { org: "${params.org_id}", amountUsdMicros: 1 }) { entryId } }`,
  },
  'POST /orgs/v1/:org_id/slug': {
    document: () =>
      `mutation { claimOrganizationSlug(input: { org: "${params.org_id}", slug: "first", idempotencyKey: "again" }) { id } }`,
  },
};
const address = () => `org: "${params.org_id}", room: "${params.room_key}"`;

const withoutField = ['GET /orgs/v1/:org_id/rooms/:room_key/presences/:presence_id', 'POST /projects/v1/quote'];

const graphCells = Object.entries(fields).flatMap(([route, { row = table[route]! }]) =>
  row
    .trim()
    .split(/\s+/)
    .map((cell, at) => ({ route, caller: callers[at]!, cell })),
);

test('the fields of every route are tried, except where there is none', () => {
  expect([...Object.keys(fields), ...withoutField].sort()).toEqual(routes.map(nameOf).sort());
});

describe('in GraphQL', () => {
  // By now the owner holds as many free organizations as it may.
  beforeAll(() => service.control.sql(`update orgs set tier = 'hobby'`));

  test.each(graphCells)('the field of $route by $caller: $cell', async ({ route, caller, cell }) => {
    const { data, errors } = await service.graphql(actors[caller], fields[route]!.document());
    expect(errors?.[0]?.extensions.code).toBe(codes[cell]?.[1]);
    // Nothing is given beside a refusal, save what the caller may have anyway.
    const [value] = Object.values(data ?? {}) as ({ keys?: unknown } | null)[];
    if (cell === '+') expect(value).not.toBeNull();
    else expect(value?.keys ?? null).toBeNull();
  });
});
