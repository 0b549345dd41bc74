import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../auth/passkeys/software-authenticator.ts';
import { moment } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { terminalOfOwner } from './own-project.ts';

const service = await sharedService();
const [ada, eve] = [await terminalOfOwner(service), await terminalOfOwner(service)];
afterAll(async () => {
  await Promise.all([ada.remove(), eve.remove()]);
  await service.stop();
});

const origin = 'http://localhost:3000';
const auth = (...words: string[]) => ada.svc('auth', ...words);
let apikey: string;
beforeAll(async () => {
  apikey = (await ada.svc('projects', 'keys', '--reveal')).json.anon_key;
});

const signIn = (email: string, password: string) =>
  service.call<{ access_token: string }>(service.actors.nobody, 'POST', '/auth/v1/token?grant_type=password', {
    headers: { apikey },
    body: { email, password },
  });

/** A user of the project with a session. @returns the token of it, as flags name it */
async function user() {
  const email = `${randomUUID()}@example.com`;
  const made = await ada.with({}, 'the first one')('auth', 'create-user', email, '--password', '-');
  const { access_token } = (await signIn(email, 'the first one')).body;
  return { id: made.json.id as string, email, token: ['--token', access_token] };
}

/** A user with a passkey, registered by commands. */
async function withPasskey() {
  const person = await user();
  const asked = (await auth('passkey-register-options', '--app-origin', origin, ...person.token)).json;
  const key = new SoftwareAuthenticator(origin);
  const { challenge_id, response } = key.create(asked);
  await ada.file('answer.json', response);
  const answer = ['--challenge-id', challenge_id, '--response', '@answer.json'];
  const made = await auth('passkey-register-verify', ...answer, '--label', 'My key', ...person.token);
  return { ...person, key, made };
}

test('set-password changes the password of the user whose token is given, who proves the one of before', async () => {
  const { email, token } = await user();
  const change = (input: string, ...words: string[]) => ada.with({}, input)('auth', 'set-password', ...token, ...words);
  expect((await change('', '--new', 'the second one', '--current', 'a wrong one')).error.code).toBe('INVALID_AUTH');
  expect((await change('', '--new', 'tiny', '--current', 'the first one')).error.code).toBe('VALIDATION_FAILED');
  expect((await change('', '--new', '-', '--current', '-')).error.code).toBe('BAD_USAGE');
  expect((await change('', '--current', 'the first one')).error.code).toBe('BAD_USAGE');
  expect((await signIn(email, 'the first one')).status).toBe(200);

  const changed = await change('the second one\n', '--new', '-', '--current', 'the first one');
  expect(changed).toMatchObject({ code: 0, stderr: '' });
  expect(changed.stdout).not.toContain('the second one');
  expect((await signIn(email, 'the first one')).status).toBe(401);
  expect((await signIn(email, 'the second one')).status).toBe(200);
  expect((await auth('set-password', '--token', 'x', '--new', 'the third one')).error.code).toBe('INVALID_AUTH');
});

test('a passkey is registered by the options and the answer of its authenticator, and signs its user in', async () => {
  const { id, key, token, made } = await withPasskey();
  expect(made.json).toMatchObject({ label: 'My key', rp_id: 'localhost', created_at: moment, last_used_at: null });
  expect((await auth('passkeys', ...token)).json).toMatchObject({ passkeys: [{ id: made.json.id }] });

  const begun = (await auth('passkey-login-options', '--app-origin', origin)).json;
  const { challenge_id, response } = key.get(begun);
  const answer = ['--challenge-id', challenge_id, '--response', JSON.stringify(response)];
  const session = await auth('passkey-login-verify', ...answer);
  expect(session.json).toMatchObject({ access_token: expect.any(String), user: { id } });
  expect((await auth('passkeys', '--token', session.json.access_token)).json.passkeys).toMatchObject([
    { last_used_origin: origin },
  ]);
  // A challenge is answered once.
  expect((await auth('passkey-login-verify', ...answer)).error.code).toBe('INVALID_AUTH');
});

test('an answer of another page, of another user’s challenge or of no authenticator registers nothing', async () => {
  const [one, other] = [await user(), await user()];
  const options = async () => (await auth('passkey-register-options', '--app-origin', origin, ...one.token)).json;
  const verify = (token: readonly string[], { challenge_id, response }: { challenge_id: string; response: object }) =>
    auth('passkey-register-verify', '--challenge-id', challenge_id, '--response', JSON.stringify(response), ...token);
  const elsewhere = new SoftwareAuthenticator('https://evil.example').create(await options());
  expect((await verify(one.token, elsewhere)).error.code).toBe('VALIDATION_FAILED');
  const foreign = new SoftwareAuthenticator(origin).create(await options());
  expect((await verify(other.token, foreign)).error.code).toBe('VALIDATION_FAILED');
  expect((await verify(one.token, { ...foreign, response: {} })).error.code).toBe('VALIDATION_FAILED');
  for (const { token } of [one, other]) expect((await auth('passkeys', ...token)).json.passkeys).toEqual([]);

  const bare = ['passkey-register-verify', '--challenge-id', foreign.challenge_id, ...one.token];
  expect((await auth(...bare)).error.code).toBe('BAD_USAGE');
  expect((await auth(...bare, '--response', '{')).error.code).toBe('BAD_JSON_FLAG');
  expect((await auth(...bare, '--response', '@absent.json')).error.code).toBe('FILE_NOT_FOUND');
  expect((await auth('passkey-register-options', '--app-origin', 'shop', ...one.token)).error.code).toBe(
    'VALIDATION_FAILED',
  );
});

test('delete-passkey takes one of its user’s away, and of nobody else’s', async () => {
  const [one, other] = [await withPasskey(), await user()];
  const { id } = one.made.json;
  expect((await auth('delete-passkey', id, ...other.token)).error.code).toBe('RESOURCE_NOT_FOUND');
  expect((await auth('passkeys', ...one.token)).json.passkeys).toHaveLength(1);
  expect(await auth('delete-passkey', id, ...one.token)).toMatchObject({ code: 0, stderr: '' });
  expect((await auth('passkeys', ...one.token)).json.passkeys).toEqual([]);
  expect((await auth('delete-passkey', id, ...one.token)).error.code).toBe('RESOURCE_NOT_FOUND');
  expect((await auth('delete-passkey', '..', ...one.token)).error.code).toBe('BAD_USAGE');
  const begun = (await auth('passkey-login-options', '--app-origin', origin)).json;
  const { challenge_id, response } = one.key.get(begun);
  const answer = ['--challenge-id', challenge_id, '--response', JSON.stringify(response)];
  expect((await auth('passkey-login-verify', ...answer)).error.code).toBe('INVALID_AUTH');
});
