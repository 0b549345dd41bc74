import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';

// What a caller wrote is named back in the spelling of the surface it was written to, in words for people.

const service = await sharedService();
afterAll(() => service.stop());
const call = documentedCalls(service);
const { admin } = service.actors;

const { wallet, orgId } = await service.project();
const room = `/orgs/v1/${orgId}/rooms/standup`;
const long = 'x'.repeat(65);

test.each<[string, string, unknown, string, string]>([
  ['GET', '/orgs/v1/xyz', undefined, 'org_id', 'must be an organization id (a UUID)'],
  ['GET', `/orgs/v1/${orgId}/rooms/A`, undefined, 'room_key', 'must be a project id or a label'],
  ['GET', `${room}/messages/${long}`, undefined, 'message_id', 'at most 64 characters'],
  ['GET', `${room}/messages/a%00`, undefined, 'message_id', 'contains a NUL character'],
  ['GET', `${room}/presences/${long}`, undefined, 'presence_id', 'at most 64 characters'],
  ['GET', '/projects/v1/a%00', undefined, 'id', 'contains a NUL character'],
  ['GET', '/projects/v1?include=all', undefined, 'include', 'must be `archived`'],
  ['DELETE', `${room}/presences/${long}`, undefined, 'presence_id', 'at most 64 characters'],
  ['DELETE', `${room}/claims/${long}`, undefined, 'claim_id', 'at most 64 characters'],
  ['GET', `${room}/presences?include_expired=yes`, undefined, 'include_expired', 'must be true or false'],
  ['GET', `${room}/claims?include_inactive=1`, undefined, 'include_inactive', 'must be true or false'],
  ['POST', `${room}/claims`, { mode: 'shared' }, 'resource', 'is required'],
  ['POST', `${room}/claims`, { resource: 'x' }, 'mode', 'must be one of exclusive, shared'],
  ['POST', `${room}/claims`, { resource: 'x', mode: 'both' }, 'mode', 'must be one of exclusive, shared'],
  ['GET', `${room}/messages?order=up`, undefined, 'order', 'must be one of asc, desc'],
  ['GET', `${room}/messages?addressed_to=you`, undefined, 'addressed_to', 'must be one of me'],
  ['GET', `${room}/messages?unread=1`, undefined, 'unread', 'must be true or false'],
  ['POST', `${room}/messages/msg_x/ack`, { presence_id: 5 }, 'presence_id', 'must be a text'],
  ['POST', `${room}/invites`, { auth_hash: 'a'.repeat(64) }, 'invite_id', 'is required'],
  [
    'POST',
    `${room}/invites`,
    { invite_id: 'x', auth_hash: 'a'.repeat(64) },
    'invite_id',
    'must be a UUID of version 4',
  ],
  ['POST', `${room}/messages`, {}, 'body', 'is required'],
  ['POST', `${room}/messages`, { body: null }, 'body', 'is required'],
  ['POST', `${room}/messages`, { body: 7 }, 'body', 'must be a text'],
  ['POST', `${room}/messages`, { body: 'x', to: 'Ada' }, 'to', 'must be a list'],
  ['POST', `${room}/messages`, { body: 'x', to: [7] }, 'to.0', 'must be a text'],
  ['POST', `${room}/messages`, { body: 'x', to: ['\ud800'] }, 'to[0]', 'contains a lone surrogate'],
  ['POST', `${room}/messages`, { body: 'x', ack_required: 1 }, 'ack_required', 'must be true or false'],
  ['POST', `${room}/messages`, { body: 'x', thread_id: '' }, 'thread_id', 'at least 1 character'],
  ['POST', '/orgs/v1', { bananas: null }, 'bananas', 'is not known here'],
  ['POST', '/projects/v1', { org_id: 'xyz' }, 'org_id', 'must be an organization id (a UUID)'],
  ['POST', '/tiers/v1/gold', {}, 'tier', 'must be one of prototype, hobby, team'],
  ['POST', '/tiers/v1/hobby', { org_id: 'xyz' }, 'org_id', 'must be an organization id (a UUID)'],
  ['GET', '/tiers/v1/status?org_id=xyz', undefined, 'org_id', 'must be an organization id (a UUID)'],
  ['GET', '/orgs/v1/lookup', undefined, 'wallet', 'exactly one of wallet and email'],
  ['GET', '/orgs/v1/lookup?wallet=0x1', undefined, 'wallet', 'must be a wallet address: 0x and 40 hexadecimal digits'],
  ['GET', '/orgs/v1/lookup?email=x', undefined, 'email', 'must be a mail address'],
  ['POST', `/orgs/v1/${orgId}/slug`, {}, 'slug', 'is required'],
  [
    'POST',
    `/orgs/v1/${orgId}/slug`,
    { slug: 'Acme' },
    'slug',
    'must be lower-case letters and digits, with single hyphens',
  ],
])('%s %s with %o names %s: %s', async (method, path, body, field, reason) => {
  const answer = await call(wallet, method, path, body === undefined ? {} : { body });
  const said = expect.stringContaining(reason);
  expectRefusal(answer, 'VALIDATION_FAILED', { field, reason: said, fields: [{ field, reason: said }] });
  expect(answer.body.message).toContain(`${field}: ${answer.body.details.reason}`);
  expect(answer.text).not.toMatch(/Invalid (input|option|UUID)|Too (big|small)|expected/);
});

test('every field at fault is named as it was written', async () => {
  const path = `/orgs/v1/xyz/rooms/A/messages`;
  const answer = await call(wallet, 'POST', path, { body: { importance: 'loud' } });
  const { fields } = answer.body.details;
  expect(fields.map(({ field }: { field: string }) => field)).toEqual(['org_id', 'room_key', 'body', 'importance']);
  expect(answer.body.message).toMatch(/^org_id: .*; room_key: .*; body: is required; importance: /);
});

test('a message that is too large says so in one word over both surfaces', async () => {
  const body = 'x'.repeat(32 * 1024 + 1);
  const rest = await call(wallet, 'POST', `${room}/messages`, { body: { body } });
  const details = {
    field: 'body',
    reason: 'MESSAGE_TOO_LARGE',
    fields: [{ field: 'body', reason: 'MESSAGE_TOO_LARGE' }],
  };
  expectRefusal(rest, 'VALIDATION_FAILED', details);
  expect(rest.body.message).toBe('body: at most 32 KiB');
  const send = 'mutation ($input: SendRoomMessageInput!) { sendRoomMessage(input: $input) { id } }';
  const graph = await service.graphql(wallet, send, { input: { org: orgId, room: 'standup', body } });
  expect(graph.errors![0]!.extensions).toMatchObject({ code: 'VALIDATION_FAILED', details });
});

test.each([
  ['{ organization(id: "xyz") { id } }', 'id'],
  ['{ projects(org: "xyz") { edges { cursor } } }', 'org'],
  ['{ rooms(org: "xyz") { edges { cursor } } }', 'org'],
  ['{ room(org: "ORG", room: "A") { key } }', 'room'],
  [`{ roomMessage(org: "ORG", room: "a", message: "${long}") { id } }`, 'message'],
  [`{ project(id: "${'x'.repeat(1025)}") { id } }`, 'id'],
  ['mutation { createProject(input: { org: "xyz" }) { id } }', 'org'],
  ['mutation { joinRoom(input: { org: "ORG", room: "a", requestedName: "" }) { id } }', 'requestedName'],
  ['mutation { sendRoomMessage(input: { org: "ORG", room: "a", body: "x", threadId: "" }) { id } }', 'threadId'],
  [`mutation { createOrganization(input: { displayName: "${'x'.repeat(101)}" }) { id } }`, 'displayName'],
  ['{ tierStatus(org: "xyz") { active } }', 'org'],
  ['{ billingLookup { orgId } }', 'wallet'],
  ['{ organizationBySlug(slug: "Acme") { id } }', 'slug'],
  ['mutation { setOrganizationTier(input: { tier: HOBBY, org: "xyz" }) { id } }', 'org'],
  ['mutation { claimOrganizationSlug(input: { org: "ORG", slug: "Acme" }) { id } }', 'slug'],
])('%s names its argument', async (query, field) => {
  const { errors } = await service.graphql(wallet, query.replace('ORG', orgId));
  expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', details: { field } } }]);
  expect(errors![0]!.message).toMatch(new RegExp(`^${field}: `));
});

test.each(['0x10', '1e2', '+5', '5.0', '', ' 5', 'Infinity', '0b1', '1_0'])(
  'limit=%s is no whole number',
  async (limit) => {
    const details = { field: 'limit', reason: 'must be a whole number' };
    for (const path of ['/projects/v1', `${room}/messages`]) {
      expectRefusal(
        await call(wallet, 'GET', `${path}?limit=${encodeURIComponent(limit)}`),
        'VALIDATION_FAILED',
        details,
      );
    }
    expectRefusal(
      await call(admin, 'GET', `/mail/v1/admin/outbox?limit=${encodeURIComponent(limit)}`),
      'VALIDATION_FAILED',
      details,
    );
  },
);

test.each(['1.5', '1e1', '0x1', '+1', '', 'soon'])('wait=%s is no whole number of seconds', async (wait) => {
  const answer = await call(wallet, 'GET', `${room}/messages?wait=${encodeURIComponent(wait)}`);
  expectRefusal(answer, 'VALIDATION_FAILED', { field: 'wait', reason: 'must be a whole number' });
});

test('a null is an absent member wherever a member may be absent', async () => {
  const sent = await call(wallet, 'POST', `${room}/messages`, {
    body: {
      body: 'x',
      to: null,
      cc: null,
      thread_id: null,
      importance: null,
      ack_required: null,
      idempotency_key: null,
      presence_id: null,
      session_key: null,
      requested_name: null,
      task: null,
      program: null,
      model: null,
    },
  });
  expect(sent).toMatchObject({ status: 201, body: { thread_id: null, importance: 'normal', recipients: [] } });
  const joined = await call(wallet, 'POST', `${room}/presences`, {
    body: { requested_name: null, task: null, program: null, model: null, session_key: null },
  });
  expect(joined.status).toBe(201);
  const made = await call(service.actors.wallet(), 'POST', '/projects/v1', {
    body: { name: null, org_id: null, tier: null },
  });
  expect(made.status).toBe(201);
});
