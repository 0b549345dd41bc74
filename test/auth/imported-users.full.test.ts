import { randomUUID } from 'node:crypto';
import { bcrypt } from 'hash-wasm';
import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { authProject, newEmail } from './auth-project.ts';
import { meetingOf } from './meeting.ts';

const service = await startService({ dearPasswords: true });
const project = await authProject(service);
const other = await authProject(service);
afterAll(async () => {
  const log = JSON.stringify(service.logged());
  expect(log).not.toMatch(/\$2[aby]\$/);
  await other.end();
  await project.end();
  await service.stop();
});

const call = documentedCalls(service);
const asKey = service.actors.apikey(project.serviceKey);
const send = (users: readonly object[], actor = asKey) =>
  call(actor, 'POST', '/auth/v1/admin/users/import', { body: { users } });
const hashed = (password: string | Buffer, costFactor = 4, prefix = '$2a') =>
  bcrypt({ password, salt: Buffer.alloc(16, 7), costFactor }).then((hash) => hash.replace('$2a', prefix));
const newUser = async (password = 'the old secret', more: object = {}) => ({
  id: randomUUID(),
  email: newEmail(),
  encrypted_password: await hashed(password),
  ...more,
});
const stored = async (id: string) => {
  const [row] = await project.sql<Record<string, unknown>>(`select * from auth.users where id = '${id}'`);
  return row!;
};
const hashOf = async (id: string) => (await stored(id)).password_hash as string;

test.each(['$2a', '$2b', '$2y'])(
  'a password of a %s hash signs in, and is kept as Argon2id from then on',
  async (prefix) => {
    const encrypted_password = await hashed('the old secret', 5, prefix);
    const user = { id: randomUUID(), email: newEmail(), encrypted_password };
    const { status, body } = await send([user]);
    expect([status, body.imported, body.users]).toEqual([
      200,
      1,
      [{ id: user.id, email: user.email, status: 'imported', reason: null, message: null, left_out: [] }],
    ]);
    expect(await hashOf(user.id)).toBe(encrypted_password);
    expectRefusal(await project.signIn(user.email, 'another secret'), 'INVALID_AUTH');
    expect(await hashOf(user.id)).toBe(encrypted_password);
    const first = await project.signIn(user.email, 'the old secret');
    expect([first.status, first.body.user.id]).toEqual([200, user.id]);
    const replaced = await hashOf(user.id);
    expect(replaced).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect((await project.signIn(user.email, 'the old secret')).status).toBe(200);
    expect(await hashOf(user.id)).toBe(replaced);
    expectRefusal(await project.signIn(user.email, 'another secret'), 'INVALID_AUTH');
  },
);

test('eight sign-ins at once with an old password all succeed, and one new hash is left', async () => {
  const user = await newUser();
  await send([user]);
  const answers = await Promise.all(Array.from({ length: 8 }, () => project.signIn(user.email, 'the old secret')));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(await hashOf(user.id)).toMatch(/^\$argon2id/);
  expect((await project.signIn(user.email, 'the old secret')).status).toBe(200);
});

test('a hash that was changed while the old password was checked signs nobody in', async () => {
  const user = await newUser();
  await send([user]);
  const meeting = meetingOf(service, project);
  const commit = await meeting.begun(`update auth.users set password_hash = null where id = '${user.id}'`);
  const signIn = project.signIn(user.email, 'the old secret');
  await meeting.waiting(1, signIn);
  await commit();
  expectRefusal(await signIn, 'INVALID_AUTH');
  expect(await hashOf(user.id)).toBeNull();
});

test('wrong passwords of an old hash are counted like any others', async () => {
  const user = await newUser();
  await send([user]);
  for (let time = 0; time < 10; time += 1)
    expectRefusal(await project.signIn(user.email, `wrong ${time}`), 'INVALID_AUTH');
  expectRefusal(await project.signIn(user.email, 'the old secret'), 'RATE_LIMITED');
});

test('the first 72 bytes of a long password count as they did, and the hash that knows them stays', async () => {
  const long = `${'é'.repeat(36)} and what was never looked at`;
  const encrypted_password = await hashed(Buffer.from(long).subarray(0, 72));
  const user = { id: randomUUID(), email: newEmail(), encrypted_password };
  await send([user]);
  expect((await project.signIn(user.email, long)).status).toBe(200);
  expect(await hashOf(user.id)).toBe(encrypted_password);
  expectRefusal(await project.signIn(user.email, long.slice(1)), 'INVALID_AUTH');
});

test('an old password changes into a new one, for who is signed in', async () => {
  const long = 'x'.repeat(80);
  const user = { id: randomUUID(), email: newEmail(), encrypted_password: await hashed(long.slice(0, 72)) };
  await send([user]);
  const { body } = await project.signIn(user.email, long);
  const change = (current_password: string) =>
    project.auth('POST', '/auth/v1/user/password', {
      bearer: body.access_token,
      body: { new_password: 'the new secret', current_password },
    });
  expectRefusal(await change('wrong one'), 'INVALID_AUTH');
  expect((await change(long)).status).toBe(200);
  expect(await hashOf(user.id)).toMatch(/^\$argon2id/);
  expect((await project.signIn(user.email, 'the new secret')).status).toBe(200);
});

test('a user keeps id, times, address and data; what has no place is named', async () => {
  const id = randomUUID();
  const email = newEmail();
  const { body } = await send([
    {
      id: id.toUpperCase(),
      email: ` ${email.toUpperCase()} `,
      email_confirmed_at: '2023-02-03 04:05:06.789012+00',
      created_at: '2022-01-02T03:04:05.678901+05:30',
      last_sign_in_at: '2024-02-29 23:59:59+00',
      user_metadata: { name: 'Ada', nested: { list: [1, null, 'ö'] } },
      app_metadata: { provider: 'google', providers: ['google', 'github'], plan: 'pro' },
      phone: '4912345',
      identities: [
        { provider: 'email', provider_id: id },
        { provider: 'google', provider_id: `g-${id}`, email, created_at: '2022-01-02 03:04:05+00' },
        { provider: 'github', provider_id: '17' },
      ],
    },
  ]);
  expect(body.users[0].left_out).toEqual(['identity:github', 'phone', 'app_metadata.plan']);
  const [row] = await project.sql<{ row: object }>(`select to_json(u) as row from auth.users u where id = '${id}'`);
  expect(row!.row).toMatchObject({
    email,
    password_hash: null,
    is_admin: false,
    email_verified_at: expect.stringMatching(/04:05:06\.789012/),
    user_metadata: { name: 'Ada', nested: { list: [1, null, 'ö'] } },
  });
  const [{ exact }] = (await project.sql<{ exact: boolean }>(
    `select created_at = '2022-01-02T03:04:05.678901+05:30' and last_sign_in_at = '2024-02-29T23:59:59Z' as exact
     from auth.users where id = '${id}'`,
  )) as [{ exact: boolean }];
  expect(exact).toBe(true);
  expect(
    await project.sql(`select provider, provider_sub, provider_email from auth.identities where user_id = '${id}'`),
  ).toEqual([{ provider: 'google', provider_sub: `g-${id}`, provider_email: email }]);
});

test('an import that is sent again changes nothing, and names accounts that came later', async () => {
  const user = await newUser();
  expect((await send([user])).body).toMatchObject({ imported: 1, unchanged: 0 });
  await project.signIn(user.email, 'the old secret');
  const hash = await hashOf(user.id);
  const google = { provider: 'google', provider_id: `g-${user.id}` };
  const again = await send([{ ...user, user_metadata: { other: true }, identities: [google] }]);
  expect(again.body).toMatchObject({ imported: 0, unchanged: 1, skipped: 0 });
  expect(again.body.users[0].left_out).toEqual(['identity:google']);
  expect(await stored(user.id)).toMatchObject({ password_hash: hash, user_metadata: {} });
  expect(await project.sql(`select provider from auth.identities where user_id = '${user.id}'`)).toEqual([]);
  // Those that it has are not named.
  const linked = await newUser('x', { identities: [google] });
  expect((await send([linked])).body.users[0]).toMatchObject({ status: 'imported', left_out: [] });
  expect((await send([linked])).body.users[0]).toMatchObject({ status: 'unchanged', left_out: [] });
  // Of somebody else’s.
  const thief = await newUser('x', { identities: [google] });
  expect((await send([thief])).body.users[0]).toMatchObject({ status: 'imported', left_out: ['identity:google'] });
});

const bad: readonly (readonly [string, () => object | Promise<object>, string])[] = [
  ['an id that is none', () => ({ id: '17' }), 'invalid_id'],
  ['no address', () => ({ email: null, phone: '49123' }), 'no_email'],
  ['an address that is none', () => ({ email: 'ada' }), 'invalid_email'],
  ['a cost of 31', async () => ({ encrypted_password: (await hashed('x')).replace('$04$', '$31$') }), 'hash_cost'],
  ['a cost of 15', async () => ({ encrypted_password: (await hashed('x')).replace('$04$', '$15$') }), 'hash_cost'],
  ['a cost of 3', async () => ({ encrypted_password: (await hashed('x')).replace('$04$', '$03$') }), 'hash_cost'],
  ['a hash of another kind', () => ({ encrypted_password: '$6$rounds=5000$salt$hash' }), 'unsupported_hash'],
  ['a day that there is none of', () => ({ created_at: '2023-02-29 00:00:00+00' }), 'invalid_time'],
  ['a year that there was none of', () => ({ created_at: '0000-01-01T00:00:00Z' }), 'invalid_time'],
  [
    'a zone that is too far away',
    () => ({ identities: [{ provider: 'google', provider_id: 'far', created_at: '2023-01-01 00:00:00+23' }] }),
    'invalid_time',
  ],
  ['data that is too large', () => ({ user_metadata: { text: 'x'.repeat(16_400) } }), 'user_metadata'],
  [
    'numbers that are longer as they are kept',
    () => ({ user_metadata: { list: Array(150).fill(1e300) } }),
    'user_metadata',
  ],
  ['a ban that goes on', () => ({ banned_until: '2999-01-01 00:00:00+00' }), 'banned'],
  ['a deleted user', () => ({ deleted_at: '2023-01-01 00:00:00+00' }), 'deleted'],
  ['an anonymous user', () => ({ is_anonymous: true }), 'anonymous'],
  ['a user of single sign-on', () => ({ is_sso_user: true }), 'sso_user'],
];

test('each row that cannot be taken is told with its reason, and keeps no other from being imported', async () => {
  const rows = await Promise.all(bad.map(async ([, given]) => ({ ...(await newUser()), ...(await given()) })));
  const good = await newUser();
  const { body } = await send([...rows, good, { ...(await newUser()), email: good.email }, await newUser()]);
  const told = body.users.map(({ reason }: { reason: string | null }) => reason);
  expect(told).toEqual([...bad.map(([, , reason]) => reason), null, 'duplicate', null]);
  expect(body).toMatchObject({ imported: 2, skipped: bad.length + 1 });
  for (const { id } of rows)
    expect(await project.sql(`select from auth.users where id::text = '${id}'`)).toHaveLength(0);
  expect(JSON.stringify(body)).not.toMatch(/\$2a\$\d\d/);
});

test('an id or an address that is taken is not taken over', async () => {
  const known = await newUser();
  await send([known]);
  const { body } = await send([
    { ...(await newUser()), id: known.id },
    { ...(await newUser()), email: known.email },
    { ...(await newUser()), banned_until: '2020-01-01 00:00:00+00' },
  ]);
  expect(body.users.map(({ reason, status }: Record<string, string>) => reason ?? status)).toEqual([
    'id_taken',
    'email_taken',
    'imported',
  ]);
});

test('the service key of the project alone imports, or who manages its users', async () => {
  const user = await newUser();
  expectRefusal(await send([user], service.actors.apikey(project.anonKey)), 'FORBIDDEN');
  expectRefusal(await send([user], service.actors.nobody), 'AUTH_REQUIRED');
  const foreign = await call(service.actors.apikey(other.serviceKey), 'POST', '/auth/v1/admin/users/import', {
    body: { project_id: project.projectId, users: [user] },
  });
  expect(foreign.status).toBe(403);
  await send([user], service.actors.apikey(other.serviceKey));
  expect(await project.sql(`select from auth.users where id = '${user.id}'`)).toHaveLength(0);
  expect(await other.sql(`select from auth.users where id = '${user.id}'`)).toHaveLength(1);
  expectRefusal(await send(Array.from({ length: 1_001 }, () => ({ id: 'x' }))), 'VALIDATION_FAILED', {
    field: 'users',
  });
});

test('a thousand users are one import', async () => {
  const encrypted_password = await hashed('the old secret');
  const users = Array.from({ length: 1_000 }, () => ({ id: randomUUID(), email: newEmail(), encrypted_password }));
  expect((await send(users)).body).toMatchObject({ imported: 1_000, unchanged: 0, skipped: 0 });
  expect((await send(users)).body).toMatchObject({ imported: 0, unchanged: 1_000, skipped: 0 });
});

test('policies find the claims of a user by the names that they have elsewhere', async () => {
  const claims = JSON.stringify({ sub: randomUUID(), email: 'ada@example.com', role: 'authenticated' });
  const [row] = await project.sql<Record<string, unknown>>(
    `select auth.jwt() = auth.claims() as same, auth.email() as email
     from (select set_config('request.jwt.claims', '${claims}', false)) s`,
  );
  expect(row).toEqual({ same: true, email: 'ada@example.com' });
});
