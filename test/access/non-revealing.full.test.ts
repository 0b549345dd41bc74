import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type IdPrefix, newId } from '../../core/ids.ts';
import { operations } from '../../resolvers/index.ts';
import { type Actor, withHeaders } from '../helpers/actors.ts';
import { runOnSocket } from '../helpers/raw-socket.ts';
import { revive } from '../helpers/revive.ts';
import { startService } from '../helpers/service.ts';
import { graphTargets, nodeTypes } from './graph-targets.ts';
import { type Ids, restTargets } from './rest-targets.ts';

/**
 * Whoever has no right to a thing is answered as if it did not exist: the same status, body and headers, after the
 * same statements, on every road that leads to one. Contract 01, section 1.12.
 */
// Strangers without a credential are told apart by their addresses.
const service = await startService({ env: { TRUSTED_PROXIES: '127.0.0.1', SVC_LEASES: 'on' }, jobs: false });
afterAll(() => service.stop());

/** Somebody else's organization and project, with a room that is in use. */
let foreign: Awaited<ReturnType<typeof service.project>>;
let foreignIds: Ids;
/** One of its objects of each type, by global id. */
let foreignNodes: Readonly<Record<string, string>>;

beforeAll(async () => {
  foreign = await service.project();
  foreignIds = { org: foreign.orgId, project: foreign.projectId };
  const address = `org: "${foreign.orgId}", room: "${foreign.projectId}"`;
  const { data } = await service.graphql(
    foreign.wallet,
    `mutation {
      presence: joinRoom(input: { ${address}, requestedName: "Lasting" }) { id }
      claim: createRoomClaim(input: { ${address}, resource: "deploy", mode: SHARED }) { id }
      message: sendRoomMessage(input: { ${address}, body: "hello" }) {
        id
        room { id project { id } organization { id members { edges { node { id } } } } }
      }
    }`,
  );
  const mail = await service.graphql(
    service.actors.admin,
    'mutation { sendTestMail(input: { to: "ada@example.com" }) { id } }',
  );
  // The first slug costs, and so does a paid tier each time that it is set.
  await service.call(service.actors.admin, 'POST', `/orgs/v1/admin/${foreign.orgId}/credits`, {
    body: { amount_usd_micros: 1_000_000_000 },
  });
  const submitted = await service.call<{ job_id: string }>(
    foreign.wallet,
    'POST',
    `/jobs/v1/runs?project_id=${foreign.projectId}`,
    { body: { job_type: 'echo', input: { input_json: {} }, max_cost_usd_micros: 0 }, headers: keyFor() },
  );
  const job = await service.graphql(
    foreign.wallet,
    `{ job(project: "${foreign.projectId}", job: "${submitted.body.job_id}") { id } }`,
  );
  const { room } = data.message;
  foreignNodes = {
    Organization: room.organization.id,
    Member: room.organization.members.edges[0].node.id,
    Project: room.project.id,
    Room: room.id,
    RoomMessage: data.message.id,
    RoomPresence: data.presence.id,
    RoomClaim: data.claim.id,
    OutboxMail: mail.data.sendTestMail.id,
    Job: job.data.job.id,
  };
});

/** A global id of the same make, of something that nobody has. */
const absentOf = (id: string) =>
  id
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, () => randomUUID())
    .replaceAll(/(prn|prj|msg|prs|clm|mail|job)_[0-9a-z]{26}/g, (_all, prefix: IdPrefix) => newId(prefix));

const absentIds = (): Ids => ({ org: randomUUID(), project: newId('prj') });

interface Stranger {
  readonly actor: Actor;
  /** Its own organization and project. */
  readonly own: Ids;
}

type Project = Awaited<ReturnType<typeof service.project>>;

let strangers = 0;

const kinds: Readonly<Record<string, (own: Project) => Actor | Promise<Actor>>> = {
  nobody: () => withHeaders({ 'x-forwarded-for': `2001:db8:${(++strangers).toString(16)}::1` }),
  wallet: ({ wallet }) => wallet,
  'control-plane session': ({ principalId }) => service.actors.session({ principalId, passkeyAgeSeconds: 1 }),
  'control-plane session with an approval': async ({ principalId }) => {
    const session = await service.actors.session({ principalId, passkeyAgeSeconds: 1 });
    const approval = await service.actors.approval(session, 'org.project.create', foreignIds.org);
    return withHeaders({ ...(await session.headers('/')), 'x-svc-write-auth': approval });
  },
  'operator session': ({ principalId }) => service.actors.session({ kind: 'operator', principalId }),
  delegate: ({ orgId, projectId }) => service.actors.delegate({ orgId, projectId, capabilities: ['read'] }),
  'service key': ({ serviceKey }) => service.actors.bearer(serviceKey),
  'anon key': ({ anonKey }) => service.actors.apikey(anonKey),
};

/** A new one for each test: a caller may be refused only so often in a row. */
async function strangerOf(kind: string): Promise<Stranger> {
  const own = await service.project();
  const actor = await kinds[kind]!(own);
  return { actor, own: { org: own.orgId, project: own.projectId } };
}

/** Goes through many targets by turns of callers: each may be refused only so often in a row. */
async function byTurns<Target, Caller>(
  make: () => Promise<Caller>,
  targets: readonly Target[],
  run: (target: Target, caller: Caller) => Promise<void>,
) {
  for (let at = 0; at < targets.length; at += 20) {
    const caller = await make();
    for (const target of targets.slice(at, at + 20)) await run(target, caller);
  }
}

/** Everything that a caller could learn from: the answer, and what was asked of Postgres for it. */
async function observed(send: () => Promise<unknown>) {
  let answer: unknown;
  const statements = await service.statements(async () => {
    answer = await send();
  });
  // Sizes are remembered and measured for charts, too, so whether they are measured now is a matter of when they last were;
  // and that a credential is used is noted once a minute.
  const ofTheMoment = /pg_database_size|^update "\w+" set "last_used_at" = now\(\)/;
  return { answer, statements: statements.filter((text) => !ofTheMoment.test(text)) };
}

const untraced = (text: string) => text.replaceAll(/trc_[0-9a-f]{32}/g, 'trc');

async function http(actor: Actor, method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const answer = await service.call(actor, method, path, { body, headers });
  const seen = Object.fromEntries(answer.headers);
  for (const name of ['date', 'x-svc-trace-id']) delete seen[name];
  return { status: answer.status, headers: seen, text: untraced(answer.text) };
}

const graph = (actor: Actor, query: string, headers?: Record<string, string>) =>
  http(actor, 'POST', '/graphql', { query }, headers);

/** Every way to be wrong about a target that names these, in groups that have to be answered alike. */
function guesses(names: readonly (keyof Ids)[], own: Ids): Ids[][] {
  const absent = absentIds();
  if (names.length < 2) return [[absent, foreignIds]];
  return [
    [absent, foreignIds, { ...foreignIds, project: absent.project }, { ...absent, project: foreignIds.project }],
    // Inside the caller's own organization the project is what is guessed.
    [
      { ...own, project: absent.project },
      { ...own, project: foreignIds.project },
    ],
  ];
}

async function expectAlike(name: string, sends: readonly (() => Promise<unknown>)[]) {
  const seen = [];
  for (const send of sends) seen.push(await observed(send));
  for (const one of seen.slice(1)) expect(one, name).toEqual(seen[0]);
  const said = JSON.stringify(seen[0]!.answer);
  expect(said, name).not.toMatch(/NOT_FOUND|RATE_LIMITED|VALIDATION_FAILED|GRAPHQL_|INTERNAL_ERROR|"status":404/);
  return seen[0]!;
}

/** Whether it is for the platform admin alone. */
const takesAnonKey = (operation: string) =>
  operations.find(({ name }) => name === operation)!.access.action?.anonKey === true;
const isOfAdmin = (operation: string) => operations.find(({ name }) => name === operation)!.access.openTo === 'admin';

/** Leaving what is not there is no error, and a function that is there no more may have runs. */
const withoutError: readonly unknown[] = ['rooms.leave', 'functions.listRuns'];
/** What the project's own service key alone may do is done by it. */
const mayDo = (operation: unknown): Actor =>
  operation === 'events.emit' ? service.actors.bearer(foreign.serviceKey) : foreign.wallet;

/** A key of a request's own, or the one that its body says: the two have to agree. */
const keyFor = (body: { readonly idempotency_key?: string } = {}) => ({
  'idempotency-key': body.idempotency_key ?? randomUUID(),
});

/** What whoever may is told where something is missing that is neither an organization nor a project. */
const toldInstead: Readonly<Record<string, string>> = {
  'ai.translate': 'AI_NOT_CONFIGURED',
  'ai.moderate': 'AI_NOT_CONFIGURED',
  'ai.generateImage': 'AI_NOT_CONFIGURED',
  'apps.fork': 'APP_VERSION_NOT_FOUND',
  'apps.getFork': 'APP_FORK_NOT_FOUND',
  'apps.publish': 'APP_NOTHING_TO_PUBLISH',
  'archives.commitUpload': 'ARCHIVE_UPLOAD_NOT_FOUND',
  'archives.import': 'ARCHIVE_UPLOAD_NOT_FOUND',
  'archives.inspect': 'ARCHIVE_UPLOAD_NOT_FOUND',
  'archives.verify': 'ARCHIVE_UPLOAD_NOT_FOUND',
  'billing.createCheckout': 'CARD_CHECKOUT_NOT_CONFIGURED',
  'billing.linkWallet': 'FORBIDDEN',
  'ci.createBinding': 'CI_DELEGATION_INVALID',
  'contracts.call': 'RESOURCE_NOT_FOUND',
  'contracts.deploy': 'RESOURCE_NOT_FOUND',
  // Nobody but its parties is told whether there is such a transfer.
  'transfers.accept': 'NOT_AUTHORIZED',
  'transfers.cancel': 'NOT_AUTHORIZED',
  'transfers.initiate': 'VALIDATION_FAILED',
  'transfers.preview': 'NOT_AUTHORIZED',
  'vaults.find': 'VAULT_NOT_FOUND',
  'vouchers.redeem': 'VOUCHER_NOT_FOUND',
};

test('what the loops walk over is reached by those who may', async () => {
  for (const { name, operation, inner, request } of restTargets()) {
    const wallet = mayDo(operation);
    const { method, path, body } = request(foreignIds);
    const headers = keyFor(body);
    const asOwner = await service.call<{ code?: string }>(wallet, method, path, { body, headers });
    const answer =
      asOwner.body.code === 'ADMIN_REQUIRED'
        ? await service.call<{ code?: string }>(service.actors.admin, method, path, { body })
        : asOwner;
    await revive(service, foreignIds.project);
    const instead = toldInstead[String(operation)];
    if (instead !== undefined) {
      expect(answer.body.code, name).toBe(instead);
      continue;
    }
    expect(answer.body.code ?? 'OK', name).toMatch(
      inner && !withoutError.includes(operation) ? /^[A-Z_]+_NOT_FOUND$/i : /^OK$/,
    );
  }
  for (const { name, operation, kind, field, inner, document } of graphTargets().filter(
    (target) => target.kind !== 'subscription',
  )) {
    const wallet = mayDo(operation);
    // A project that was deleted on the way has lost its users.
    if (operation === 'users.promote' || operation === 'users.demote') {
      const body = { project_id: foreignIds.project, email: 'ada@example.com' };
      await service.call(wallet, 'POST', '/auth/v1/admin/users', { body });
    }
    const asOwner = await service.graphql(wallet, document(foreignIds, randomUUID()));
    const refused = asOwner.errors?.[0]?.extensions.code;
    const answer =
      refused === 'ADMIN_REQUIRED' ? await service.graphql(service.actors.admin, document(foreignIds)) : asOwner;
    await revive(service, foreignIds.project);
    const code = answer.errors?.[0]?.extensions.code ?? 'OK';
    if (withoutError.includes(operation)) {
      expect([code, answer.data[field]], name).toEqual(['OK', null]);
      continue;
    }
    // The paths have made a vault.
    const instead = operation === 'vaults.find' ? undefined : toldInstead[String(operation)];
    if (instead !== undefined) {
      expect(code, name).toBe(instead);
      continue;
    }
    // A project that the walk deleted and that was put back has no users any more.
    const usual = String(operation).startsWith('users.') ? /^(OK|RESOURCE_NOT_FOUND)$/ : /^OK$/;
    expect(code, name).toMatch(inner ? /^[A-Z_]+_NOT_FOUND$/i : usual);
    if (code === 'OK') expect(answer.data[field], `${kind} ${name}`).not.toBeNull();
  }
  expect(restTargets().length).toBeGreaterThan(10);
  expect(graphTargets().map(({ kind }) => kind)).toEqual(expect.arrayContaining(['query', 'mutation', 'subscription']));
});

test('a deleted project is to its own members one that never was', async () => {
  const deleted = async () => {
    const { wallet, orgId, projectId } = await service.project();
    const address = `org: "${orgId}", room: "${projectId}"`;
    const { data } = await service.graphql(
      wallet,
      `mutation { sendRoomMessage(input: { ${address}, body: "hello" }) { id room { id project { id } } } }`,
    );
    await service.control.sql('update projects set deleted_at = now() where id = $1', [projectId]);
    const guessed = [absentIds().project, projectId].map((project) => ({ org: orgId, project }));
    return { wallet, guessed, message: data.sendRoomMessage };
  };
  const paths = restTargets().filter(({ names }) => names.includes('project'));
  await byTurns(deleted, paths, async ({ name, request }, { wallet, guessed }) => {
    await expectAlike(
      name,
      guessed.map((ids) => () => {
        const { method, path, body } = request(ids);
        return http(wallet, method, path, body);
      }),
    );
  });
  const fields = graphTargets().filter(({ names, kind }) => names.includes('project') && kind !== 'subscription');
  await byTurns(deleted, fields, async ({ name, document }, { wallet, guessed }) => {
    await expectAlike(
      name,
      guessed.map((ids) => () => graph(wallet, document(ids))),
    );
  });
  const { wallet, message } = await deleted();
  const { id, room } = message;
  for (const node of [id, room.id, room.project.id]) {
    const seen = await expectAlike(
      node,
      [absentOf(node), node].map((one) => () => graph(wallet, `{ node(id: "${one}") { __typename id } }`)),
    );
    expect(JSON.parse((seen.answer as { text: string }).text)).toEqual({ data: { node: null } });
  }
});

describe.each(Object.keys(kinds))('%s', (kind) => {
  test('every path answers an absent and a foreign id alike', async () => {
    await byTurns(
      () => strangerOf(kind),
      restTargets(),
      async ({ name, operation, names, request }, { actor, own }) => {
        for (const group of guesses(names, own)) {
          const seen = await expectAlike(
            name,
            group.map((ids) => () => {
              const { method, path, body } = request(ids);
              return http(actor, method, path, body);
            }),
          );
          const forAdmin = isOfAdmin(operation);
          const needsCredential = kind === 'nobody' || (kind === 'anon key' && !forAdmin && !takesAnonKey(operation));
          // Whoever pays for a tier is known by the payment, so that nobody is asked for one, whatever is named.
          const mayPay = kind === 'nobody' && name === 'POST /tiers/v1/:tier';
          const expected = mayPay ? 402 : needsCredential ? 401 : 403;
          expect((seen.answer as { status: number }).status, name).toBe(expected);
        }
      },
    );
  });

  test('every field answers an absent and a foreign id alike', async () => {
    await byTurns(
      () => strangerOf(kind),
      graphTargets(),
      async ({ name, names, document }, { actor, own }) => {
        for (const group of guesses(names, own)) {
          const accept = name.startsWith('subscription') ? { accept: 'text/event-stream' } : undefined;
          const seen = await expectAlike(
            name,
            group.map((ids) => () => graph(actor, document(ids), accept)),
          );
          expect(JSON.stringify(seen.answer), name).toMatch(/NOT_AUTHORIZED|FORBIDDEN|AUTH_REQUIRED|ADMIN_REQUIRED/);
        }
      },
    );
  });

  test('node answers an absent and a foreign id alike', async () => {
    const { actor } = await strangerOf(kind);
    // A new type of node belongs in `foreignNodes`.
    expect(Object.keys(foreignNodes).sort()).toEqual([...nodeTypes].sort());
    for (const [type, id] of Object.entries(foreignNodes)) {
      const seen = await expectAlike(
        type,
        [absentOf(id), id, absentOf(id)].map((one) => () => graph(actor, `{ node(id: "${one}") { __typename id } }`)),
      );
      expect(JSON.parse((seen.answer as { text: string }).text), type).toEqual({ data: { node: null } });
    }
  });

  test('a subscription over graphql-ws answers an absent and a foreign id alike', async () => {
    const { actor, own } = await strangerOf(kind);
    for (const { name, names, document } of graphTargets().filter((target) => target.kind === 'subscription')) {
      for (const group of guesses(names, own)) {
        const seen = await expectAlike(
          name,
          group.map(
            (ids) => async () =>
              JSON.parse(untraced(JSON.stringify(await runOnSocket(service.url, actor, document(ids))))),
          ),
        );
        expect(seen.answer).toMatchObject({ closed: null });
        expect(JSON.stringify(seen.answer)).toMatch(/NOT_AUTHORIZED|FORBIDDEN|AUTH_REQUIRED/);
      }
    }
  });
});

/** A principal raises only so many escalations in a day, and is in a room only so often at a time. */
const makePlace = async () => {
  await service.control.sql('delete from escalations');
  await service.control.sql(`update room_presences set expires_at = now() where name <> 'Lasting'`);
};

// They ask about every change as every caller, which takes a busy machine longer than other tests.
describe('the key of another’s request replays nothing, and a refusal is refused again alike', {
  timeout: 1_200_000,
}, () => {
  const strangersOfAllKinds = () => Promise.all(Object.keys(kinds).map(strangerOf));
  const changesOf = <Target extends { readonly kind: string }>(targets: readonly Target[]) =>
    targets.filter((target) => target.kind === 'mutation');
  /** Each stranger guesses with the key that whoever may do it has used. */
  const guess = async (
    name: string,
    those: readonly Stranger[],
    sendAs: (who: Actor, ids: Ids) => Promise<unknown>,
  ): Promise<void> => {
    await revive(service, foreignIds.project);
    await makePlace();
    for (const { actor } of those) {
      const absent = absentIds();
      const order = [foreignIds, absent, foreignIds];
      await expectAlike(
        name,
        order.map((ids) => () => sendAs(actor, ids)),
      );
    }
  };

  test('over REST', async () => {
    await byTurns(strangersOfAllKinds, changesOf(restTargets()), async ({ name, operation, inner, request }, those) => {
      const headers = keyFor(request(foreignIds).body);
      const sendAs = (who: Actor, ids: Ids) => {
        const { method, path, body } = request(ids);
        return http(who, method, path, body, headers);
      };
      const first = await sendAs(mayDo(operation), foreignIds);
      const isInstead = toldInstead[operation] !== undefined;
      expect(first.status, name).toBeLessThan(isInstead ? 504 : inner ? 405 : isOfAdmin(operation) ? 404 : 300);
      await guess(name, those, sendAs);
    });
  });

  test('in the graph', async () => {
    await byTurns(
      strangersOfAllKinds,
      changesOf(graphTargets()),
      async ({ name, operation, keyed, document }, those) => {
        expect(keyed, name).toBe(true);
        const key = randomUUID();
        const first = await service.graphql(mayDo(operation), document(foreignIds, key));
        expect(first.errors?.[0]?.extensions.code ?? 'OK', name).toMatch(
          toldInstead[String(operation)] ?? /OK|ADMIN_REQUIRED|_NOT_FOUND/,
        );
        await guess(name, those, (who, ids) => graph(who, document(ids, key)));
      },
    );
  });
});
