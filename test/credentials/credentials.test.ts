import { afterAll, expect, test } from 'vitest';
import { makeProjectKey } from '../../resolvers/identity/shared/project-keys.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { byKey, crediting } from './stage.ts';

// Two gateways on one database, which requests go to in turn.
const service = await startService({ nodes: 2 });
const project = await crediting(service);
afterAll(async () => {
  await project.end();
  await service.stop();
});
const { actors, control } = service;
const { wallet, projectId, credentials, issue, revoke, rotate, token, status, read, call } = project;

/** What every node says of a key. */
const everywhere = (secret: string, kind?: 'anon') =>
  Promise.all(service.nodes.map(({ url }) => read(secret, { url, ...(kind === undefined ? {} : { kind }) })));

test('a credential is shown once, listed without its secret, and grants what the key of its kind does', async () => {
  const expires = new Date(Date.now() + 86_400_000).toISOString();
  const made = await issue('service', { expires_at: expires });
  expect(made).toEqual({
    credential_id: expect.stringMatching(/^pcr_/),
    project_id: projectId,
    kind: 'service',
    name: made.name,
    created_at: expect.any(String),
    last_used_at: null,
    expires_at: expires,
    revoked_at: null,
    revoked_reason: null,
    replacement_of: null,
    secret: expect.any(String),
  });
  const { secret, ...record } = made;
  const listed = await credentials(wallet, 'GET');
  expect(listed.body.credentials).toContainEqual(record);
  expect(listed.text).not.toContain(secret);
  const anon = await issue('anon');
  expect(await everywhere(secret)).toEqual([200, 200]);
  expect(await everywhere(anon.secret, 'anon')).toEqual([200, 200]);
  expect(await everywhere(anon.secret)).toEqual(['403 FORBIDDEN', '403 FORBIDDEN']);
  const [kept] = await control.sql<{ row: string }>(
    'select to_jsonb(c)::text as row from project_credentials c where id = $1',
    [made.credential_id],
  );
  expect(kept!.row).not.toContain(secret.split('.')[2]);
});

test('a revoked credential stops on every node, and its name is free', async () => {
  const { credential_id, secret, name } = await issue();
  expect(await everywhere(secret)).toEqual([200, 200]);
  const gone = await credentials(wallet, 'DELETE', `/${credential_id}?reason=lost`);
  expect(gone.body).toMatchObject({ revoked: true, revoked_reason: 'lost', revoked_at: expect.any(String) });
  const ended = '401 PROJECT_CREDENTIAL_INVALID';
  await expect.poll(() => everywhere(secret), { timeout: 5_000 }).toEqual([ended, ended]);
  // Where the database is asked anyway, it stops at once.
  const asked = await call(byKey(secret), 'GET', `/projects/v1/${projectId}`);
  expectRefusal(asked, 'PROJECT_CREDENTIAL_INVALID');
  expect(asked.headers.get('www-authenticate')).toBe('Bearer');
  expectRefusal(await revoke(credential_id), 'CREDENTIAL_REVOKED');
  expectRefusal(await rotate(credential_id), 'CREDENTIAL_REVOKED');
  await issue('service', { name });
  expect((await credentials(wallet, 'GET', '?include_revoked=true')).text).toContain(credential_id);
  expect((await credentials(wallet, 'GET')).text).not.toContain(credential_id);
});

test('an expired credential is refused as such, whatever its key says', async () => {
  const { credential_id, secret } = await issue();
  expect(await everywhere(secret)).toEqual([200, 200]);
  await control.sql(`update project_credentials set expires_at = now() - interval '1 second' where id = $1`, [
    credential_id,
  ]);
  const ended = '401 PROJECT_CREDENTIAL_EXPIRED';
  await expect.poll(() => everywhere(secret), { timeout: 5_000 }).toEqual([ended, ended]);
  // It does not come back by a rotation that says no other end.
  expectRefusal(await rotate(credential_id), 'VALIDATION_FAILED', { field: 'expires_at' });
  expect(await everywhere(secret)).toEqual([ended, ended]);
});

test('a rotation puts one in the place of another at once, and of two at once only one does', async () => {
  const { credential_id, secret, name } = await issue();
  const answers = await Promise.all([rotate(credential_id), rotate(credential_id)]);
  const won = answers.filter(({ status: code }) => code === 201);
  expect(won.map(({ body }) => body)).toMatchObject([{ name, kind: 'service', replacement_of: credential_id }]);
  expectRefusal(answers.find(({ status: code }) => code !== 201)!, 'CREDENTIAL_REVOKED');
  const ended = '401 PROJECT_CREDENTIAL_INVALID';
  await expect.poll(() => everywhere(secret), { timeout: 5_000 }).toEqual([ended, ended]);
  expect(await everywhere(won[0]!.body.secret)).toEqual([200, 200]);
  const [old] = (await credentials(wallet, 'GET', '?include_revoked=true')).body.credentials.filter(
    (one: { credential_id: string }) => one.credential_id === credential_id,
  );
  expect(old).toMatchObject({ revoked_reason: 'rotated' });
});

test('a rotation under a key of idempotency is done once, and its secret told again to its sender alone', async () => {
  const { credential_id } = await issue();
  const key = { 'idempotency-key': crypto.randomUUID() };
  const [first, again] = [await rotate(credential_id, key), await rotate(credential_id, key)];
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(again.body).toEqual(first.body);
});

test('names are unique while not revoked, kinds and ends are bounded, and so is the number', async () => {
  const { name } = await issue('anon');
  expectRefusal(await credentials(wallet, 'POST', '', { kind: 'service', name }), 'CREDENTIAL_NAME_TAKEN');
  const day = 86_400_000;
  for (const body of [
    { kind: 'admin', name: 'a' },
    { kind: 'anon', name: ' ' },
    { kind: 'anon', name: 'a'.repeat(101) },
    { kind: 'anon', name: 'a', expires_at: new Date(Date.now() - day).toISOString() },
    { kind: 'anon', name: 'a', expires_at: new Date(Date.now() + 368 * day).toISOString() },
  ])
    expectRefusal(await credentials(wallet, 'POST', '', body), 'VALIDATION_FAILED');
  const full = await crediting(service);
  await control.sql(
    `insert into project_credentials (org_id, project_id, id, kind, name)
     select org_id, id, id || n, 'anon', n::text from projects, generate_series(1, 50) n where id = $1`,
    [full.projectId],
  );
  const refused = await full.credentials(full.wallet, 'POST', '', { kind: 'anon', name: 'one more' });
  expectRefusal(refused, 'QUOTA_EXCEEDED', { resource: 'credentials', limit: 50, used: 50 });
  const rotated = await full.rotate(`${full.projectId}1`);
  expect(rotated.status, 'one that takes a place adds none').toBe(201);
  await full.end();
});

test('who is no owner changes nothing, and a key of the project none of its own kind', async () => {
  const { credential_id, secret } = await issue();
  const delegate = await actors.delegate({ orgId: project.orgId, projectId, capabilities: ['project:write'] });
  const foreign = await service.project();
  const body = { kind: 'service', name: crypto.randomUUID() };
  for (const [as, code] of [
    [byKey(secret), 'FORBIDDEN'],
    [byKey(project.serviceKey), 'FORBIDDEN'],
    [actors.bearer(delegate.token), 'NOT_AUTHORIZED'],
    [foreign.wallet, 'NOT_AUTHORIZED'],
    [actors.nobody, 'AUTH_REQUIRED'],
  ] as const) {
    expectRefusal(await credentials(as, 'POST', '', body), code);
    expectRefusal(await credentials(as, 'POST', `/${credential_id}/rotate`, {}), code);
    expectRefusal(await credentials(as, 'DELETE', `/${credential_id}`), code);
    expectRefusal(await credentials(as, 'GET'), code);
    expectRefusal(await token({}, as), code);
  }
  expect((await status(actors.bearer(delegate.token))).status).toBe(200);
  expect(await read(secret)).toBe(200);
  // Of another project it is as absent as one that never was.
  const theirs = `/projects/v1/${foreign.projectId}/credentials`;
  for (const id of [credential_id, 'pcr_absent', 'not an id'])
    expectRefusal(await call(foreign.wallet, 'DELETE', `${theirs}/${encodeURIComponent(id)}`), 'CREDENTIAL_NOT_FOUND');
  // Nor does it open another project.
  expectRefusal(await call(byKey(secret), 'GET', `/projects/v1/${foreign.projectId}`), 'FORBIDDEN');
});

test('a person proves a passkey anew for whatever makes or ends a key', async () => {
  const { credential_id } = await issue();
  const owner = await actors.session({ principalId: project.principalId });
  for (const refused of [
    await credentials(owner, 'POST', '', { kind: 'anon', name: 'stale' }),
    await credentials(owner, 'POST', `/${credential_id}/rotate`, {}),
    await credentials(owner, 'DELETE', `/${credential_id}`),
    await token({}, owner),
  ])
    expect([refused.status, refused.body.code]).toEqual([403, 'STEP_UP_REQUIRED']);
  const fresh = await actors.session({ principalId: project.principalId, passkeyAgeSeconds: 5 });
  expect((await credentials(fresh, 'DELETE', `/${credential_id}`)).status).toBe(200);
});

test('the status tells whether any credential holds', async () => {
  const other = await crediting(service);
  const none = { project_id: other.projectId, legacy_key: 'active', rotatable_credentials: 0, credentials: [] };
  expect((await other.status()).body).toEqual({
    ...none,
    state: 'legacy',
    retirement: { gated_on: ['rotatable_credential', 'function_keys'], deadline: null },
  });
  const { credential_id } = await other.issue('anon');
  const told = (await other.status()).body;
  expect(told).toMatchObject({ state: 'rotatable', rotatable_credentials: 1, credentials: [{ credential_id }] });
  await other.revoke(credential_id);
  expect((await other.status()).body).toMatchObject({ ...none, state: 'legacy' });
  await other.end();
});

test('a token grants as its kind does until it ends, and leaves no row behind', async () => {
  const made = await token();
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({ kind: 'service', project_id: projectId, expires_in: 3_600 });
  const left = Date.parse(made.body.expires_at) - Date.parse(made.body.created_at);
  expect(left).toBeGreaterThan(3_598_000);
  expect(left).toBeLessThanOrEqual(3_600_000);
  expect(await everywhere(made.body.secret)).toEqual([200, 200]);
  expect(await everywhere((await token({ kind: 'anon', expires_in: 60 })).body.secret, 'anon')).toEqual([200, 200]);
  for (const expires_in of [59, 86_401]) expectRefusal(await token({ expires_in }), 'VALIDATION_FAILED');
  expect((await credentials(wallet, 'GET', '?include_revoked=true')).text).not.toContain(made.body.credential_id);
  const { keys } = service.app.services;
  const ended = await makeProjectKey(
    keys,
    { id: projectId, createdAt: new Date(), transferredAt: null },
    'service_role',
    { tokenId: 'pcr_x', expiresAt: new Date(Date.now() - 1_000) },
  );
  expect(await everywhere(ended)).toEqual(['401 INVALID_AUTH', '401 INVALID_AUTH']);
});

test('a use is noted, and not again within a minute', async () => {
  const { credential_id, secret } = await issue();
  const noted = async () => {
    const [row] = await control.sql<{ at: Date | null }>(
      'select last_used_at as at from project_credentials where id = $1',
      [credential_id],
    );
    return row!.at;
  };
  await read(secret);
  const first = await noted();
  expect(first).toBeInstanceOf(Date);
  await call(byKey(secret), 'GET', `/projects/v1/${projectId}`);
  expect(await noted()).toEqual(first);
  await control.sql(`update project_credentials set last_used_at = now() - interval '61 seconds' where id = $1`, [
    credential_id,
  ]);
  await call(byKey(secret), 'GET', `/projects/v1/${projectId}`);
  expect((await noted())!.getTime()).toBeGreaterThanOrEqual(first!.getTime());
});

test('what a credential changes is written down with its id', async () => {
  const { credential_id, secret } = await issue();
  const set = await call(byKey(secret), 'POST', `/projects/v1/admin/${projectId}/secrets`, {
    body: { key: 'BY_CREDENTIAL', value: 'x' },
  });
  expect(set.status, set.text).toBeLessThan(300);
  const trail = await call(wallet, 'GET', `/orgs/v1/${project.orgId}/audit`);
  const [row] = trail.body.events.filter(({ action }: { action: string }) => action.startsWith('secret.'));
  expect(JSON.stringify(row)).toContain(credential_id);
});

test('the credentials of a project end with it, and a deleted one says so', async () => {
  const other = await crediting(service);
  const { credential_id, secret } = await other.issue();
  expect((await call(other.wallet, 'DELETE', `/projects/v1/${other.projectId}`)).status).toBe(200);
  const asked = await call(byKey(secret), 'GET', `/projects/v1/${other.projectId}`);
  expectRefusal(asked, 'INVALID_AUTH', { reason: 'project_deleted' });
  expect(await control.sql('select from project_credentials where id = $1', [credential_id])).toEqual([]);
});
