import { afterAll, expect, test } from 'vitest';
import { type Actor, withHeaders } from '../helpers/actors.ts';
import { runOnSocket } from '../helpers/raw-socket.ts';
import { startService } from '../helpers/service.ts';

const service = await startService();
afterAll(() => service.stop());

const { actors, control } = service;

/** Enough of a secret to be worth something to a reader of the log. */
const pieces = (secret: string) => [secret, secret.slice(0, 48), secret.slice(-24)].filter(({ length }) => length > 12);

test('no credential is ever logged: good or bad, refused or in a failure of ours', async () => {
  const home = await service.project();
  const { orgId, projectId, principalId } = home;
  const session = await actors.session({ principalId, passkeyAgeSeconds: 1 });
  const operator = await actors.session({ kind: 'operator', principalId });
  const delegate = await actors.delegate({ orgId, projectId, capabilities: ['read'] });
  const approval = await actors.approval(session, 'org.project.create', orgId);
  const admin = (await actors.admin.headers('/')) as Record<string, string>;
  const siwx = await home.wallet.sign();
  const key = 'idempotency-key-of-a-request-with-secrets';

  const headers: Record<string, string>[] = [
    { 'sign-in-with-x': siwx },
    { authorization: `Bearer ${session.token}`, 'x-svc-write-auth': approval },
    { authorization: `Bearer ${operator.token}` },
    { authorization: `Bearer ${delegate.token}` },
    { authorization: `Bearer ${home.serviceKey}` },
    { apikey: home.anonKey },
    { apikey: home.serviceKey },
    admin,
  ];
  const secrets = [
    siwx,
    session.token,
    approval.slice('Bearer '.length),
    operator.token,
    delegate.token,
    home.serviceKey,
    home.anonKey,
    admin['x-admin-key']!,
    key,
  ];
  // Almost right is as secret as right: most of it is.
  const spoiled = headers.map((given) =>
    Object.fromEntries(Object.entries(given).map(([name, value]) => [name, `${value}x`])),
  );

  const sendAll = async (actor: Actor, withKey: Record<string, string>) => {
    const room = `/orgs/v1/${orgId}/rooms/${projectId}`;
    for (const path of [
      '/agent/v1/whoami',
      `/projects/v1/${projectId}`,
      `/projects/v1/${projectId}/keys`,
      '/nowhere',
    ]) {
      await service.call(actor, 'GET', path);
    }
    await service.call(actor, 'POST', '/orgs/v1', { body: {}, headers: withKey });
    await service.call(actor, 'POST', '/projects/v1', { body: { org_id: orgId }, headers: withKey });
    await service.call(actor, 'POST', `${room}/messages`, { body: { body: 'hello' }, headers: withKey });
    await service.call(actor, 'POST', '/graphql', { body: '{', headers: withKey });
    await service.graphql(actor, '{ whoami { __typename } }');
    await service.graphql(actor, `{ project(id: "${projectId}") { keys { anonKey serviceKey } } }`);
    const follow = `subscription { roomMessages(org: "${crypto.randomUUID()}", room: "${projectId}") { cursor } }`;
    // A credential that is refused lets nobody in.
    await runOnSocket(service.url, actor, follow).catch(() => undefined);
  };
  const rounds = async (name: string) => {
    for (const given of [...headers, ...spoiled]) {
      await sendAll(withHeaders(given), { 'idempotency-key': `${key}-${name}` });
    }
  };

  await rounds('good');
  // Now everything that looks into these tables fails in a way nobody planned for.
  for (const table of ['sessions', 'delegates', 'authenticators', 'projects', 'write_approvals', 'idempotency_keys']) {
    await control.sql(`alter table ${table} rename to ${table}_gone`);
    await rounds(table);
    await control.sql(`alter table ${table}_gone rename to ${table}`);
  }

  const lines = service.logged().map((line) => JSON.stringify(line));
  expect(lines.filter((line) => line.includes('failed unexpectedly')).length).toBeGreaterThan(10);
  expect(lines.filter((line) => line.includes('"msg":"request"')).length).toBeGreaterThan(100);
  const all = lines.join('\n');
  for (const secret of secrets.flatMap(pieces)) expect(all.includes(secret), secret).toBe(false);
});
