import { randomUUID } from 'node:crypto';
import {
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';
import { afterAll, expect, test } from 'vitest';
import { operations } from '../../resolvers/index.ts';
import { routes } from '../../rest-compat/routes.ts';
import { schema } from '../../schema/schema.ts';
import { documentedCalls } from '../helpers/documented.ts';
import { sample } from '../helpers/sample.ts';
import { startService } from '../helpers/service.ts';

// PostgreSQL keeps neither NUL nor half a surrogate pair: whatever text input holds one is refused by name.

const service = await startService();
afterAll(() => service.stop());
const call = documentedCalls(service);

const { wallet, orgId, projectId, serviceKey } = await service.project();
const room = `/orgs/v1/${orgId}/rooms/standup`;
const sent = (await call(wallet, 'POST', `${room}/messages`, { body: { body: 'x', session_key: 's' } })).body;

const claimed = { resource: 'deploy', mode: 'shared', session_key: 's' };
const claim = (await call(wallet, 'POST', `${room}/claims`, { body: claimed })).body;

const planned = (
  await call(wallet, 'POST', '/apply/v1/plans', { body: { spec: { project_id: projectId, i18n: null } } })
).body;

const subdomain = (
  await call(service.actors.bearer(serviceKey), 'POST', '/subdomains/v1', { body: { name: 'bad-text' } })
).body;

const run = 'fnrun_0000000000000000000000000000';
await service.control.sql(
  `insert into function_runs (id, org_id, project_id, function, event_type, source, source_type, idempotency_key, intent,
     payload, max_attempts, min_delay_seconds, max_delay_seconds, status, run_at, completed_at)
   values ($1, $2, $3, 'hello', 'greet', '{"type": "api"}', 'api', 'once', 'x', '{}', 1, 1, 1, 'succeeded', now(), now())`,
  [run, orgId, projectId],
);

const job = 'job_0000000000000000000000000000';
await service.control.sql(
  `insert into managed_jobs (id, org_id, project_id, type, input, idempotency_key, intent, cap_usd_micros,
     per_job_usd_micros, per_second_usd_micros, due_at)
   values ($1, $2, $3, 'echo', '{}', 'once', 'x', 0, 0, 0, null)`,
  [job, orgId, projectId],
);

const good: Record<string, string> = {
  plan: planned.plan_id,
  plan_id: planned.plan_id,
  operation: planned.operation_id,
  operation_id: planned.operation_id,
  org_id: orgId,
  org: orgId,
  room_key: 'standup',
  room: 'standup',
  id: projectId,
  project: projectId,
  project_id: projectId,
  presence_id: sent.sender_presence.presence_id,
  message_id: sent.message_id,
  message: sent.message_id,
  presence: sent.sender_presence.presence_id,
  claim_id: claim.claim_id,
  claim: claim.claim_id,
  body: 'hello',
  domain: 'shop.example.com',
  name: 'our-shop',
  issuer_id: randomUUID(),
  code: '0000-0000-0000-0000',
  to: 'ada@example.com',
  grant_id: 'x',
  delegate_id: 'x',
  wallet: '0x00000000000000000000000000000000000000a1',
  capability: 'READ',
  tier: 'prototype',
  email: 'ada@example.com',
  principal_id: 'prn_0',
  vault_id: 'nope',
  invite_id: '9f2d7c1e-4b0a-4c57-8d11-2f6a1c3b5e70',
  inviteId: '9f2d7c1e-4b0a-4c57-8d11-2f6a1c3b5e70',
  authHash: 'a'.repeat(64),
  key: 'STRIPE_KEY',
  slug: 'hello-there',
  mailbox_id: 'mbx_0',
  mail_id: 'msg_0',
  contractAddress: '0x00000000000000000000000000000000000000a1',
  contract_address: '0x00000000000000000000000000000000000000a1',
  destinationAddress: '0x00000000000000000000000000000000000000a1',
  destination_address: '0x00000000000000000000000000000000000000a1',
  thresholdWei: '5',
  threshold_wei: '5',
  bytecode: '0x00',
  job_id: 'job_0',
  job_type: 'echo',
  jobType: 'echo',
  filename: 'echo.json',
};

/** Lists that have to hold something, where what is tried is elsewhere. */
const goodLists: Record<string, readonly object[]> = { content: [{ sha256: 'a'.repeat(64), size: 1 }] };

/** An issuer of vouchers, and what is its alone. */
const issuer = await call(service.actors.admin, 'POST', '/vouchers/v1/admin/issuers', {
  body: { name: 'Fair', voucher_max_usd_micros: 1, outstanding_max_usd_micros: 1, daily_max_usd_micros: 1 },
});
const issuing = ['vouchers.mint', 'vouchers.list'];

const operationOf = (name: unknown) => operations.find((op) => op.name === name);

/** Whether a field is the platform admin's. */
const isOfAdmin = (operation: unknown) => operationOf(operation)?.access.openTo === 'admin';

/** Whether a field is the service key's. */
const isOfKey = (operation: unknown) => operationOf(operation)?.access.action?.role === null;

/** A binding of CI: whoever names one is asked for its rights first. */
const binding = 'bnd_of_the_member';
await service.control.sql(
  `insert into ci_bindings (id, org_id, project_id, delegate_id, issuer, subject_match, allowed_events, route_scopes, nonce)
   select $2, org_id, id, gen_random_uuid(), 'https://ci.example.com', 'repo:a/b', '{push}', '{}', $2 from projects where id = $1`,
  [projectId, binding],
);

/** The public key of the number one. */
const curvePoint = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';

/** A community that waits for its authority. */
const community = await call(wallet, 'POST', '/channel-communities/v1', {
  body: { org_id: orgId, community_subject: curvePoint, community_authority_subject: curvePoint },
  headers: { 'idempotency-key': 'walked' },
});

const { community_installation_id: communityInstallationId } = community.body;

/** A route into its channels. */
const channelRouteId = 'chrt_0000000000000000000000000000';
await service.control.sql(
  `insert into channel_routes (id, org_id, community_id, key_id, name, channel_id, project_scope, project_ids,
     includes_org_events, status, start_after, cursor, due_at)
   values ($1, $2, $3, 'chnp_0', 'deploys', 'deploys', 'org', '{}', false, 'active', 0, 0, null)`,
  [channelRouteId, orgId, communityInstallationId],
);
Object.assign(good, { community_installation_id: communityInstallationId, channel_route_id: channelRouteId });

const nowhere = '0x00000000000000000000000000000000000000a1';
const onChain = { chain: 'BASE_SEPOLIA' };
const abiFragment = [{ type: 'function', name: 'ping', inputs: [], outputs: [] }];

/** Fields that look for what several members of their input name, before their key: what these name is there. */
const besideKey: Record<string, object> = {
  planArchiveUpload: { sha256: 'f'.repeat(64), size: 10_240 },
  commitArchiveUpload: { sha256: 'f'.repeat(64) },
  createChannelCommunity: { communitySubject: curvePoint, communityAuthoritySubject: curvePoint },
  activateChannelCommunity: {
    communityInstallationId,
    authorityProof: { approvalEvent: {}, communitySubject: curvePoint, relayUrl: 'wss://relay.example.com' },
  },
  updateChannelCommunity: { communityInstallationId },
  revokeChannelCommunity: { communityInstallationId },
  updateChannelRoute: { channelRouteId },
  testChannelRoute: { channelRouteId },
  pauseChannelRoute: { channelRouteId },
  resumeChannelRoute: { channelRouteId },
  rotateChannelRouteKey: { channelRouteId },
  revokeChannelRoute: { channelRouteId },
  invalidateCache: { kind: 'ALL', host: new URL(subdomain.url).hostname },
  linkWalletToOrganization: { wallet: wallet.address },
  requestFaucet: { address: wallet.address },
  sendFromFaucet: { address: wallet.address },
  translateText: { to: 'es' },
  cancelFunctionRun: { run },
  redriveFunctionRun: { run },
  registerMailboxWebhook: { url: 'https://example.com/mail', events: ['BOUNCED'] },
  disconnectChat: { binding: randomUUID() },
  createCiBinding: { nonce: 'ab'.repeat(16) },
  revokeCiBinding: { binding },
  setCiAssetScopes: { assetKeyScopes: [], binding },
  createNotificationRule: { chatBindingId: randomUUID() },
  updateNotificationRule: { rule: randomUUID() },
  deleteNotificationRule: { rule: randomUUID() },
  setSignerLowBalanceAlert: { thresholdWei: '5' },
  callContract: { ...onChain, contractAddress: nowhere, abiFragment, functionName: 'ping', args: [] },
  deployContract: { ...onChain, bytecode: '0x00' },
  cancelJob: { job },
  registerJobType: { function: 'f', description: 'Walks.', jobType: 'walked' },
  submitJob: { request: { jobType: 'echo', input: { inputJson: {} }, maxCostUsdMicros: 0 } },
  drainSigner: { destinationAddress: nowhere },
};

/** What has to be given, though it may be null. */
const nullable = ['displayName', 'walletAddress', 'recoveryAddress'];

const nulText = 'a\0b';
const loneText = 'a\ud800b';

/** Paths that ask for their payment before they look at anything else, and fields that do. */
const sold = operations.filter(
  (op) => 'price' in op && (op as { price?: { family: string } }).price?.family === 'gateway',
);
const isSold = (operation: unknown) => sold.some(({ name }) => name === operation);

/** What an operation calls an input that cannot be. */
const invalidCodeOf = (operation: unknown): string =>
  (operations.find(({ name }) => name === operation) as { readonly invalidCode?: string } | undefined)?.invalidCode ??
  'VALIDATION_FAILED';

/** What a path needs beside what is tried. */
const beside: Record<string, object> = {
  '/api/verify-tx': { tx_hash: `0x${'ab'.repeat(32)}` },
  '/api/inquiry': { email: 'ada@example.com' },
};

/** An unusable one of these does not fail a feed. */
const cursors = ['after', 'before', 'cursor'];

const inputs = routes.flatMap((route) => {
  const places = Object.values(route.sources ?? {}).flat();
  return places.flatMap(({ in: from, name }) =>
    name === undefined || from === 'header' || from === 'method' ? [] : [{ route, from, name }],
  );
});

test.each(
  sample(inputs, 3).map(
    ({ route, ...input }) => [`${route.method} ${route.path}`, input.from, input.name, route] as const,
  ),
)('%s refuses bad text in %s.%s', async (_route, from, name, route) => {
  const member = issuing.includes(route.operation!) ? service.actors.bearer(issuer.body.issuer_key) : wallet;
  const actor = isOfAdmin(route.operation) ? service.actors.admin : member;
  for (const bad of from === 'body' ? [nulText, loneText] : [nulText]) {
    const path = route.path.replace(/:(\w+)/g, (_match, param: string) =>
      encodeURIComponent(from === 'path' && param === name ? bad : good[param]!),
    );
    const search = from === 'query' ? `?${name}=${encodeURIComponent(bad)}` : '';
    const written = JSON.stringify({
      ...beside[route.path],
      ...(route.path.endsWith('/messages') && { body: 'x' }),
      [name]: bad,
    });
    const body = route.method === 'GET' ? undefined : from === 'body' ? written : '{}';
    const answer = await call(actor, route.method, path + search, { body });
    if (isSold(route.operation)) {
      expect(answer.status).toBe(402);
      continue;
    }
    if (route.path.startsWith('/api/')) {
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
      expect(answer.body.detail).toContain(name);
      continue;
    }
    // A cursor is compared, and kept nowhere: a feed begins anew, and a list has no such one.
    if (from === 'query' && cursors.includes(name) && answer.status === 200) {
      // Backwards it begins at the newest, as without one.
      if (name !== 'before') expect(answer.body).toMatchObject({ reset: true });
      continue;
    }
    const invalid = invalidCodeOf(route.operation);
    const codes = cursors.includes(name) ? [invalid, 'INVALID_CURSOR'] : [invalid];
    expect(answer.status).toBe(400);
    expect(codes).toContain(answer.body.code);
    expect(answer.body.details.field).toMatch(/./);
  }
});

/** Places of the text inputs of a field, as paths into its arguments. */
function textPlaces(type: GraphQLInputType, at: readonly string[]): string[][] {
  const named = getNamedType(type);
  if (isInputObjectType(named)) {
    return Object.values(named.getFields()).flatMap((field) => textPlaces(field.type, [...at, field.name]));
  }
  return named.name === 'String' || named.name === 'ID' ? [[...at]] : [];
}

/** A value for an input: text where it is wanted, and something plausible where it must be. */
function inputFor(type: GraphQLInputType, at: readonly string[], place: string, text: string): unknown {
  const required = isNonNullType(type);
  const inner = required ? type.ofType : type;
  if (isListType(inner))
    return place.startsWith(at.join('.'))
      ? [inputFor(inner.ofType, at, place, text)]
      : required
        ? (goodLists[at.at(-1)!] ?? [])
        : undefined;
  const named = getNamedType(inner);
  if (named.name === 'JSONObject') return required ? {} : undefined;
  if (isInputObjectType(named)) {
    if (!required && !place.startsWith(at.join('.'))) return undefined;
    return Object.fromEntries(
      Object.values(named.getFields()).map((field) => [
        field.name,
        inputFor(field.type, [...at, field.name], place, text),
      ]),
    );
  }
  if (at.join('.') === place) return text;
  if (named.name === 'Boolean') return false;
  if (nullable.includes(at.at(-1)!)) return required ? 'x' : null;
  if (isEnumType(named)) return required ? named.getValues()[0]!.name : undefined;
  if (named.name === 'Float' || named.name === 'Int') return required ? 1 : undefined;
  // A wallet has no project of its own.
  return required || at.at(-1) === 'project' ? (good[at.at(-1)!] ?? 'x') : undefined;
}

const fields = [schema.getQueryType()!, schema.getMutationType()!].flatMap((root) =>
  Object.values(root.getFields()).flatMap((field) =>
    field.args
      .flatMap((argument) => textPlaces(argument.type, [argument.name]))
      .map((place) => ({ root: root.name, field, place: place.join('.') })),
  ),
);

test.each(sample(fields, 3).map(({ root, field, place }) => [`${root}.${field.name}`, place, root, field] as const))(
  '%s refuses bad text in %s',
  async (_name, place, root, field) => {
    const declared = field.args.map(({ name, type }) => `$${name}: ${type}`).join(', ');
    const given = field.args.map(({ name }) => `${name}: $${name}`).join(', ');
    const selection = isLeafType(getNamedType(field.type)) ? '' : '{ __typename }';
    const query = `${root.toLowerCase()} (${declared}) { ${field.name}(${given}) ${selection} }`;
    const { operation } = field.extensions;
    const keys = [isOfKey(operation) && serviceKey, issuing.includes(operation as string) && issuer.body.issuer_key];
    const key = keys.find((one) => typeof one === 'string');
    const member = key === undefined ? wallet : service.actors.bearer(key);
    const actor = isOfAdmin(operation) ? service.actors.admin : member;
    for (const text of [nulText, loneText]) {
      const variables = Object.fromEntries(
        field.args.map(({ name, type }) => [name, inputFor(type, [name], place, text)]),
      );
      if (place === 'input.idempotencyKey') Object.assign(variables.input!, besideKey[field.name]);
      const answer = await service.graphql(actor, query, variables);
      // What cannot be an id is the id of nothing.
      if (field.name === 'node') return expect(answer).toEqual({ data: { node: null } });
      if (isSold(operation)) return expect(answer.errors?.[0]?.extensions.code).toBe('PAYMENT_REQUIRED');
      if (cursors.includes(place) && answer.errors === undefined) continue;
      const codes = place.endsWith('idempotencyKey')
        ? ['IDEMPOTENCY_KEY_INVALID']
        : [invalidCodeOf(operation), 'INVALID_CURSOR'];
      expect(codes).toContain(answer.errors?.[0]?.extensions.code);
      if (codes.length > 1)
        expect(answer.errors![0]!.extensions.details).toMatchObject({ field: expect.stringMatching(/./) });
    }
  },
);

test('the walk found the text inputs that are known to be there', () => {
  const rest = inputs.map(({ route, from, name }) => `${route.operation} ${from}.${name}`);
  expect(rest).toEqual(expect.arrayContaining(['orgs.create body.display_name', 'rooms.listMessages query.cursor']));
  const graph = fields.map(({ field, place }) => `${field.name} ${place}`);
  expect(graph).toEqual(
    expect.arrayContaining(['createOrganization input.displayName', 'sendRoomMessage input.to', 'node id']),
  );
});
