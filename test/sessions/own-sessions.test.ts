import { afterAll, expect, test } from 'vitest';
import { withClient } from '../../db/with-client.ts';
import { type Actor, nobody, withHeaders } from '../helpers/actors.ts';
import { openSocket } from '../helpers/graphql-ws-client.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { type Body, freshEmail, operator, peopleOf, pkce, plane, type SoftwareAuthenticator } from './person.ts';

const service = await sharedService();
afterAll(() => service.stop());
const people = peopleOf(service);
const { control, call } = service;
const { post, browserOf } = people;

const holds = async (actor: Actor) => (await call(actor, 'GET', `${plane}/session`)).status === 200;
const reads = async (actor: Actor) => (await call(actor, 'GET', `${operator}/overview`)).status === 200;

interface Shown {
  readonly id: string;
  readonly kind: string;
  readonly subject_hint: string;
}

const authenticators = async (actor: Actor): Promise<Shown[]> =>
  (await call<Body>(actor, 'GET', `${plane}/authenticators`)).body.authenticators;

const remove = (actor: Actor, id: string) => call<Body>(actor, 'DELETE', `${plane}/authenticators/${id}`);

/** Somebody with two passkeys: one that was stolen, and one that was not. */
async function robbed() {
  const person = await people.withPasskey();
  const [stolen] = (await authenticators(person)).filter(({ kind }) => kind === 'passkey');
  const kept = await people.enrol(person);
  const by = async (key: SoftwareAuthenticator) =>
    people.personOf(person.email, (await people.byPasskey(person.email, key)).body);
  return { person, stolen: stolen!, key: person.key, kept, by };
}

/** The session of a command line that somebody lets in by a browser. */
async function commandLine(person: Actor) {
  const trade = await letIn(person);
  const { body } = await trade();
  return withHeaders({ authorization: `Bearer ${body.control_plane_session_token}` });
}

/** Lets a command line in. @returns what fetches its session */
async function letIn(person: Actor) {
  const { verifier, challenge } = pkce();
  const query = new URLSearchParams({
    redirect_uri: 'http://127.0.0.1:43211/callback',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 's',
  });
  const { text } = await call(await browserOf(person), 'GET', `${plane}/cli/authorize?${query}`);
  const flow_id = /name="flow_id" value="([^"]+)"/.exec(text)![1];
  const { body } = await post(person, `${plane}/cli/approve`, { flow_id });
  const code = new URL(body.redirect_url).searchParams.get('code');
  return () => post(nobody, `${plane}/cli/token`, { code, code_verifier: verifier });
}

/** Approves a device. @returns what fetches its session */
async function device(person: Actor) {
  const { body } = await post(nobody, `${operator}/session/device`, { client_name: 'A television' });
  await post(person, `${operator}/session/device/approve`, { user_code: body.user_code, decision: 'approve' });
  return () => post(nobody, `${operator}/session/device/token`, { device_code: body.device_code });
}

test('with a passkey that is removed, every session ends that it began or made fresh, and no other', async () => {
  const { person, stolen, key, kept, by } = await robbed();
  const thief = await by(key);
  const reader = (await people.byPasskey(person.email, key, `${operator}/session/passkey`)).body.operator_session_token;
  const thiefReads = withHeaders({ authorization: `Bearer ${reader}` });
  const freshened = await people.byMail(person.email);
  await people.stepUp(freshened, key);
  const thiefCommands = await commandLine(thief);
  const token = await device(thief);
  const television = withHeaders({ authorization: `Bearer ${(await token()).body.operator_session_token}` });
  const mine = await by(kept);
  const myCommands = await commandLine(mine);
  const mailed = await people.byMail(person.email);

  const { status, body } = await remove(mine, stolen.id);
  // The one that began this test was made fresh by it, too.
  expect([status, body]).toEqual([200, { status: 'revoked', kind: 'passkey', sessions_ended: 6 }]);
  for (const ended of [thief, freshened, thiefCommands, person]) expect(await holds(ended)).toBe(false);
  for (const ended of [thiefReads, television]) expect(await reads(ended)).toBe(false);
  for (const standing of [mine, myCommands, mailed]) expect(await holds(standing)).toBe(true);
});

test('a sign-in that a removed passkey has let in and nobody has fetched is fetched no more', async () => {
  const { stolen, key, kept, by } = await robbed();
  const thief = await by(key);
  const [command, television] = [await letIn(thief), await device(thief)];
  expect((await remove(await by(kept), stolen.id)).status).toBe(200);
  expect((await command()).body.code).toBe('INVALID_GRANT');
  expect((await television()).body.error).toBe('expired_token');
});

test('the cookie of a browser and what a socket follows end with the passkey that they rest on', async () => {
  const { stolen, key, kept, by } = await robbed();
  const thief = await by(key);
  const browser = await browserOf(thief);
  const orgId = (await post(thief, '/orgs/v1')).body.org_id as string;
  await post(thief, `/orgs/v1/${orgId}/rooms/general/messages`, { body: 'before' });
  const { client, follow } = openSocket(service.url, thief);
  const events = follow({ org: orgId, room: 'general' });
  expect((await events.next()).value).toMatchObject({ data: { roomMessages: { message: { body: 'before' } } } });
  expect((await remove(await by(kept), stolen.id)).status).toBe(200);
  expect(await holds(browser)).toBe(false);
  expect((await events.next()).value).toMatchObject({ errors: [{ extensions: { code: 'NOT_AUTHORIZED' } }] });
  await client.dispose();
});

test('a session ends with the passkey that has approved a change for it, however it began', async () => {
  const { person, stolen, key, kept, by } = await robbed();
  const thief = await people.byMail(person.email);
  const orgId = (await post(person, '/orgs/v1')).body.org_id as string;
  const { verifier, challenge } = pkce();
  const action = { action: 'org.project.create', org_id: orgId, code_challenge: challenge, state: 's' };
  const { challenge_id } = (await post(thief, `${plane}/write-auth/challenges`, action)).body;
  const asked = await post(thief, `${plane}/write-auth/options`, { challenge_id });
  const { response } = key.get({ challenge_id: '', ...asked.body });
  const { code } = (await post(thief, `${plane}/write-auth/verify`, { challenge_id, response })).body;
  const trade = { code, code_verifier: verifier, state: 's' };
  expect((await post(nobody, `${plane}/write-auth/cli/token`, trade)).status).toBe(201);
  expect((await remove(await by(kept), stolen.id)).status).toBe(200);
  expect(await holds(thief)).toBe(false);
});

test('a session that removes what it rests on ends itself', async () => {
  const { person, stolen } = await robbed();
  expect((await remove(person, stolen.id)).status).toBe(200);
  expect(await holds(person)).toBe(false);
});

test('with a mail address go the sessions that it began, and nothing goes by it any more', async () => {
  const person = await people.withPasskey();
  const further = freshEmail();
  await post(person, `${plane}/emails`, { email: further });
  await post(person, `${plane}/emails/verify`, { token: await people.tokenOf(further) });
  const mailed = await people.byMail(further);
  const reader = await people.operatorByMail(further);
  const named = await people.byPasskey(further, person.key);
  const byPasskey = people.personOf(further, named.body);
  const command = await letIn(byPasskey);
  const token = (await people.byPasskey(further, person.key, `${operator}/session/passkey`)).body;
  const readerByPasskey = withHeaders({ authorization: `Bearer ${token.operator_session_token}` });
  const { id } = (await authenticators(person)).find(({ subject_hint }) => subject_hint === further)!;
  expect((await remove(person, id)).body).toMatchObject({ kind: 'email', sessions_ended: 3 });
  expect([await holds(mailed), await reads(reader), await reads(readerByPasskey)]).toEqual([false, false, false]);
  // What a passkey began stands, under no address; a device that it approves goes by the one that is left.
  expect((await call<Body>(byPasskey, 'GET', `${plane}/session`)).body.email).toBeNull();
  expect((await (await device(byPasskey))()).body.email).toBe(person.email);
  expect((await command()).body.code).toBe('INVALID_GRANT');
});

test('a person sees what it has open, wherever that is, and from what', async () => {
  const person = await people.withPasskey();
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';
  const inBrowser = await people.byMail(person.email);
  await browserOf(inBrowser, { 'user-agent': userAgent });
  await commandLine(person);
  await (await device(person))();
  const { body } = await call<Body>(person, 'GET', `${plane}/sessions`);
  const seen = body.sessions.map(({ kind, provenance, client, current }: Body) => [kind, provenance, client, current]);
  expect(seen).toEqual(
    expect.arrayContaining([
      ['control_plane', 'email', 'Firefox on Linux', false],
      ['control_plane', 'loopback_pkce', 'Command line', false],
      ['operator', 'device', 'A television', false],
    ]),
  );
  expect(seen.filter(([, , , current]: Body) => current)).toEqual([['control_plane', 'email', null, true]]);
  const [{ last_used_at, idle_expires_at }] = body.sessions;
  expect(Date.parse(idle_expires_at) - Date.parse(last_used_at)).toBe(30 * 60_000);
  const stranger = await people.byMail();
  expect((await call<Body>(stranger, 'GET', `${plane}/sessions`)).body.sessions).toHaveLength(1);
});

const idsOf = async (actor: Actor): Promise<{ current: string; others: string[] }> => {
  const { sessions } = (await call<Body>(actor, 'GET', `${plane}/sessions`)).body;
  return {
    current: sessions.find(({ current }: Body) => current).session_id,
    others: sessions.filter(({ current }: Body) => !current).map(({ session_id }: Body) => session_id),
  };
};

test('a person ends one of its sessions, or all others, and nobody else’s', async () => {
  const person = await people.byMail();
  const [first, second, third] = [
    await people.byMail(person.email),
    await people.operatorByMail(person.email),
    await people.byMail(person.email),
  ];
  const { current } = await idsOf(first);
  const stranger = await people.byMail();
  expect((await post(stranger, `${plane}/sessions/${current}/revoke`)).status).toBe(404);
  expect(await holds(first)).toBe(true);
  expect((await post(person, `${plane}/sessions/${current}/revoke`)).body).toEqual({
    session_id: current,
    revoked: true,
  });
  expect(await holds(first)).toBe(false);
  expect((await post(person, `${plane}/sessions/${current}/revoke`)).status).toBe(404);
  expect((await post(person, `${plane}/sessions/revoke-others`)).body).toEqual({ revoked_count: 2 });
  expect([await reads(second), await holds(third), await holds(person), await holds(stranger)]).toEqual([
    false,
    false,
    true,
    true,
  ]);
  expect((await post(person, `${plane}/sessions/revoke-others`)).body).toEqual({ revoked_count: 0 });
});

test.each([
  ['one of its sessions', (id: string) => `${plane}/sessions/${id}/revoke`],
  ['all others', () => `${plane}/sessions/revoke-others`],
])('what a session has let in and nobody has fetched is void once its person ends %s', async (_which, pathOf) => {
  const person = await people.withPasskey();
  const thief = await people.byMail(person.email);
  await people.stepUp(thief, person.key);
  const { current } = await idsOf(thief);
  const [command, television] = [await letIn(thief), await device(thief)];
  expect((await post(person, pathOf(current))).status).toBe(200);
  expect((await command()).body.code).toBe('INVALID_GRANT');
  expect((await television()).body.error).toBe('expired_token');
});

test('an operator session looks at no sessions and ends none but itself', async () => {
  const reader = await people.operatorByMail();
  expect((await call(reader, 'GET', `${plane}/sessions`)).status).toBe(401);
  expect((await post(reader, `${plane}/sessions/revoke-others`)).body.code).toBe('FORBIDDEN');
});

const idle = (email: string, minutes: number) =>
  control.sql('update sessions set last_used_at = now() - make_interval(mins => $2) where email = $1', [
    email,
    minutes,
  ]);

test('a session ends after half an hour without use, as a bearer and as a cookie', async () => {
  const person = await people.byMail();
  const browser = await browserOf(person);
  const reader = await people.operatorByMail(person.email);
  await idle(person.email, 29);
  expect([await holds(browser), await reads(reader)]).toEqual([true, true]);
  await idle(person.email, 31);
  expect([await holds(browser), await holds(person), await reads(reader)]).toEqual([false, false, false]);
  expect((await post(reader, `${operator}/session/refresh`)).body.code).toBe('OPERATOR_SESSION_INVALID');
});

test('what a session follows ends with it when nobody has used it for half an hour', async () => {
  const person = await people.withPasskey();
  const orgId = (await post(person, '/orgs/v1')).body.org_id as string;
  await post(person, `/orgs/v1/${orgId}/rooms/general/messages`, { body: 'before' });
  const { client, follow } = openSocket(service.url, person);
  const events = follow({ org: orgId, room: 'general' });
  expect((await events.next()).value).toMatchObject({ data: { roomMessages: { message: { body: 'before' } } } });
  await idle(person.email, 32);
  expect((await events.next()).value).toMatchObject({ errors: [{ extensions: { code: 'NOT_AUTHORIZED' } }] });
  await client.dispose();
});

test.each(['a bearer', 'a cookie'])('use by %s puts the idle end off, and is noted once a minute', async (which) => {
  const person = await people.byMail();
  const used = which === 'a cookie' ? await browserOf(person) : person;
  const quietFor = async () =>
    (
      await control.sql<{ seconds: number }>(
        'select extract(epoch from now() - last_used_at)::float8 as seconds from sessions where email = $1',
        [person.email],
      )
    )[0]!.seconds;
  await idle(person.email, 25);
  await holds(used);
  const after = await quietFor();
  expect(after).toBeLessThan(25 * 60);
  await holds(used);
  expect(await quietFor()).toBeGreaterThan(after);
});

test('whoever comes while the row of a session is held is answered without waiting for it', async () => {
  const person = await people.byMail();
  await idle(person.email, 25);
  const answers = await withClient(control.url, async (client) => {
    await client.query('begin');
    await client.query('select from sessions where email = $1 for update', [person.email]);
    return Promise.all(Array.from({ length: 12 }, () => holds(person)));
  });
  expect(answers).toEqual(new Array(12).fill(true));
});

test.each(['control_plane', 'operator'])('no script turns the cookie of a %s session into a bearer', async (kind) => {
  const person = kind === 'operator' ? await people.operatorByMail() : await people.byMail();
  const refresh = `${kind === 'operator' ? operator : plane}/session/refresh`;
  const browser = await browserOf(person);
  const { status, body } = await post(browser, refresh);
  expect([status, body.code]).toEqual([401, 'AUTH_REQUIRED']);
  expect((await post(person, refresh)).status).toBe(200);
  const { cookie } = (await browser.headers('/')) as { cookie: string };
  expect((await call(withHeaders({ cookie }), 'GET', `${plane}/session`)).text).not.toContain('csrf_token');
});

test('a person is mailed at each address what changes about how it signs in', async () => {
  const person = await people.byMail();
  const told = async (email: string) => {
    const text = await people.mailTo(email);
    expect(text).toContain('/agent/v1/control-plane/account/sessions');
    return text.split('\n')[0];
  };
  const key = await people.enrol(person);
  expect(await told(person.email)).toBe('A passkey was added.');
  await people.stepUp(person, key);
  const further = freshEmail();
  await post(person, `${plane}/emails`, { email: further });
  await post(person, `${plane}/emails/verify`, { token: await people.tokenOf(further) });
  expect(await told(person.email)).toBe(`A mail address was added, which signs you in from now on: ${further}.`);
  const codes: string[] = (await post(person, `${plane}/recovery/issue`)).body.recovery_codes;
  await post(nobody, `${plane}/recovery/consume`, { code: codes[0] });
  for (const email of [person.email, further])
    expect(await told(email)).toBe('Somebody signed in as you with a recovery code.');
  expect(await people.mailTo(person.email)).not.toContain(codes[0]);
  const { id } = (await authenticators(person)).find(({ subject_hint }) => subject_hint === further)!;
  expect((await remove(person, id)).status).toBe(200);
  for (const email of [person.email, further])
    expect(await told(email)).toBe(`Something was removed that signed you in: Mail address: ${further}.`);
});
