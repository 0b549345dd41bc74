import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations, permissions } from '../../resolvers/index.ts';
import { routes } from '../../rest-compat/routes.ts';
import { type Actor, withHeaders } from '../helpers/actors.ts';
import { startAiServer } from '../helpers/ai-server.ts';
import { revive } from '../helpers/revive.ts';
import { sample } from '../helpers/sample.ts';
import { startService } from '../helpers/service.ts';
import { startStripeServer } from '../helpers/stripe-server.ts';
import { offersOf } from '../transfers/offers.ts';
import { putVoucher } from '../vouchers/put-voucher.ts';
import { capabilities, expected, roles } from './expected-permissions.ts';
import { restTargets } from './rest-targets.ts';
import { releasesOf } from './surfaces/releases-of.ts';

const stripe = await startStripeServer();
const ai = await startAiServer();
const service = await startService({ env: { MAIL_LISTEN: '127.0.0.1:0', ...stripe.env, ...ai.env } });
afterAll(async () => {
  await service.stop();
  await stripe.close();
  await ai.close();
});

const { actors, control } = service;

/** The organization that the cells are about, with two projects, and another one with a project. */
let home: Awaited<ReturnType<typeof service.project>>;
let elsewhere: Awaited<ReturnType<typeof service.project>>;
let homeGrant: string;
let homeEscalation: string;
let topups: Readonly<Record<string, string>>;
let sibling: { readonly projectId: string; readonly serviceKey: string };

beforeAll(async () => {
  home = await service.project();
  elsewhere = await service.project();
  const { body } = await service.call<{ project_id: string; service_key: string }>(
    home.wallet,
    'POST',
    '/projects/v1',
    { body: { org_id: home.orgId } },
  );
  homeGrant = await grant(home.principalId, 'mailbox:write');
  sibling = { projectId: body.project_id, serviceKey: body.service_key };
  const raised = await service.call<{ escalation_id: string }>(
    home.wallet,
    'POST',
    `/orgs/v1/${home.orgId}/escalations`,
    { body: { reason: 'look' } },
  );
  homeEscalation = raised.body.escalation_id;
  topups = { [home.orgId]: await begin(home), [elsewhere.orgId]: await begin(elsewhere) };
  // Many callers ask here, each more than the few times a refused one may.
  await control.sql(`update orgs set tier = 'team'`);
  // Setting a tier costs each time, and so does the first slug.
  await service.call(actors.admin, 'POST', `/orgs/v1/admin/${home.orgId}/credits`, {
    body: { amount_usd_micros: 10_000_000_000 },
  });
});

/** What was found, printed at the end: a column for each kind of credential. */
const found = new Map(Object.keys(expected).map((action) => [action, new Map<string, boolean>()]));
const note = (action: string, credential: string, allowed: boolean) => void found.get(action)!.set(credential, allowed);

afterAll(() => {
  const marks = (action: string, kind: string, names: readonly string[]) => {
    const allowed = names.filter((name) => found.get(action)!.get(`${kind} ${name}`));
    return allowed.length === names.length ? 'every' : allowed.join(', ') || '-';
  };
  const lines = Object.keys(expected).map((action) => {
    const cells = [
      `roles: ${marks(action, 'role', roles)}`,
      `grants: ${marks(action, 'grant', capabilities)}`,
      `delegates: ${marks(action, 'delegate', capabilities)}`,
      `service key: ${found.get(action)!.get('service key') === true ? 'yes' : '-'}`,
      `admin: ${found.get(action)!.get('admin') === true ? 'yes' : '-'}`,
    ];
    return `  ${action.padEnd(20)} ${cells.join(' | ')}`;
  });
  process.stdout.write(`Who may do what, as every cell answered:\n${lines.join('\n')}\n`);
});

/** One route for each action. */
const probes = Object.keys(expected).map((action) => {
  const named = operations.filter(({ access }) => access.action?.name === action).map(({ name }) => name as string);
  const asking = routes.filter(({ operation }) => named.includes(operation));
  // One that names something of its own inside would have to find it first.
  return { action, route: asking.find(({ path }) => !/:(archive|import|credential)_id/.test(path)) ?? asking[0]! };
});

test('every permission is expected here, and a route asks for it', () => {
  expect(Object.keys(expected).sort()).toEqual(Object.keys(permissions).sort());
  expect(probes.filter(({ route }) => route === undefined)).toEqual([]);
});

interface Target {
  readonly orgId: string;
  readonly projectId: string;
}

const samples = new Map(restTargets().map(({ name, request }) => [name, request]));

const topup = { product: 'balance_topup', amount_usd_micros: 1_000_000 };

async function begin({ wallet, orgId }: typeof home): Promise<string> {
  const path = `/orgs/v1/${orgId}/checkouts`;
  return (await service.call<{ topup_id: string }>(wallet, 'POST', path, { body: topup })).body.topup_id;
}

/** A voucher that nobody has redeemed. */
let voucher = '';

/** Bodies of actions that need more than the smallest input of their operation. */
const bodies: Readonly<Record<string, (target: Target) => object>> = {
  'org:archives:import': ({ orgId }) => ({ org_id: orgId, sha256: 'f'.repeat(64), size: 10_240 }),
  'project:transfer': () => ({ to_wallet: actors.wallet().address }),
  'project:secrets:write': () => ({ key: 'STRIPE_KEY', value: 'hidden' }),
  'project:jobs:write': () => ({ job_type: 'echo', input: { input_json: {} }, max_cost_usd_micros: 0 }),
  'project:signers:write': ({ projectId }) => ({ project_id: projectId, chain: 'base-sepolia' }),
  'project:ai:use': ({ projectId }) => ({ project_id: projectId, text: 'a' }),
  'project:assets:write': ({ projectId }) => ({ project_id: projectId, key: 'a.txt', content: 'a' }),
  'project:mail:write': ({ projectId }) => ({ project_id: projectId, slug: `box-${randomUUID().slice(0, 8)}` }),
  'project:functions:run': ({ projectId }) => ({
    project_id: projectId,
    event_type: 'probed',
    idempotency_key: randomUUID(),
    delay_seconds: 86_400,
  }),
  'project:functions:write': () => ({ config: { timeout: 7 } }),
  'project:deploys:write': ({ projectId }) => ({ project: projectId, spec: { project_id: projectId, i18n: null } }),
  'project:content:write': ({ projectId }) => ({
    project_id: projectId,
    content: [{ sha256: 'a'.repeat(64), size: 4 }],
  }),
  'org:slug:claim': () => ({ slug: 'our-home' }),
  'org:checkout:create': () => topup,
  'org:voucher:redeem': ({ orgId }) => ({ org_id: orgId, code: voucher }),
  'org:auto_recharge:write': () => ({ enabled: false }),
  'org:members:write': () => ({ wallet: actors.wallet().address }),
  'org:invites:write': () => ({ email: `${randomUUID()}@example.com` }),
  'project:grants:write': () => ({ wallet: home.wallet.address, capability: 'domains:write' }),
  'project:delegates:write': () => ({ grant_id: homeGrant, scope: { v: 1, capabilities: ['mailbox:write'] } }),
  'project:credentials:write': () => ({ kind: 'anon', name: randomUUID() }),
  'project:users:write': ({ projectId }) => ({ project_id: projectId, email: 'ada@example.com' }),
  'room:invite': () => ({ invite_id: randomUUID(), auth_hash: 'a'.repeat(64) }),
  'channel:routes:write': ({ orgId }) => ({ org_id: orgId }),
  'escalation:contacts:write': () => ({ email: `${randomUUID()}@example.com` }),
};

/** Reads whose path has no place for their project. */
const readsOfProject = [
  'project:deploys:read',
  'project:mail:read',
  'project:assets:read',
  'project:functions:read',
  'project:signers:read',
  'project:jobs:read',
  // Its body is the job.
  'project:jobs:write',
  'project:ai:read',
];

/** Sends the probe of an action. */
function probe(action: string, actor: Actor, target: Target) {
  const { route } = probes.find((one) => one.action === action)!;
  const { orgId, projectId } = target;
  const params: Record<string, string> = {
    org_id: orgId,
    id: projectId,
    project_id: projectId,
    room_key: projectId,
    tier: 'team',
    escalation_id: homeEscalation,
    topup_id: topups[orgId]!,
    name: 'probed',
  };
  // What an action is about stands in the path, or, where the path has no place for it, in the query or the body.
  const path = route.path.replaceAll(/:(\w+)/g, (_all, name: string) => params[name]!);
  const search = ['project:list', 'channel:routes:read'].includes(action)
    ? `?org_id=${orgId}`
    : readsOfProject.includes(action)
      ? `?project_id=${projectId}`
      : '';
  const sample = samples.get(`${route.method} ${route.path}`)?.({ org: orgId, project: projectId }).body;
  const body = route.method === 'GET' ? undefined : { ...sample, ...bodies[action]?.(target) };
  const headers = ['org:slug:claim', 'project:jobs:write', 'channel:routes:write'].includes(action)
    ? { 'idempotency-key': randomUUID() }
    : {};
  return service.call<{ code?: string; details?: { reason?: string } }>(actor, route.method, path + search, {
    body,
    headers,
  });
}

/** Actions that want a live release with a function, which goes with each deletion of its project. */
const ofFunctions = [
  'project:functions:run',
  'project:functions:write',
  'project:functions:rebuild',
  'project:apps:write',
];

/** What a caller is told about an action: OK or the code, with the reason where there is one. */
async function verdict(action: string, actor: Actor, target: Target = home): Promise<string> {
  if (ofFunctions.includes(action))
    await releasesOf({ service, params: { project_id: target.projectId } }).withFunction('probed');
  if (action === 'org:voucher:redeem') voucher = await putVoucher(service);
  // A signer takes a balance of 30 days of rent.
  if (action === 'project:signers:write')
    await control.sql(
      `insert into org_balances (org_id, available_usd_micros) select org_id, 5000000 from projects where id = $1
       on conflict (org_id) do update set available_usd_micros = 5000000`,
      [target.projectId],
    );
  const answer = await probe(action, actor, target);
  if (answer.status < 300 && isWrite(action)) await revive(service, target.projectId);
  if (action === 'project:transfer') await offersOf(service).clear(target.projectId);
  // An organization has only so many that are open, and contacts.
  if (action === 'escalation:raise') await control.sql('delete from escalations where id <> $1', [homeEscalation]);
  if (action === 'escalation:contacts:write') await control.sql('delete from escalation_contacts');
  if (answer.status < 300) return 'OK';
  expect(answer.status, action).toBe(403);
  const { code, details } = answer.body;
  return details?.reason === undefined ? code! : `${code} ${details.reason}`;
}

/** Keys may do what an owner may, so reading them is no mere reading. */
const isWrite = (action: string) =>
  action === 'project:keys:read' || kindOf(probes.find((probe) => probe.action === action)!.route) === 'mutation';
const kindOf = ({ operation }: (typeof routes)[number]) => operations.find(({ name }) => name === operation)!.kind;
const has = (list: string, item: string) => list.split(' ').includes(item);
const targets = new Map(restTargets().map(({ name, names }) => [name, names]));
const routeOf = (action: string) => probes.find((one) => one.action === action)!.route;
const onRoom = (action: string) => routeOf(action).path.includes(':room_key');
/** Whether a project is all that the path names. */
const onProject = (action: string) => {
  const names = targets.get(`${routeOf(action).method} ${routeOf(action).path}`) ?? [];
  return !onRoom(action) && names.length === 1 && names[0] === 'project';
};
const reasonOfStranger = (action: string) => (onProject(action) ? 'project_not_found' : 'member');

async function walletOf() {
  const wallet = actors.wallet();
  const me = await service.call<{ principal: { id: string } }>(wallet, 'GET', '/agent/v1/whoami');
  return { wallet, principalId: me.body.principal.id };
}

/** What a person's session needs an approval of, beside its right, and of what. */
const approvals: Readonly<Record<string, () => readonly [approval: string, target: string]>> = {
  'project:create': () => ['org.project.create', home.orgId],
  'project:secrets:write': () => ['project.secret.write', home.projectId],
  'project:snapshots:manage': () => ['project.snapshots.manage', home.projectId],
  'project:branches:manage': () => ['project.branches.manage', home.projectId],
  'project:archives:export': () => ['project.archives.export', home.projectId],
  'project:deploys:write': () => ['project.deploy', home.projectId],
  'project:assets:write': () => ['project.deploy', home.projectId],
};

/** A person with a fresh passkey and, for an action that needs it, the approval. */
async function personOf(principalId: string): Promise<(action: string) => Actor> {
  const session = await actors.session({ principalId, passkeyAgeSeconds: 1 });
  const headers = await session.headers('/');
  const approved = new Map<string, Actor>();
  for (const [action, approval] of Object.entries(approvals))
    approved.set(
      action,
      withHeaders({ ...headers, 'x-svc-write-auth': await actors.approval(session, ...approval()) }),
    );
  const plain = withHeaders({ ...headers });
  return (action) => approved.get(action) ?? plain;
}

test.each(roles)('%s: each action answers as the matrix says, for every credential of the member', async (role) => {
  const { wallet, principalId } = await walletOf();
  await actors.member(home.orgId, principalId, role);
  const person = await personOf(principalId);
  const operator = await actors.session({ kind: 'operator', principalId });
  for (const [action, cell] of Object.entries(expected)) {
    const allowed = has(cell.roles, role);
    const told = await verdict(action, wallet);
    note(action, `role ${role}`, told === 'OK');
    expect(told, action).toBe(allowed ? 'OK' : 'NOT_AUTHORIZED forbidden');
    // With the right approval in hand a session is told that no approval would help.
    const tooLow = action in approvals ? 'ABOVE_WRITE_AUTH_CEILING forbidden' : 'NOT_AUTHORIZED forbidden';
    expect(await verdict(action, person(action)), action).toBe(allowed ? 'OK' : tooLow);
    const reads = allowed ? 'OK' : 'NOT_AUTHORIZED forbidden';
    expect(await verdict(action, operator), action).toBe(isWrite(action) ? 'FORBIDDEN' : reads);
  }
});

test.each(['invited', 'suspended', 'revoked', 'none'])('a membership that is %s authorizes nothing', async (status) => {
  const { wallet, principalId } = await walletOf();
  if (status !== 'none') await actors.member(home.orgId, principalId, 'owner', status);
  const operator = await actors.session({ kind: 'operator', principalId });
  const callers = [() => wallet, await personOf(principalId), () => operator];
  for (const action of Object.keys(expected)) {
    for (const [at, caller] of callers.entries()) {
      const refused = at === 2 && isWrite(action) ? 'FORBIDDEN' : `NOT_AUTHORIZED ${reasonOfStranger(action)}`;
      expect(await verdict(action, caller(action)), `${action} ${at}`).toBe(refused);
    }
  }
});

test('a membership of one organization says nothing in another', async () => {
  for (const action of Object.keys(expected)) {
    expect(await verdict(action, elsewhere.wallet), action).toBe(`NOT_AUTHORIZED ${reasonOfStranger(action)}`);
  }
});

async function grant(principalId: string, capability: string, over: Partial<Target> & { end?: string } = {}) {
  const { orgId, projectId } = { ...home, ...over };
  const id = randomUUID();
  await control.sql(
    'insert into project_grants (org_id, id, project_id, principal_id, capability) values ($1, $2, $3, $4, $5)',
    [orgId, id, projectId, principalId, capability],
  );
  if (over.end !== undefined) await control.sql(`update project_grants set ${over.end} where id = $1`, [id]);
  return id;
}

test.each(sample(capabilities, 4))(
  'a grant of %s reaches what the matrix says, and nothing when it has ended',
  async (one) => {
    const { wallet, principalId } = await walletOf();
    await grant(principalId, one);
    const ended = await walletOf();
    await grant(ended.principalId, one, { end: 'revoked_at = now()' });
    await grant(ended.principalId, one, { end: `expires_at = now()` });
    await grant(ended.principalId, one, { orgId: elsewhere.orgId, projectId: elsewhere.projectId });
    const lasting = await walletOf();
    await grant(lasting.principalId, one, { end: `expires_at = now() + interval '1 hour'` });
    for (const [action, cell] of Object.entries(expected)) {
      const allowed = has(cell.grants, one);
      // Who holds some grant on the project may know that it exists.
      const known = onProject(action) || onRoom(action) ? 'grant' : reasonOfStranger(action);
      const answer = allowed ? 'OK' : `NOT_AUTHORIZED ${known}`;
      const told = await verdict(action, wallet);
      note(action, `grant ${one}`, told === 'OK');
      expect(told, action).toBe(answer);
      expect(await verdict(action, lasting.wallet), action).toBe(answer);
      const none = `NOT_AUTHORIZED ${reasonOfStranger(action)}`;
      expect(await verdict(action, ended.wallet), action).toBe(none);
      // A grant is on one project; it opens what is the whole organization’s.
      if (allowed && action.startsWith('escalation:')) continue;
      const beside = { orgId: home.orgId, projectId: sibling.projectId };
      expect(await verdict(action, wallet, beside), action).toBe(none);
    }
  },
);

test.each(sample(capabilities, 4))(
  'a delegate with %s reaches what the matrix says, in its own project',
  async (one) => {
    const { orgId, projectId } = home;
    const delegate = await actors.delegate({ orgId, projectId, capabilities: [one] });
    // Whoever is refused too often is told to wait: each delegate asks for what it may be refused in that time.
    const [afar, beside] = await Promise.all([
      actors.delegate({ orgId, projectId, capabilities: [one] }),
      actors.delegate({ orgId, projectId, capabilities: [one] }),
    ]);
    for (const [action, cell] of Object.entries(expected)) {
      const refused = cell.delegates === '' ? 'NOT_AUTHORIZED forbidden' : 'NOT_AUTHORIZED grant';
      const told = await verdict(action, delegate);
      note(action, `delegate ${one}`, told === 'OK');
      expect(told, action).toBe(has(cell.delegates, one) ? 'OK' : refused);
      const foreign = has(cell.delegates, one) ? `NOT_AUTHORIZED ${reasonOfStranger(action)}` : refused;
      expect(await verdict(action, afar, elsewhere), action).toBe(foreign);
      // Named rooms, and so their list, belong to the whole organization, as escalations do. Lists show one’s own alone.
      if (
        action === 'room:list' ||
        action === 'project:list' ||
        // The money is the organization’s, too.
        action === 'org:topup' ||
        (action.startsWith('escalation:') && has(cell.delegates, one))
      )
        continue;
      expect(await verdict(action, beside, { orgId, projectId: sibling.projectId }), action).toBe(foreign);
    }
  },
);

test('a delegate whose scope names another project than its grant reaches neither', async () => {
  const { orgId, projectId } = home;
  const delegate = await actors.delegate({ orgId, projectId, capabilities: ['read'] });
  const scope = { v: 1, capabilities: ['read'], projects: [sibling.projectId] };
  await control.sql('update delegates set scope = $2 where id = $1', [delegate.delegateId, JSON.stringify(scope)]);
  const refused = 'NOT_AUTHORIZED project_not_found';
  expect(await verdict('project:read', delegate)).toBe(refused);
  expect(await verdict('project:read', delegate, { orgId, projectId: sibling.projectId })).toBe(refused);
});

test('a service key reaches its own project and default room to read, deletes the one, and nothing else', async () => {
  const key = actors.bearer(home.serviceKey);
  for (const [action, cell] of Object.entries(expected)) {
    const told = await verdict(action, key);
    note(action, 'service key', told === 'OK');
    // Contract 02, section 3.2, has a refusal of its own.
    const refused = action === 'escalation:raise' ? 'NOT_AUTHORIZED forbidden' : 'FORBIDDEN';
    expect(told, action).toBe(cell.serviceKey ? 'OK' : refused);
    expect(await verdict(action, key, elsewhere), action).toBe(refused);
    if (action === 'room:list') continue;
    const beside = { orgId: home.orgId, projectId: sibling.projectId };
    expect(await verdict(action, key, beside), action).toBe(refused);
  }
});

test('the platform admin reads what the matrix says, everywhere', async () => {
  for (const [action, cell] of Object.entries(expected)) {
    for (const target of [home, elsewhere]) {
      const told = await verdict(action, actors.admin, target);
      note(action, 'admin', told === 'OK');
      expect(told, action).toBe(cell.admin ? 'OK' : 'FORBIDDEN');
    }
  }
});

test('an anon key is told that it cannot act here, but for what everybody may do', async () => {
  for (const [action, { anonKey }] of Object.entries(expected)) {
    const { status, body } = await probe(action, actors.apikey(home.anonKey), home);
    expect(status < 300 ? 'OK' : body.code, action).toBe(anonKey ? 'OK' : 'AUTH_REQUIRED');
    if (anonKey) expect(await verdict(action, actors.apikey(home.anonKey), elsewhere), action).toBe('FORBIDDEN');
  }
});

/** Rooms of a list, by the keys that a caller is shown. */
async function roomsSeenBy(actor: Actor): Promise<string[]> {
  const { body } = await service.call<{ rooms: { room_key: string }[] }>(actor, 'GET', `/orgs/v1/${home.orgId}/rooms`);
  return body.rooms.map(({ room_key }) => room_key).sort();
}

test('named rooms are open to members, delegates and grants; a service key has its default room alone', async () => {
  const { wallet, orgId, projectId, serviceKey } = home;
  const say = (actor: Actor, key: string) =>
    service.call(actor, 'POST', `/orgs/v1/${orgId}/rooms/${key}/messages`, { body: { body: 'hello' } });
  const read = (actor: Actor, key: string) => service.call(actor, 'GET', `/orgs/v1/${orgId}/rooms/${key}/messages`);
  for (const key of ['standup', projectId, sibling.projectId]) expect((await say(wallet, key)).status).toBe(201);

  const delegate = await actors.delegate({ orgId, projectId, capabilities: ['deploy'] });
  const holder = await walletOf();
  await grant(holder.principalId, 'deploy');
  for (const actor of [delegate, holder.wallet]) {
    expect((await say(actor, 'standup')).status).toBe(201);
    expect((await say(actor, projectId)).status).toBe(201);
    expect((await say(actor, sibling.projectId)).status).toBe(403);
    expect((await read(actor, sibling.projectId)).status).toBe(403);
  }
  const key = actors.bearer(serviceKey);
  expect([(await read(key, projectId)).status, (await say(key, projectId)).status]).toEqual([200, 403]);
  expect([(await read(key, 'standup')).status, (await read(key, sibling.projectId)).status]).toEqual([403, 403]);

  expect(await roomsSeenBy(wallet)).toEqual([projectId, sibling.projectId, 'standup'].sort());
  expect(await roomsSeenBy(delegate)).toEqual([projectId, 'standup'].sort());
  expect(await roomsSeenBy(key)).toEqual([projectId]);
});
