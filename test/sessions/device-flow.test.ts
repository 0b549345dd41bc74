import { afterAll, expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../auth/passkeys/software-authenticator.ts';
import { type Actor, nobody, withHeaders } from '../helpers/actors.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { operator, peopleOf, plane } from './person.ts';

const service = await sharedService();
afterAll(() => service.stop());
const people = peopleOf(service);
const { control, call } = service;
const { post } = people;

const begin = async (client_name = 'svc on ada') =>
  (await post(nobody, `${operator}/session/device`, { client_name })).body;
const poll = (device_code: string) => post(nobody, `${operator}/session/device/token`, { device_code });
const decide = (actor: Actor, user_code: string, decision = 'approve') =>
  post(actor, `${operator}/session/device/approve`, { user_code, decision });
/** As if as much time had passed as a device waits. */
const rested = () => control.sql(`update device_flows set polled_at = polled_at - interval '1 minute'`);

test('a device shows a code, and says where to type it in', async () => {
  expect(await begin()).toEqual({
    device_code: expect.stringMatching(/^[\w-]{43}$/),
    user_code: expect.stringMatching(/^[A-Z]{4}-\d{4}$/),
    verification_uri: `${service.url}/agent/v1/operator/device`,
    verification_uri_complete: expect.stringContaining('/agent/v1/operator/device?user_code='),
    expires_in: 600,
    interval: 5,
  });
});

test('the states of waiting are data, as bare words beside the envelope', async () => {
  const { device_code, user_code } = await begin();
  const pending = await poll(device_code);
  expect([pending.status, pending.body]).toEqual([
    400,
    expect.objectContaining({ error: 'authorization_pending', code: 'DEVICE_PENDING', trace_id: expect.any(String) }),
  ]);
  const hurried = await poll(device_code);
  expect(hurried.body).toMatchObject({ error: 'slow_down', details: { interval: 10 } });
  await rested();
  expect((await poll(device_code)).body.error).toBe('authorization_pending');
  const person = await people.operatorByMail();
  expect((await decide(person, user_code, 'deny')).body).toEqual({
    ok: true,
    decision: 'deny',
    client_name: 'svc on ada',
  });
  expect((await poll(device_code)).body.error).toBe('access_denied');
  expect((await poll('nothing')).body.error).toBe('expired_token');
  const late = await begin();
  await control.sql('update device_flows set expires_at = now()');
  expect((await poll(late.device_code)).body.error).toBe('expired_token');
});

test('a device that always sends the same idempotency key learns of the decision all the same', async () => {
  const { device_code, user_code } = await begin();
  const polled = () =>
    post(nobody, `${operator}/session/device/token`, { device_code }, { 'idempotency-key': device_code });
  expect((await polled()).body.error).toBe('authorization_pending');
  expect((await decide(await people.operatorByMail(), user_code)).status).toBe(200);
  const { status, body } = await polled();
  expect([status, body.token_type]).toEqual([200, 'Bearer']);
});

test('a client of RFC 8628 sends forms, and is answered alike', async () => {
  const send = async (path: string, form: Record<string, string>) => {
    const answer = await fetch(service.url + path, { method: 'POST', body: new URLSearchParams(form) });
    return { status: answer.status, body: await answer.json() };
  };
  const begun = await send(`${operator}/session/device`, { client_id: 'tv', scope: 'operator.read' });
  expect([begun.status, begun.body.interval]).toEqual([200, 5]);
  const fetched = () =>
    send(`${operator}/session/device/token`, {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: begun.body.device_code,
      client_id: 'tv',
    });
  expect(await fetched()).toMatchObject({ status: 400, body: { error: 'authorization_pending' } });
  await decide(await people.operatorByMail(), begun.body.user_code);
  expect(await fetched()).toMatchObject({ status: 200, body: { token_type: 'Bearer' } });
});

test('an approved device has its bearer once, also when twenty ask at once', async () => {
  const { device_code, user_code } = await begin();
  const person = await people.operatorByMail();
  // As people type it.
  expect((await decide(person, user_code.toLowerCase().replace('-', ' '))).status).toBe(200);
  const answers = await Promise.all(Array.from({ length: 20 }, () => poll(device_code)));
  const [given, ...more] = answers.filter(({ status }) => status === 200);
  expect(more).toEqual([]);
  expect(given!.body).toEqual({
    operator_session_token: expect.any(String),
    token_type: 'Bearer',
    expires_in: 1800,
    absolute_expires_at: expect.any(String),
    email: person.email,
    wallets: [],
  });
  expect((await poll(device_code)).body.error).toBe('expired_token');

  const device = withHeaders({ authorization: `Bearer ${given!.body.operator_session_token}` });
  expect((await call(device, 'GET', '/agent/v1/whoami')).status).toBe(200);
  expect((await post(device, '/orgs/v1')).body.code).toBe('FORBIDDEN');
  // It reads, and that is all: it lets no other device in, and makes no passkey.
  expect((await decide(device, (await begin()).user_code)).body.code).toBe('FORBIDDEN');
  const enrol = await post(device, `${operator}/session/passkey/enroll/options`);
  expect(enrol.body).toMatchObject({ code: 'STEP_UP_REQUIRED', details: { reason: 'device_flow_forbidden' } });
});

test('a code is decided once, and by somebody who is signed in', async () => {
  const { user_code } = await begin();
  expect((await decide(nobody, user_code)).status).toBe(401);
  expect((await decide(service.actors.wallet(), user_code)).status).toBe(401);
  const person = await people.byMail();
  expect((await decide(person, user_code)).status).toBe(200);
  const again = await decide(await people.operatorByMail(), user_code, 'deny');
  expect([again.status, again.body.code]).toEqual([404, 'DEVICE_CODE_NOT_FOUND']);
});

test('a device tells the wallets that the person answers for', async () => {
  const person = await people.operatorByMail();
  const wallet = service.actors.wallet();
  await call(wallet, 'POST', '/agent/v1/contact', { body: { name: 'Ada', email: person.email } });
  const login = async () => {
    const { device_code, user_code } = await begin();
    await decide(person, user_code);
    return (await poll(device_code)).body.wallets;
  };
  expect(await login()).toEqual([]);
  await control.sql('update operator_contacts set email_verified_at = now() where email = $1', [person.email]);
  expect(await login()).toEqual([wallet.address]);
});

test('an operator session is refreshed until twelve hours after its sign-in, and revoked for good', async () => {
  const person = await people.operatorByMail();
  const { body } = await post(person, `${operator}/session/refresh`);
  expect(body).toEqual({ operator_session_token: expect.any(String), token_type: 'Bearer', expires_in: 1800 });
  const fresh = withHeaders({ authorization: `Bearer ${body.operator_session_token}` });
  for (const actor of [fresh, person]) {
    const { status, text } = await post(actor, `${operator}/session/revoke`);
    expect([status, text]).toEqual([204, '']);
  }
  const over = await post(person, `${operator}/session/refresh`);
  expect([over.status, over.body.code]).toEqual([401, 'OPERATOR_SESSION_INVALID']);
  expect((await post(nobody, `${operator}/session/revoke`)).status).toBe(401);

  const other = await people.operatorByMail();
  await control.sql('update sessions set absolute_expires_at = now() where email = $1', [other.email]);
  expect((await post(other, `${operator}/session/refresh`)).body.code).toBe('OPERATOR_SESSION_INVALID');
});

test('an operator signs in with a passkey, and enrols no second one', async () => {
  const person = await people.operatorByMail();
  const plain = await people.byMail(person.email);
  const key = await people.enrol(plain);
  const second = await post(person, `${operator}/session/passkey/enroll/options`);
  expect(second.body.details.reason).toBe('device_flow_forbidden');
  const { status, body } = await people.byPasskey(person.email, key, `${operator}/session/passkey`);
  expect([status, body]).toEqual([200, expect.objectContaining({ email: person.email, expires_in: 1800 })]);
});

test('an operator session is no control-plane session, and the other way round', async () => {
  const [reader, writer] = [await people.operatorByMail(), await people.byMail()];
  expect((await call(reader, 'GET', `${plane}/session`)).status).toBe(401);
  expect((await post(reader, `${plane}/session/refresh`)).status).toBe(401);
  expect((await post(writer, `${operator}/session/refresh`)).status).toBe(401);
  expect((await post(writer, `${operator}/session/revoke`)).status).toBe(401);
});

test('an operator who has no passkey enrols the first one from its own sign-in', async () => {
  const person = await people.operatorByMail();
  const key = new SoftwareAuthenticator(service.url);
  const asked = await post(person, `${operator}/session/passkey/enroll/options`);
  expect(asked.status).toBe(200);
  const { response } = key.create({ challenge_id: '', ...asked.body });
  const kept = await post(person, `${operator}/session/passkey/enroll/verify`, { response });
  expect([kept.status, kept.body]).toEqual([201, { status: 'ok', ok: true, credential_id: key.id }]);
  expect((await people.byPasskey(person.email, key, `${operator}/session/passkey`)).status).toBe(200);
});
