import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { KeyRing } from '../../core/keys.ts';
import { sharedService } from '../helpers/shared-service.ts';

const service = await sharedService();
afterAll(() => service.stop());
const { actors, control } = service;
const home = await service.project();
const other = await service.project();

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;
const door = ({ projectId, serviceKey }: Pick<typeof home, 'projectId' | 'serviceKey'>) => {
  const key = actors.bearer(serviceKey);
  const path = `/projects/v1/admin/${projectId}/secrets`;
  return {
    set: (name: string, value: string) => service.call<Any>(key, 'POST', path, { body: { key: name, value } }),
    list: async () => (await service.call<Any>(key, 'GET', path)).body.secrets as Any[],
    remove: (name: string) => service.call<Any>(key, 'DELETE', `${path}/${name}`),
  };
};
const { set, list, remove } = door(home);

test('a secret is set, listed without its value, replaced and deleted', async () => {
  expect(await set('STRIPE_KEY', 'one')).toMatchObject({ status: 200, body: { status: 'set', key: 'STRIPE_KEY' } });
  expect((await set('_A', 'two')).status).toBe(200);
  const [first, second] = await list();
  expect([first.key, second.key]).toEqual(['STRIPE_KEY', '_A']);
  expect(Object.keys(first).sort()).toEqual(['created_at', 'key', 'updated_at', 'updated_by']);
  await set('STRIPE_KEY', 'three');
  const [replaced] = await list();
  expect(replaced.created_at).toBe(first.created_at);
  expect(Date.parse(replaced.updated_at)).toBeGreaterThanOrEqual(Date.parse(first.updated_at));
  expect((await remove('STRIPE_KEY')).body).toEqual({ status: 'deleted', key: 'STRIPE_KEY' });
  expect(await remove('STRIPE_KEY')).toMatchObject({ status: 404, body: { code: 'SECRET_NOT_FOUND' } });
  await remove('_A');
  expect(await list()).toEqual([]);
});

test('keys and values have their limits', async () => {
  for (const [key, value, code] of [
    ['lower', 'x', 'VALIDATION_FAILED'],
    ['1A', 'x', 'VALIDATION_FAILED'],
    ['', 'x', 'VALIDATION_FAILED'],
    ['A'.repeat(129), 'x', 'VALIDATION_FAILED'],
    ['A', '', 'VALIDATION_FAILED'],
    ['A', 'ä'.repeat(2_049), 'VALIDATION_FAILED'],
    ['SVC_API_BASE', 'x', 'RESERVED_SECRET_KEY'],
  ] as const)
    expect((await set(key, value)).body.code, `${key} ${value.length}`).toBe(code);
  expect((await set('A'.repeat(128), 'ä'.repeat(2_048))).status).toBe(200);
  await remove('A'.repeat(128));
});

test('a tier counts the secrets of all projects, also of callers who race', async () => {
  const { wallet, orgId, projectId, serviceKey } = await service.project();
  const { body: second } = await service.call<Any>(wallet, 'POST', '/projects/v1', { body: { org_id: orgId } });
  const one = door({ projectId, serviceKey });
  const two = door({ projectId: second.project_id, serviceKey: second.service_key });
  const names = Array.from({ length: 14 }, (_none, at) => `KEY_${at}`);
  const told = await Promise.all(names.map((name, at) => (at % 2 === 0 ? one : two).set(name, 'x')));
  expect(told.filter(({ status }) => status === 200)).toHaveLength(10);
  for (const { status, body } of told.filter((answer) => answer.status !== 200))
    expect({ status, body }).toMatchObject({
      status: 403,
      body: { code: 'QUOTA_EXCEEDED', details: { scope: 'organization', metric: 'secrets', limit: 10, used: 10 } },
    });
  const [known] = await one.list();
  expect((await one.set(known.key, 'another')).status).toBe(200);
});

test('a value opens for its own project and key alone, and after the root was rotated', async () => {
  await set('MOVED', 'hidden-value');
  const [row] = await control.sql<{ sealed: Buffer; org_id: string }>(
    'select sealed, org_id from project_secrets where project_id = $1 and key = $2',
    [home.projectId, 'MOVED'],
  );
  const { keys } = service.app.services;
  const open = (ring: KeyRing, project: string, key: string) =>
    ring.open('project-secrets', row!.sealed, `${row!.org_id} ${project} ${key}`).toString();
  expect(open(keys, home.projectId, 'MOVED')).toBe('hidden-value');
  expect(() => open(keys, other.projectId, 'MOVED')).toThrow();
  expect(() => open(keys, home.projectId, 'ELSE')).toThrow();
  expect(() => open(new KeyRing(randomBytes(32)), home.projectId, 'MOVED')).toThrow();
});

test('the secrets of a project end with it', async () => {
  const gone = await service.project();
  await door(gone).set('STRIPE_KEY', 'x');
  await service.call(actors.bearer(gone.serviceKey), 'DELETE', `/projects/v1/${gone.projectId}`);
  expect(await control.sql('select 1 from project_secrets where project_id = $1', [gone.projectId])).toEqual([]);
});

test('nothing that leaves, and nothing that is kept, holds a value', async () => {
  const value = `hidden-${randomBytes(12).toString('hex')}`;
  const answers: string[] = [];
  const note = ({ text }: { text: string }) => answers.push(text);
  const path = `/projects/v1/admin/${home.projectId}/secrets`;
  const key = actors.bearer(home.serviceKey);
  const post = (who: typeof key, body: object, headers: Record<string, string> = {}) =>
    service.call<Any>(who, 'POST', path, { body, headers }).then(note);
  await post(key, { key: 'HIDDEN', value }, { 'idempotency-key': 'once' });
  await post(key, { key: 'HIDDEN', value }, { 'idempotency-key': 'once' });
  await post(key, { key: 'HIDDEN', value: `${value}2` }, { 'idempotency-key': 'once' });
  await post(key, { key: 'HIDDEN', value: value.repeat(200) });
  await post(key, { key: 'not a key', value });
  await post(key, { key: 'SVC_X', value });
  await post(actors.bearer(other.serviceKey), { key: 'HIDDEN', value });
  await post(actors.apikey(home.anonKey), { key: 'HIDDEN', value });
  await post(actors.nobody, { key: 'HIDDEN', value });
  const mutation = 'mutation ($input: SetSecretInput!) { setSecret(input: $input) { key updatedAt } }';
  for (const name of ['GRAPH', 'not a key']) {
    const answer = await service.graphql(home.wallet, mutation, {
      input: { project: home.projectId, key: name, value },
    });
    answers.push(JSON.stringify(answer));
  }
  await service.call<Any>(key, 'GET', path).then(note);
  expect(answers.join('\n')).toContain('HIDDEN');
  expect(answers.join('\n')).not.toContain(value);
  expect(JSON.stringify(service.logged())).not.toContain(value);
  const tables = await control.sql<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const forms = [value, Buffer.from(value).toString('hex'), Buffer.from(value).toString('base64').slice(0, 20)];
  for (const { name } of tables) {
    const rows = await control.sql<{ row: string }>(`select t::text as row from ${name} t`);
    const text = rows.map(({ row }) => row).join('\n');
    for (const form of forms) expect(text.includes(form), `${name} holds ${form}`).toBe(false);
  }
});
