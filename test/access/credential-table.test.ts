import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../rest-compat/routes.ts';
import { type Actor, withHeaders } from '../helpers/actors.ts';
import { revive } from '../helpers/revive.ts';
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
  'PATCH /agent/v1/me': '                                  A + + F + A A A',
  'POST /orgs/v1': '                                       A + + F A A A A',
  'GET /orgs/v1': '                                        A + + + A A A A',
  'GET /orgs/v1/:org_id': '                                A + + + N F A +',
  'PATCH /orgs/v1/:org_id': '                              A + + F N F A F',
  'PATCH /orgs/v1/:org_id/payout-wallet': '                A + + F N F A F',
  'GET /orgs/v1/:org_id/audit': '                          A + + + N F A F',
  'GET /orgs/v1/:org_id/members': '                        A + + + N F A +',
  'POST /orgs/v1/admin/:org_id/limits': '                  A P P F P P P +',
  'POST /projects/v1': '                                   A + + F N F A F',
  'GET /projects/v1': '                                    A + + + N F A F',
  'GET /projects/v1/:id': '                                A + + + + + A +',
  'GET /projects/v1/:id/keys': '                           A + + + N F A F',
  'POST /projects/v1/:id/grants': '                        A + + F N F A F',
  'GET /projects/v1/:id/grants': '                         A + + + N F A F',
  'DELETE /projects/v1/:id/grants/:grant_id': '            A + + F N F A F',
  'POST /projects/v1/:id/delegates': '                     A + + F N F A F',
  'GET /projects/v1/:id/delegates': '                      A + + + N F A F',
  'POST /projects/v1/:id/delegates/:delegate_id/rotate': ' A + + F N F A F',
  'DELETE /projects/v1/:id/delegates/:delegate_id': '      A + + F N F A F',
  'PATCH /projects/v1/:id': '                              A + + F N F A F',
  'POST /projects/v1/:id/repo-name': '                     A + + F N F A F',
  'DELETE /projects/v1/:id': '                             A + + F N + A F',
  'GET /projects/v1/admin/:project_id/usage': '            A + + + + + A +',
  'POST /projects/v1/admin/:id/archive': '                 A P P F P P P +',
  'POST /projects/v1/admin/:id/reactivate': '              A P P F P P P +',
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
};

let actors: Readonly<Record<CallerName, Actor>>;
let params: Readonly<Record<string, string>>;
/** A grant, or a delegate, of its own for each caller that may end it. */
let ended: () => Promise<Readonly<Record<string, string>>>;

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
    project_id: projectId,
    room_key: projectId,
    presence_id: sent.body.sender_presence.presence_id,
    message_id: sent.body.message_id,
    ...(await pairOf({ orgId, projectId })),
  };
  ended = async () => ({ ...params, ...(await pairOf({ orgId, projectId })) });
});

/** A grant with its delegate. */
async function pairOf(project: { orgId: string; projectId: string }) {
  const { grantId, delegateId } = await service.actors.delegate({ ...project, capabilities: ['read'] });
  return { grant_id: grantId, delegate_id: delegateId };
}

const bodies: Readonly<Record<string, () => object>> = {
  'POST /orgs/v1/admin/:org_id/limits': () => ({ limits: {} }),
  'PATCH /agent/v1/me': () => ({ display_name: 'Ada' }),
  'PATCH /orgs/v1/:org_id': () => ({ display_name: 'Ada’s' }),
  'PATCH /orgs/v1/:org_id/payout-wallet': () => ({ wallet_address: null }),
  'POST /projects/v1/:id/grants': () => ({ wallet: service.actors.wallet().address, capability: 'deploy' }),
  'POST /projects/v1/:id/delegates': () => ({ grant_id: params.grant_id, scope: { v: 1, capabilities: ['read'] } }),
  'POST /projects/v1': () => ({ org_id: params.org_id }),
  'PATCH /projects/v1/:id': () => ({ name: 'Renamed' }),
  'POST /projects/v1/:id/repo-name': () => ({ name: 'renamed' }),
  'POST /orgs/v1/:org_id/rooms/:room_key/messages': () => ({ body: 'hello' }),
  'POST /mail/v1/admin/test': () => ({ to: 'ada@example.com' }),
};

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
  const { status } = routes.find((one) => nameOf(one) === route)!;
  const [method, pattern] = route.split(' ') as [string, string];
  const named = method === 'DELETE' ? await ended() : params;
  let path = pattern.replaceAll(/:(\w+)/g, (_all, name: string) => named[name]!);
  if (route === 'GET /projects/v1') path += `?org_id=${params.org_id}`;
  const body = method === 'GET' ? undefined : (bodies[route]?.() ?? {});
  const answer = await service.call<{ code?: string }>(actors[caller], method, path, { body });
  await revive(service, params.id!);
  const [refused, code] = codes[cell] ?? [status, undefined];
  expect([answer.status, answer.body.code]).toEqual([refused, code]);
});

/** The field that offers an operation in GraphQL, and where it differs from the row of the path. */
const fields: Readonly<Record<string, { readonly document: () => string; readonly row?: string }>> = {
  'GET /agent/v1/whoami': { document: () => '{ whoami { __typename } }' },
  'PATCH /agent/v1/me': {
    document: () => 'mutation { setDisplayName(input: { displayName: "Ada" }) { principal { displayName } } }',
  },
  'POST /orgs/v1': { document: () => 'mutation { createOrganization(input: {}) { id } }' },
  'GET /orgs/v1': { document: () => '{ organizations { edges { cursor } } }' },
  'GET /orgs/v1/:org_id': { document: () => `{ organization(id: "${params.org_id}") { id } }` },
  'PATCH /orgs/v1/:org_id': {
    document: () => `mutation { renameOrganization(input: { org: "${params.org_id}", displayName: "Ada" }) { id } }`,
  },
  'PATCH /orgs/v1/:org_id/payout-wallet': {
    document: () => `mutation { setPayoutWallet(input: { org: "${params.org_id}", walletAddress: null }) { id } }`,
  },
  'GET /orgs/v1/:org_id/audit': {
    document: () => `{ organization(id: "${params.org_id}") { auditEvents { edges { cursor } } } }`,
  },
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
  'POST /projects/v1/:id/grants': {
    document: () =>
      `mutation { createGrant(input: { project: "${params.id}", wallet: "${service.actors.wallet().address}",
        capability: DEPLOY }) { grantId } }`,
  },
  // Who may see the project and not its grants is refused the field alone.
  'GET /projects/v1/:id/grants': {
    document: () => `{ project(id: "${params.id}") { grants { edges { cursor } } } }`,
  },
  'DELETE /projects/v1/:id/grants/:grant_id': {
    document: () =>
      `mutation { revokeGrant(input: { project: "${params.id}", grant: "${params.grant_id}" }) { grantId } }`,
  },
  'POST /projects/v1/:id/delegates': {
    document: () =>
      `mutation { createDelegate(input: { project: "${params.id}", grant: "${params.grant_id}",
        scope: { capabilities: [READ] } }) { delegate { delegateId } } }`,
  },
  'GET /projects/v1/:id/delegates': {
    document: () => `{ project(id: "${params.id}") { delegates { edges { cursor } } } }`,
  },
  'POST /projects/v1/:id/delegates/:delegate_id/rotate': {
    document: () =>
      `mutation { rotateDelegate(input: { project: "${params.id}", delegate: "${params.delegate_id}" }) { token } }`,
  },
  'DELETE /projects/v1/:id/delegates/:delegate_id': {
    document: () =>
      `mutation { revokeDelegate(input: { project: "${params.id}", delegate: "${params.delegate_id}" }) { delegateId } }`,
  'PATCH /projects/v1/:id': {
    document: () => `mutation { renameProject(input: { project: "${params.id}", name: "Renamed" }) { id } }`,
  },
  'POST /projects/v1/:id/repo-name': {
    document: () => `mutation { setProjectRepoName(input: { project: "${params.id}", name: "renamed" }) { id } }`,
  },
  'DELETE /projects/v1/:id': {
    document: () => `mutation { deleteProject(input: { project: "${params.id}" }) { id } }`,
  },
  'GET /projects/v1/admin/:project_id/usage': {
    document: () => `{ project(id: "${params.id}") { usage { apiCalls } } }`,
  },
  'POST /projects/v1/admin/:id/archive': {
    document: () => `mutation { archiveProject(input: { project: "${params.id}" }) { id } }`,
  },
  'POST /projects/v1/admin/:id/reactivate': {
    document: () => `mutation { reactivateProject(input: { project: "${params.id}" }) { id } }`,
  },
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
};
const address = () => `org: "${params.org_id}", room: "${params.room_key}"`;

const withoutField = ['GET /orgs/v1/:org_id/rooms/:room_key/presences/:presence_id'];

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
    if (route.startsWith('DELETE ')) params = await ended();
    const { data, errors } = await service.graphql(actors[caller], fields[route]!.document());
    await revive(service, params.id!);
    expect(errors?.[0]?.extensions.code).toBe(codes[cell]?.[1]);
    // Nothing is given beside a refusal, save what the caller may have anyway.
    const [value] = Object.values(data ?? {}) as ({ keys?: unknown } | null)[];
    if (cell === '+') expect(value).not.toBeNull();
    else expect(value?.keys ?? null).toBeNull();
  });
});
