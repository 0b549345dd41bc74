import { afterAll, expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../auth/passkeys/software-authenticator.ts';
import { nobody, withHeaders } from '../helpers/actors.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { freshEmail, peopleOf, plane } from './person.ts';

const service = await sharedService();
afterAll(() => service.stop());
const people = peopleOf(service);
const { control, call } = service;
const { post } = people;

test('a mailed link begins a session, which says who it is and what was proven', async () => {
  const email = freshEmail();
  const person = await people.byMail(email);
  const { status, body } = await call(person, 'GET', `${plane}/session`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    principal: { id: person.principalId, type: 'human', disabled_at: null },
    memberships: [],
    email,
    amr: ['email'],
    amr_times: { email: expect.any(Number) },
  });
  expect((await people.byMail(email)).principalId).toBe(person.principalId);
});

test('asking for a link answers alike for somebody known and for nobody, and every address is mailed', async () => {
  const known = freshEmail();
  await people.byMail(known);
  const [first, second] = await Promise.all(
    [known, freshEmail()].map((email) => post(nobody, `${plane}/session/email`, { email })),
  );
  expect([first!.status, first!.body]).toEqual([200, { status: 'ok', message: expect.any(String) }]);
  expect([second!.status, second!.body]).toEqual([first!.status, first!.body]);
});

test('of twenty who open one link at once, one is signed in', async () => {
  const token = await people.linkFor(freshEmail());
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => post(nobody, `${plane}/session/email/verify`, { token })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(401)]);
});

test('a link is over after fifteen minutes of the database, and is kept as a digest', async () => {
  const email = freshEmail();
  const token = await people.linkFor(email);
  const rows = await control.sql<{ token_hash: string }>('select * from mailed_links where email = $1', [email]);
  expect(JSON.stringify(rows)).not.toContain(token);
  await control.sql(`update mailed_links set expires_at = now() where email = $1`, [email]);
  const { status, body } = await post(nobody, `${plane}/session/email/verify`, { token });
  expect([status, body.code]).toEqual([401, 'INVALID_AUTH']);
});

test('a link for an operator is none for a control-plane session, and the other way round', async () => {
  const forOperator = await people.linkFor(freshEmail(), '/agent/v1/operator/session/email');
  expect((await post(nobody, `${plane}/session/email/verify`, { token: forOperator })).status).toBe(401);
  const forPlane = await people.linkFor(freshEmail());
  expect((await post(nobody, '/agent/v1/operator/session/email/verify', { token: forPlane })).status).toBe(401);
});

test('an address is mailed five times an hour, whoever asks', async () => {
  const email = freshEmail();
  const statuses: number[] = [];
  for (let time = 0; time < 6; time++) statuses.push((await post(nobody, `${plane}/session/email`, { email })).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
});

test('somebody who was disabled is not let in by any way', async () => {
  const person = await people.withPasskey();
  const token = await people.linkFor(person.email);
  await control.sql('update principals set disabled_at = now() where id = $1', [person.principalId]);
  expect((await post(nobody, `${plane}/session/email/verify`, { token })).status).toBe(401);
  expect((await call(person, 'GET', `${plane}/session`)).status).toBe(401);
  expect((await post(nobody, `${plane}/session/passkey/options`, { email: person.email })).status).toBe(404);
});

test('a passkey signs its person in, and nobody else’s address', async () => {
  const person = await people.withPasskey();
  const { status, body } = await people.byPasskey(person.email, person.key);
  expect([status, body]).toEqual([
    200,
    {
      control_plane_session_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 900,
      provenance: 'passkey',
      principal_id: person.principalId,
      amr: ['passkey'],
    },
  ]);
  const other = await people.withPasskey();
  const asked = await post(nobody, `${plane}/session/passkey/options`, { email: other.email });
  const { response } = person.key.get({ challenge_id: '', ...asked.body });
  expect((await post(nobody, `${plane}/session/passkey/verify`, { email: other.email, response })).status).toBe(401);
});

test('a passkey signs in without an address, where the browser offers it', async () => {
  const person = await people.withPasskey();
  const asked = await post(nobody, `${plane}/session/passkey/options`);
  expect(asked.body.options.allowCredentials).toEqual([]);
  const { response } = person.key.get({ challenge_id: '', ...asked.body });
  const { body } = await post(nobody, `${plane}/session/passkey/verify`, { response });
  expect(body.principal_id).toBe(person.principalId);
});

test('an address without a passkey has none to sign in with', async () => {
  const { email } = await people.byMail();
  for (const asked of [email, freshEmail()]) {
    const { status, body } = await post(nobody, `${plane}/session/passkey/options`, { email: asked });
    expect([status, body.code]).toEqual([404, 'RESOURCE_NOT_FOUND']);
  }
});

test.each([
  ['of another origin', { origin: 'https://evil.example' }],
  ['for another server', { rpId: 'evil.example' }],
  ['without its user', { verified: false }],
  ['in a frame of another site', { crossOrigin: true }],
  ['of another challenge', { challenge: Buffer.alloc(32, 7).toString('base64url') }],
])('an answer %s signs nobody in', async (_case, deviation) => {
  const person = await people.withPasskey();
  const asked = await post(nobody, `${plane}/session/passkey/options`, { email: person.email });
  const { response } = person.key.get({ challenge_id: '', ...asked.body }, deviation);
  const { status, body } = await post(nobody, `${plane}/session/passkey/verify`, { email: person.email, response });
  expect([status, body.code]).toEqual([401, 'INVALID_AUTH']);
});

test('a challenge is answered once, also when twenty answer it at once', async () => {
  const person = await people.withPasskey();
  const asked = await post(nobody, `${plane}/session/passkey/options`, { email: person.email });
  const body = { email: person.email, response: person.key.get({ challenge_id: '', ...asked.body }).response };
  // Ten tries of a passkey are counted before the right one begins the count anew.
  const answers = await Promise.all(
    Array.from({ length: 9 }, () => post(nobody, `${plane}/session/passkey/verify`, body)),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('a challenge of one session is nothing to another one', async () => {
  const [one, other] = [await people.withPasskey(), await people.withPasskey()];
  const asked = await post(one, `${plane}/step-up/options`);
  const { response } = one.key.get({ challenge_id: '', ...asked.body });
  expect((await post(other, `${plane}/step-up/verify`, { response })).status).toBe(401);
  // It was for the other session to answer, and still is.
  expect((await post(one, `${plane}/step-up/verify`, { response })).status).toBe(200);
});

test('stepping up makes the same bearer fresh for five minutes of the database', async () => {
  const person = await people.byMail();
  const key = await people.enrol(person);
  expect((await post(person, '/orgs/v1')).body).toMatchObject({
    code: 'STEP_UP_REQUIRED',
    details: { reason: 'missing' },
  });
  expect((await people.stepUp(person, key)).body).toEqual({ status: 'ok', stepped_up: true });
  expect((await post(person, '/orgs/v1')).status).toBe(201);
  await control.sql(
    `update sessions set amr_times = jsonb_build_object('passkey', floor(extract(epoch from now()))::bigint - 301)
     where principal_id = $1`,
    [person.principalId],
  );
  expect((await post(person, '/orgs/v1')).body).toMatchObject({ details: { reason: 'stale' } });
});

test('who has no passkey has nothing to step up with', async () => {
  const { status, body } = await post(await people.byMail(), `${plane}/step-up/options`);
  expect([status, body.details]).toEqual([400, { reason: 'no_passkey' }]);
});

test('the first passkey takes a session, each further one a fresh proof', async () => {
  const person = await people.byMail();
  const key = await people.enrol(person);
  const refused = await post(person, `${plane}/passkey/enroll/options`);
  expect([refused.status, refused.body.code, refused.body.details.op_class]).toEqual([
    403,
    'STEP_UP_REQUIRED',
    'authenticator.register',
  ]);
  await people.stepUp(person, key);
  await people.enrol(person);
  const { body } = await call<{ authenticators: { kind: string; id: string }[] }>(
    person,
    'GET',
    `${plane}/authenticators`,
  );
  expect(body.authenticators.map(({ kind }) => kind)).toEqual(['email', 'passkey', 'passkey']);
});

test('of two that are enrolled as the first one at once, one is kept', async () => {
  const person = await people.byMail();
  const made = [];
  for (const key of [new SoftwareAuthenticator(service.url), new SoftwareAuthenticator(service.url)]) {
    const asked = await post(person, `${plane}/passkey/enroll/options`);
    made.push(key.create({ challenge_id: '', ...asked.body }).response);
  }
  const answers = await Promise.all(
    made.map((response) => post(person, `${plane}/passkey/enroll/verify`, { response })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 403]);
});

test('a refreshed bearer is of the same session, and a revoked session has none', async () => {
  const person = await people.byMail();
  const { body } = await post(person, `${plane}/session/refresh`);
  expect(body).toEqual({
    control_plane_session_token: expect.any(String),
    token_type: 'Bearer',
    expires_in: 900,
  });
  const fresh = withHeaders({ authorization: `Bearer ${body.control_plane_session_token}` });
  expect((await post(fresh, `${plane}/session/revoke`)).body).toEqual({ status: 'revoked' });
  for (const actor of [person, fresh]) {
    expect((await call(actor, 'GET', `${plane}/session`)).status).toBe(401);
    expect((await post(actor, `${plane}/session/refresh`)).status).toBe(401);
  }
  expect((await post(fresh, `${plane}/session/revoke`)).body).toEqual({ status: 'revoked' });
});

test('a session is over twelve hours after its sign-in, however often it was refreshed', async () => {
  const person = await people.byMail();
  await control.sql('update sessions set absolute_expires_at = now() where principal_id = $1', [person.principalId]);
  expect((await post(person, `${plane}/session/refresh`)).status).toBe(401);
});

test('an authenticator is removed with a fresh passkey, by its own person alone', async () => {
  const removed = await people.withPasskey();
  const kept = await people.enrol(removed);
  const person = people.personOf(removed.email, (await people.byPasskey(removed.email, kept)).body);
  const list = async () =>
    (await call<{ authenticators: { kind: string; id: string }[] }>(person, 'GET', `${plane}/authenticators`)).body
      .authenticators;
  const passkey = (await list()).find(({ kind }) => kind === 'passkey')!;
  const stranger = await people.withPasskey();
  const path = `${plane}/authenticators/${passkey.id}`;
  expect((await call(stranger, 'DELETE', path)).status).toBe(404);
  const { status, body } = await call(person, 'DELETE', path);
  expect([status, body]).toEqual([200, { status: 'revoked', kind: 'passkey', sessions_ended: 1 }]);
  expect((await list()).map(({ id }) => id)).not.toContain(passkey.id);
  expect((await people.byPasskey(person.email, removed.key)).status).toBe(401);
  expect((await call(person, 'DELETE', path)).status).toBe(404);
});

test('an owner keeps a passkey', async () => {
  const person = await people.withPasskey();
  expect((await post(person, '/orgs/v1')).status).toBe(201);
  const { body } = await call<{ authenticators: { kind: string; id: string }[] }>(
    person,
    'GET',
    `${plane}/authenticators`,
  );
  const { id } = body.authenticators.find(({ kind }) => kind === 'passkey')!;
  const refused = await call<{ code: string }>(person, 'DELETE', `${plane}/authenticators/${id}`);
  expect([refused.status, refused.body.code]).toEqual([409, 'OWNER_NEEDS_PASSKEY']);
});

test('a further address signs in as the same person; somebody else’s is refused', async () => {
  const person = await people.withPasskey();
  const further = freshEmail();
  expect((await post(person, `${plane}/emails`, { email: further })).status).toBe(200);
  const token = await people.tokenOf(further);
  const thief = await people.byMail();
  expect((await post(thief, `${plane}/emails/verify`, { token })).status).toBe(401);
  expect((await post(person, `${plane}/emails/verify`, { token })).body).toEqual({ status: 'ok', email: further });
  expect((await people.byMail(further)).principalId).toBe(person.principalId);

  const taken = await people.byMail();
  await post(person, `${plane}/emails`, { email: taken.email });
  const refused = await post(person, `${plane}/emails/verify`, { token: await people.tokenOf(taken.email) });
  expect([refused.status, refused.body.code]).toEqual([409, 'EMAIL_BELONGS_TO_OTHER_PRINCIPAL']);
  expect((await people.byMail(taken.email)).principalId).toBe(taken.principalId);
});

test('an address that its person gave up begins anew, as somebody who owns nothing', async () => {
  const person = await people.withPasskey();
  expect((await post(person, '/orgs/v1')).status).toBe(201);
  const { body } = await call<{ authenticators: { kind: string; id: string }[] }>(
    person,
    'GET',
    `${plane}/authenticators`,
  );
  const { id } = body.authenticators.find(({ kind }) => kind === 'email')!;
  expect((await call(person, 'DELETE', `${plane}/authenticators/${id}`)).status).toBe(200);
  const newcomer = await people.byMail(person.email);
  expect(newcomer.principalId).not.toBe(person.principalId);
  expect((await call<{ memberships: unknown[] }>(newcomer, 'GET', `${plane}/session`)).body.memberships).toEqual([]);
  // What is left signs its person in as before.
  const asked = await post(nobody, `${plane}/session/passkey/options`);
  const { response } = person.key.get({ challenge_id: '', ...asked.body });
  const signedIn = await post(nobody, `${plane}/session/passkey/verify`, { response });
  expect(signedIn.body.principal_id).toBe(person.principalId);
});

test('the only way left to sign in stays', async () => {
  const { email, key } = await people.withPasskey();
  const person = people.personOf(email, (await people.byPasskey(email, key)).body);
  const list = (await call<{ authenticators: { id: string }[] }>(person, 'GET', `${plane}/authenticators`)).body
    .authenticators;
  const statuses: number[] = [];
  for (const { id } of list) statuses.push((await call(person, 'DELETE', `${plane}/authenticators/${id}`)).status);
  expect(statuses).toEqual([200, 400]);
});

test('recovery codes take a fresh passkey, sign in once each, and only the newest ones do', async () => {
  const person = await people.byMail();
  const key = await people.enrol(person);
  expect((await post(person, `${plane}/recovery/issue`)).body.code).toBe('STEP_UP_REQUIRED');
  await people.stepUp(person, key);
  const first = await post(person, `${plane}/recovery/issue`);
  expect([first.status, first.body.recovery_codes.length]).toEqual([201, 10]);
  const second = await post(person, `${plane}/recovery/issue`);
  const consume = (code: string) => post(nobody, `${plane}/recovery/consume`, { code });
  expect((await consume(first.body.recovery_codes[0])).status).toBe(401);

  const code: string = second.body.recovery_codes[0];
  const kept = await control.sql('select * from recovery_codes where principal_id = $1', [person.principalId]);
  expect(JSON.stringify(kept)).not.toContain(code);
  const answers = await Promise.all(Array.from({ length: 20 }, () => consume(code.toUpperCase())));
  const [signedIn, ...more] = answers.filter(({ status }) => status === 200);
  expect(more).toEqual([]);
  expect(signedIn!.body).toMatchObject({
    principal_id: person.principalId,
    amr: ['recovery_code'],
    provenance: 'recovery_code',
    must_enroll_passkey: true,
  });
  // Who has lost the passkeys makes a new one, and is no more trusted than that before it was shown.
  const recovered = people.personOf(person.email, signedIn!.body);
  expect((await post(recovered, `${plane}/recovery/issue`)).body.code).toBe('STEP_UP_REQUIRED');
  const newKey = await people.enrol(recovered);
  expect((await people.stepUp(recovered, newKey)).status).toBe(200);
});

test('what a sign-in changes is in the trail, and no secret of it is in the log', async () => {
  const person = await people.withPasskey();
  const { body } = await post(person, `${plane}/recovery/issue`);
  const trail = await control.sql<{ action: string }>(
    `select action from audit_events where actor->'principal'->>'principal_id' = $1
       or details->>'principal_id' = $1 order by seq`,
    [person.principalId],
  );
  expect(trail.map(({ action }) => action)).toEqual([
    'session.begun',
    'passkey.enrolled',
    'session.stepped_up',
    'recovery_codes.issued',
  ]);
  const log = JSON.stringify(service.logged());
  for (const secret of [person.token, ...body.recovery_codes]) expect(log).not.toContain(secret);
});
