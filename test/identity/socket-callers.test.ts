import { afterAll, beforeAll, expect, test } from 'vitest';
import { signSessionToken } from '../../resolvers/identity/shared/session-token.ts';
import { type Actor, withHeaders } from '../helpers/actors.ts';
import { openRawSocket, type RawSocket } from '../helpers/raw-socket.ts';
import { sharedService } from '../helpers/shared-service.ts';

const service = await sharedService();
afterAll(() => service.stop());

const { actors, control } = service;

let home: Awaited<ReturnType<typeof service.project>>;
beforeAll(async () => {
  home = await service.project();
});

const read = () => `{ room(org: "${home.orgId}", room: "${home.projectId}") { key } }`;
const write = () =>
  `mutation { sendRoomMessage(input: { org: "${home.orgId}", room: "${home.projectId}", body: "hello" }) { body } }`;

/** OK, or the code of the refusal. */
async function answerOf(socket: RawSocket, query: string): Promise<string> {
  const { frames } = await socket.run(query);
  return frames[0]!.payload.errors?.[0]?.extensions.code ?? 'OK';
}

/** What a socket that is open may do before and after its credential has ended. */
async function beforeAndAfter(actor: Actor, end: () => Promise<unknown>, writes = true) {
  const socket = await openRawSocket(service.url, actor);
  try {
    expect(await answerOf(socket, read())).toBe('OK');
    if (writes) expect(await answerOf(socket, write())).toBe('OK');
    await end();
    const messages = () => control.sql('select id from room_messages where org_id = $1', [home.orgId]);
    const before = await messages();
    const after = [await answerOf(socket, read()), await answerOf(socket, write())];
    expect(await messages()).toEqual(before);
    return after;
  } finally {
    await socket.close();
  }
}

const refused = ['INVALID_AUTH', 'INVALID_AUTH'];

test.each(['control_plane', 'operator'] as const)('an open socket ends with its %s session', async (kind) => {
  const { principalId } = home;
  const code = kind === 'operator' ? 'OPERATOR_SESSION_INVALID' : 'INVALID_AUTH';
  for (const end of ['revoked_at = now()', 'absolute_expires_at = now()']) {
    const session = await actors.session({ kind, principalId });
    const after = await beforeAndAfter(
      session,
      () => control.sql(`update sessions set ${end} where id = $1`, [session.sessionId]),
      kind === 'control_plane',
    );
    expect(after, end).toEqual([code, code]);
  }
});

test('an open socket ends with the time of its token', async () => {
  const session = await actors.session({ principalId: home.principalId });
  const { keys } = service.app.services;
  const named = { id: session.sessionId, kind: 'control_plane', subject: home.principalId } as const;
  const signedAt = Date.now() - 897_500;
  const token = await signSessionToken(
    keys,
    { ...named, provenance: 'loopback_pkce', amrTimes: {} },
    new Date(signedAt),
  );
  const socket = await openRawSocket(service.url, withHeaders({ authorization: `Bearer ${token}` }));
  try {
    expect(await answerOf(socket, read())).toBe('OK');
    // Nothing is run, and the client is told to come back with another token.
    await expect.poll(async () => (await socket.run(read())).closed).toBe(4403);
    // A clock that is corrected meanwhile steps back by some milliseconds; tokens count whole seconds.
    expect(Math.round(Date.now() / 1000)).toBeGreaterThanOrEqual(Math.floor(signedAt / 1000) + 900);
  } finally {
    await socket.close();
  }
});

test('an open socket ends with its delegate, with the grant behind it and with its project’s key', async () => {
  const { orgId, projectId } = home;
  const delegate = () => actors.delegate({ orgId, projectId, capabilities: ['read'] });
  const revoked = await delegate();
  const byDelegate = 'update delegates set revoked_at = now() where id = $1';
  expect(await beforeAndAfter(revoked, () => control.sql(byDelegate, [revoked.delegateId]))).toEqual(refused);
  const ungranted = await delegate();
  const byGrant = 'update project_grants set expires_at = now() where id = $1';
  expect(await beforeAndAfter(ungranted, () => control.sql(byGrant, [ungranted.grantId]))).toEqual(refused);

  const deleted = 'update projects set deleted_at = now() where id = $1';
  const key = actors.bearer(home.serviceKey);
  expect(await beforeAndAfter(key, () => control.sql(deleted, [projectId]), false)).toEqual(refused);
  await control.sql('update projects set deleted_at = null where id = $1', [projectId]);
});

test('an open socket of a wallet ends with its principal, and outlives its signature', async () => {
  const wallet = actors.wallet();
  const me = await service.call<{ principal: { id: string } }>(wallet, 'GET', '/agent/v1/whoami');
  await actors.member(home.orgId, me.body.principal.id, 'viewer');
  const disable = 'update principals set disabled_at = now() where id = $1';
  expect(await beforeAndAfter(wallet, () => control.sql(disable, [me.body.principal.id]))).toEqual(refused);

  // One signature, spent when the socket was opened, is good for every change that is sent through it.
  const socket = await openRawSocket(service.url, home.wallet);
  try {
    for (let time = 0; time < 3; time++) expect(await answerOf(socket, write())).toBe('OK');
    await control.sql('delete from wallet_nonces');
    expect(await answerOf(socket, write())).toBe('OK');
    expect(await control.sql('select 1 from wallet_nonces')).toEqual([]);
  } finally {
    await socket.close();
  }
});

test('an open socket of a member who is removed may do no more', async () => {
  const session = await actors.session();
  await actors.member(home.orgId, session.principalId, 'viewer');
  const end = () => actors.member(home.orgId, session.principalId, 'viewer', 'revoked');
  expect(await beforeAndAfter(session, end)).toEqual(['NOT_AUTHORIZED', 'NOT_AUTHORIZED']);
});

test('credentials of a socket have the names of headers, in any case', async () => {
  const { token } = await actors.session({ principalId: home.principalId });
  for (const name of ['Authorization', 'AUTHORIZATION']) {
    const socket = await openRawSocket(service.url, withHeaders({ [name]: `Bearer ${token}` }));
    expect(await answerOf(socket, read())).toBe('OK');
    await socket.close();
  }
  const twice = withHeaders({ Authorization: `Bearer ${token}`, authorization: 'Bearer another' });
  await expect(openRawSocket(service.url, twice)).rejects.toThrow('closed with 4403');
});
