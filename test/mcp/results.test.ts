import { afterAll, describe, expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../auth/passkeys/software-authenticator.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { until } from '../helpers/until.ts';
import { platformTools } from './mcp-stage.ts';

const service = await sharedService();
afterAll(() => service.stop());
const tools = platformTools(service);

const fenced = (text: string) => /```json\n([\s\S]*)\n```$/.exec(text)![1]!;

describe('a long list', () => {
  test('is cut in the text, whole in the data, and read on by its reference', async () => {
    const { wallet, projectId: project_id } = await service.project();
    const sql = 'select n from generate_series(1, 57) n';
    const { content, structuredContent } = await tools.call(wallet, 'run_sql', { project_id, sql });
    const { text } = content[0]!;
    expect(structuredContent.rows).toHaveLength(57);
    const shown = JSON.parse(fenced(text)) as { rows: unknown[] };
    // A line for each, since a model pays for every blank.
    expect(text).toContain('\n    {"n":1},\n    {"n":2},\n');
    expect(shown.rows).toEqual(structuredContent.rows.slice(0, 20));
    const ref = /`rows`: 20 of 57 shown; the rest by expand_result with ref (res_[0-9a-f]{16})\./.exec(text)![1]!;
    const expand = (args: object, who = wallet) => tools.call(who, 'expand_result', { ref, ...args });
    expect((await expand({})).structuredContent).toEqual({
      ref,
      offset: 0,
      total: 57,
      has_more: false,
      items: structuredContent.rows,
    });
    expect((await expand({ offset: 20, limit: 2 })).structuredContent).toMatchObject({
      has_more: true,
      items: [{ n: 21 }, { n: 22 }],
    });
    for (const args of [{ limit: 0 }, { limit: 1001 }, { offset: -1 }, { ref: 'res_x' }])
      expect(await expand(args)).toMatchObject({ isError: true, structuredContent: { code: 'VALIDATION_FAILED' } });
    // What one was shown is nobody else's.
    const absent = { isError: true, structuredContent: { code: 'RESULT_REFERENCE_NOT_FOUND' } };
    expect(await expand({}, service.actors.wallet())).toMatchObject(absent);
    expect(await expand({ ref: 'res_0123456789abcdef' })).toMatchObject(absent);
  });

  test('is, of those who share a key, the session’s that was shown it', async () => {
    const { wallet, projectId: project_id, anonKey } = await service.project();
    await tools.call(wallet, 'run_sql', {
      project_id,
      sql: 'create table notes (id int primary key); insert into notes select generate_series(1, 21)',
    });
    const manifest = { version: 1, tables: [{ name: 'notes', expose: true, policy: 'public_read_append_only' }] };
    await tools.call(wallet, 'apply_expose', { project_id, manifest });
    const key = service.actors.apikey(anonKey);
    const inSession = (session: string) => ({
      ...key,
      headers: async (path: string) => ({ ...(await key.headers(path)), 'mcp-session-id': session }),
    });
    const [one, other] = [inSession(crypto.randomUUID()), inSession(crypto.randomUUID())];
    const shown = async (who: typeof one) => {
      const { content } = await tools.call(who, 'rest_query', { project_id, table: 'notes' });
      return /res_[0-9a-f]{16}/.exec(content[0]!.text)![0];
    };
    const ref = await shown(one);
    // What others of the same key are shown makes no room in this one’s.
    for (let n = 0; n < 33; n += 1) await shown(other);
    expect((await tools.call(one, 'expand_result', { ref })).structuredContent).toMatchObject({ total: 21 });
    for (const who of [other, key])
      expect(await tools.call(who, 'expand_result', { ref })).toMatchObject({
        isError: true,
        structuredContent: { code: 'RESULT_REFERENCE_NOT_FOUND' },
      });
  });

  test('of more than 32 the first is forgotten', async () => {
    const { wallet, projectId: project_id } = await service.project();
    const refs: string[] = [];
    for (let n = 0; n < 33; n += 1) {
      const { content } = await tools.call(wallet, 'run_sql', { project_id, sql: 'select generate_series(1, 21)' });
      refs.push(/res_[0-9a-f]{16}/.exec(content[0]!.text)![0]);
    }
    expect(await tools.call(wallet, 'expand_result', { ref: refs[0] })).toMatchObject({ isError: true });
    expect(await tools.call(wallet, 'expand_result', { ref: refs[1] })).not.toHaveProperty('isError');
  });
});

describe('what is kept of long lists is bounded', () => {
  test('in all, the oldest making room', async () => {
    const { wallet, projectId: project_id } = await service.project();
    const keep = async (rows: number) => {
      const sql = `select repeat('x', 65000) as x from generate_series(1, ${rows})`;
      const { content } = await tools.call(wallet, 'run_sql', { project_id, sql });
      return content[0]!.text;
    };
    const refs: string[] = [];
    // Each of almost 2 MiB; five are more than 8 MiB.
    for (let n = 0; n < 5; n += 1) refs.push(/res_[0-9a-f]{16}/.exec(await keep(30))![0]);
    expect(await tools.call(wallet, 'expand_result', { ref: refs[0] })).toMatchObject({ isError: true });
    expect(await tools.call(wallet, 'expand_result', { ref: refs[1], limit: 1 })).not.toHaveProperty('isError');
    // One that is longer by itself is not kept at all, and the text says where it is.
    expect(await keep(40)).toContain('`rows`: 20 of 40 shown; all of it is in the structured content.');
    const { principal } = (await tools.call(wallet, 'whoami')).structuredContent;
    const weigh = 'select sum(bytes)::int as bytes from kept_results where owner = $1';
    const [kept] = await service.control.sql<{ bytes: number }>(weigh, [principal.id]);
    expect(kept!.bytes).toBeLessThanOrEqual(8 * 1024 * 1024);
  });

  test('over all sessions of one key', async () => {
    const { wallet, projectId: project_id, serviceKey } = await service.project();
    await tools.call(wallet, 'run_sql', { project_id, sql: 'select 1' });
    const key = service.actors.bearer(serviceKey);
    const inSession = { ...key, headers: async (path: string) => ({ ...(await key.headers(path)), ...named() }) };
    const named = () => ({ 'mcp-session-id': crypto.randomUUID() });
    const owner = `key:${project_id}:service_role`;
    const many = `insert into kept_results (ref, owner, session, items, bytes, created_at, expires_at)
      select 'res_' || lpad(to_hex(n), 16, '0'), $1, 'session' || n, '[]', 2, now() - interval '1 minute', now() + interval '1 minute'
      from generate_series(1, 600) n`;
    await service.control.sql(many, [owner]);
    expect(
      await tools.call(inSession, 'run_sql', { project_id, sql: 'select generate_series(1, 21)' }),
    ).not.toHaveProperty('isError');
    const [left] = await service.control.sql<{ n: number }>(
      'select count(*)::int as n from kept_results where owner = $1',
      [owner],
    );
    expect(left!.n).toBe(512);
  });

  test('in time', async () => {
    const { wallet, projectId: project_id } = await service.project();
    const sql = 'select generate_series(1, 21)';
    const { content } = await tools.call(wallet, 'run_sql', { project_id, sql });
    const ref = /res_[0-9a-f]{16}/.exec(content[0]!.text)![0];
    const expire = `update kept_results set expires_at = expires_at - interval '31 minutes' where ref = $1`;
    await service.control.sql(expire, [ref]);
    expect(await tools.call(wallet, 'expand_result', { ref })).toMatchObject({
      isError: true,
      structuredContent: { code: 'RESULT_REFERENCE_NOT_FOUND' },
    });
  });
});

test('no text holds a secret, unless it is asked for', async () => {
  const { wallet, orgId } = await service.owner();
  const made = await tools.call(wallet, 'provision_postgres_project', { org_id: orgId });
  const { project_id, anon_key, service_key } = made.structuredContent;
  expect(service_key).toMatch(/^ey/);
  const grantee = service.actors.wallet();
  const grant = await tools.call(wallet, 'create_project_grant', {
    project_id,
    wallet: grantee.address,
    capability: 'read',
  });
  const { grant_id } = grant.structuredContent;
  const delegate = await tools.call(wallet, 'create_delegate', {
    project_id,
    grant_id,
    scope: { v: 1, capabilities: ['read'] },
  });
  expect(delegate.structuredContent.token).toEqual(expect.any(String));
  const keys = await tools.call(wallet, 'project_keys', { project_id });
  expect(keys.structuredContent).toEqual({ project_id, anon_key, service_key });
  for (const { content } of [made, delegate, keys]) {
    for (const secret of [anon_key, service_key, delegate.structuredContent.token])
      expect(content[0]!.text).not.toContain(secret);
    expect(content[0]!.text).toContain('(hidden; call with reveal: true');
  }
  const shown = await tools.call(wallet, 'project_keys', { project_id, reveal: true });
  expect(shown.content[0]!.text).toContain(service_key);
  // Nor does a refusal repeat what was sent along.
  const password = 'correct horse battery';
  const wrong = await tools.call(wallet, 'set_user_password', {
    project_id,
    access_token: service_key,
    new_password: password,
  });
  expect(wrong.isError).toBe(true);
  expect(JSON.stringify(wrong)).not.toContain(password);
  expect(JSON.stringify(wrong)).not.toContain(service_key);
});

describe('what is asked for to be read', () => {
  test('is shown whole in the text', async () => {
    const { wallet, projectId: project_id } = await service.project();
    const sql = 'select n from generate_series(1, 57) n';
    const { content } = await tools.call(wallet, 'run_sql', { project_id, sql });
    const ref = /res_[0-9a-f]{16}/.exec(content[0]!.text)![0];
    const window = await tools.call(wallet, 'expand_result', { ref, offset: 20 });
    const { items } = JSON.parse(fenced(window.content[0]!.text)) as { items: { n: number }[] };
    expect(items.map(({ n }) => n)).toEqual(Array.from({ length: 37 }, (_, at) => at + 21));
    const all = await tools.call(wallet, 'find_tools');
    const { tools: named, total } = JSON.parse(fenced(all.content[0]!.text)) as { tools: object[]; total: number };
    expect(named).toHaveLength(total);
    for (const { text } of [window.content[0]!, all.content[0]!]) expect(text).not.toMatch(/ of \d+ shown/);
  });

  test('is cut where one text alone would fill a model’s context, and is whole in the data', async () => {
    const { wallet, projectId: project_id } = await service.project();
    const sql = `select repeat('x', 100000) as long, repeat('y', 32768) as usual`;
    const { content, structuredContent } = await tools.call(wallet, 'run_sql', { project_id, sql });
    const { text } = content[0]!;
    expect(structuredContent.rows[0].long).toHaveLength(100_000);
    expect(text.length).toBeLessThan(110_000);
    expect(text).toContain('x… (100000 characters; the structured content has them all)');
    expect(text).toContain('y'.repeat(32_768));
  });
});

describe('tools that stand for two operations', () => {
  test('tell by their arguments which is meant', async () => {
    const { wallet, orgId: org_id, projectId: project_id } = await service.project();
    const call = async (name: string, args: object) => (await tools.call(wallet, name, args)).structuredContent;
    const rest = async (path: string) => (await service.call(wallet, 'GET', path)).body;
    const { message_id } = await call('send_room_message', { project_id, body: 'hello' });
    const room = `/orgs/v1/${org_id}/rooms/${project_id}`;
    expect(await call('read_room_messages', { project_id, message_id })).toEqual(
      await rest(`${room}/messages/${message_id}`),
    );
    expect(await call('read_room_messages', { project_id })).toEqual(await rest(`${room}/messages`));
    expect(await call('read_room_messages', { org_id, room_key: project_id })).toEqual(await rest(`${room}/messages`));
    const { escalation_id } = await call('raise_escalation', { project_id, reason: 'smoke' });
    const escalations = `/orgs/v1/${org_id}/escalations`;
    expect(await call('get_escalation', { project_id, escalation_id })).toEqual(
      await rest(`${escalations}/${escalation_id}`),
    );
    expect(await call('get_escalation', { org_id, escalation_id, include_delivery: true })).toEqual(
      await rest(`${escalations}/${escalation_id}?include=delivery`),
    );
    expect(await call('get_escalation', { org_id, status: 'open' })).toEqual(await rest(`${escalations}?status=open`));
    const [event] = (await call('list_project_events', { project_id })).events;
    expect(event).toEqual(
      ((await rest(`/projects/v1/${project_id}/events`)) as unknown as { events: unknown[] }).events[0],
    );
    expect((await call('list_project_events', { org_id })).events.length).toBeGreaterThan(0);
    const occurrence = { function: 'charge', kind: 'uncaught', sample_id: 'req_1', message: 'it broke' };
    await call('report_error_occurrences', { project_id, occurrences: [occurrence] });
    const [{ fingerprint_id }] = (await call('errors_list', { project_id })).errors;
    expect(await call('errors_list', { project_id, fingerprint_id })).toEqual(
      await rest(`/projects/v1/${project_id}/errors/${fingerprint_id}`),
    );
    expect((await call('errors_list', { project_id })).errors).toMatchObject([{ fingerprint_id }]);
    expect(await call('errors_list', { project_id, counts: 'day' })).toMatchObject({
      counts: { bucket: 'day', values: expect.arrayContaining([1]) },
      errors: [{ counts: { bucket: 'day', values: expect.arrayContaining([1]) } }],
    });
    const manifest = { version: 1, tables: [{ name: 'absent', expose: true, policy: 'public_read_append_only' }] };
    expect(await call('validate_manifest', { project_id, manifest })).toMatchObject({ has_errors: true });
    const empty = await call('validate_manifest', { manifest, migration_sql: 'create table absent (id int)' });
    expect(empty).toHaveProperty('has_errors');
    // As it stands in its file.
    const asText = JSON.stringify(manifest);
    expect(await call('validate_manifest', { project_id, manifest: asText })).toMatchObject({ has_errors: true });
    expect((await call('list_projects', { org_id })).projects).toEqual(
      ((await rest(`/projects/v1?org_id=${org_id}`)) as unknown as { projects: unknown[] }).projects,
    );
    expect(await call('list_projects', { all: true })).toEqual(await rest('/agent/v1/operator/projects'));
    const balance = await rest(`/orgs/v1/${org_id}/billing`);
    for (const account of [{ wallet: org_id }, { org_id }, { wallet: wallet.address }])
      expect(await call('check_balance', account)).toEqual(balance);
    expect(await call('billing_history', { wallet: wallet.address, limit: 5 })).toEqual(
      await rest(`/orgs/v1/${org_id}/billing/history?limit=5`),
    );
  });

  test('refuse what the one that is meant does not take, and what names nothing', async () => {
    const { wallet, projectId: project_id } = await service.project();
    const { message_id } = (await tools.call(wallet, 'send_room_message', { project_id, body: 'x' })).structuredContent;
    for (const [name, args, field] of [
      ['read_room_messages', { project_id, message_id, unread: true }, 'unread'],
      ['read_room_messages', {}, 'room_key'],
      ['read_room_messages', { room_key: 'standup' }, 'org_id'],
      ['get_escalation', {}, 'org_id'],
      ['send_room_message', { project_id, body: 'x', room: 'y' }, 'room'],
      ['check_balance', {}, 'wallet'],
      ['check_balance', { wallet: 'nobody' }, 'wallet'],
      ['create_org', { idempotency_key: 5 }, 'idempotency_key'],
      ['validate_manifest', { project_id, manifest: '{' }, 'manifest'],
      ['list_projects', { all: true, limit: 1 }, 'limit'],
    ] as const)
      expect([name, await tools.call(wallet, name, args)]).toMatchObject([
        name,
        { isError: true, structuredContent: { code: 'VALIDATION_FAILED', details: { field } } },
      ]);
  });
});

test('whoever arrives is told who is there and what they have claimed', async () => {
  const { wallet, orgId: org_id, projectId: project_id } = await service.project();
  const call = async (name: string, args: object) => (await tools.call(wallet, name, args)).structuredContent;
  const ada = await call('join_room', { project_id, requested_name: 'Ada' });
  const presence = { project_id, presence_id: ada.you.presence_id };
  // A claim that says nothing else is exclusive.
  const claim = await call('claim_room_resource', { ...presence, resource: 'table:notes' });
  expect(claim).toMatchObject({ mode: 'exclusive', holder: 'Ada' });
  const bob = await call('join_room', { project_id, requested_name: 'Bob' });
  expect(bob).toMatchObject({
    org_id,
    room_key: project_id,
    you: { name: 'Bob' },
    claims: [{ claim_id: claim.claim_id, resource: 'table:notes' }],
  });
  expect(bob.presences.map(({ name }: { name: string }) => name).sort()).toEqual(['Ada', 'Bob']);
});

test('the same call under one key is done once', async () => {
  const wallet = service.actors.wallet();
  const args = { display_name: 'Once', idempotency_key: 'once' };
  const first = await tools.call(wallet, 'create_org', args);
  const again = await tools.call(wallet, 'create_org', args);
  expect(again.structuredContent).toEqual(first.structuredContent);
  const other = await tools.call(wallet, 'create_org', { ...args, display_name: 'Twice' });
  expect(other).toMatchObject({ isError: true, structuredContent: { code: 'IDEMPOTENCY_KEY_REUSED' } });
  expect((await tools.call(wallet, 'list_orgs')).structuredContent.orgs).toHaveLength(1);
});

describe('the doors of a project', () => {
  test('give its rows to its owner, and to whoever holds its key', async () => {
    const { wallet, projectId: project_id, anonKey, serviceKey } = await service.project();
    await tools.call(wallet, 'run_sql', { project_id, sql: 'create table notes (id int primary key, body text)' });
    const manifest = { version: 1, tables: [{ name: 'notes', expose: true, policy: 'public_read_append_only' }] };
    expect(await tools.call(wallet, 'apply_expose', { project_id, manifest })).not.toHaveProperty('isError');
    const write = { project_id, table: 'notes', method: 'POST', body: { id: 1, body: 'one' }, key_type: 'service' };
    expect((await tools.call(wallet, 'rest_query', write)).structuredContent).toMatchObject({
      status: 201,
      body: [{ id: 1, body: 'one' }],
    });
    const read = { project_id, table: 'notes', params: { select: 'body', id: 'eq.1' } };
    const { apikey, bearer } = service.actors;
    for (const who of [wallet, apikey(anonKey)])
      expect((await tools.call(who, 'rest_query', read)).structuredContent).toMatchObject({ body: [{ body: 'one' }] });
    const privileged = { ...read, key_type: 'service' };
    expect((await tools.call(bearer(serviceKey), 'rest_query', privileged)).structuredContent.body).toHaveLength(1);
    // The key that was sent is not mistaken for the other.
    for (const [who, args] of [
      [apikey(anonKey), privileged],
      [apikey(anonKey), { ...privileged, project_id: 'prj_0000000000000000000000000x' }],
      [service.actors.wallet(), read],
      [(await service.project()).wallet, read],
    ] as const)
      expect((await tools.call(who, 'rest_query', args)).isError).toBe(true);
    const refused = await tools.call(wallet, 'rest_query', { project_id, table: 'absent' });
    expect(refused).toMatchObject({ isError: true, structuredContent: { status: 404, code: 'PGRST205' } });
    expect(refused.content[0]!.text).toMatch(/^Error calling rest_query: .*absent.* \(HTTP 404\)/);
  });

  test('invite with the service key, which nobody has to send', async () => {
    const { wallet, projectId: project_id } = await service.project();
    const args = { project_id, email: 'bob@example.org', delivery: 'code', intent: 'invite' };
    expect(await tools.call(wallet, 'request_magic_link', args)).not.toHaveProperty('isError');
  });

  test('sign its users in by a mailed code, and let them set a password and look at their passkeys', async () => {
    const { wallet, projectId: project_id } = await service.project();
    await tools.call(wallet, 'auth_settings', { project_id, public_signup: 'open', allow_password_set: true });
    const email = 'ada@example.org';
    const asked = await tools.call(wallet, 'request_magic_link', { project_id, email, delivery: 'code' });
    expect(asked).not.toHaveProperty('isError');
    const { challenge_id } = asked.structuredContent;
    const mail = await until(async () => {
      const { structuredContent } = await tools.call(service.actors.admin, 'admin_list_outbox');
      const found = structuredContent.mails.find((one: { recipient: string }) => one.recipient === email);
      expect(found).toBeDefined();
      return found as { body_text: string };
    });
    const code = /^\d{6}$/m.exec(mail.body_text)![0];
    const session = await tools.call(wallet, 'verify_magic_link', { project_id, challenge_id, code });
    const { access_token } = session.structuredContent;
    expect(access_token).toEqual(expect.any(String));
    expect(session.content[0]!.text).not.toContain(access_token);
    const user = { project_id, access_token };
    const changed = await tools.call(wallet, 'set_user_password', { ...user, new_password: 'correct horse battery' });
    expect(changed.structuredContent).toEqual({ status: 'ok' });
    expect((await tools.call(wallet, 'list_passkeys', user)).structuredContent).toEqual({ passkeys: [] });
    const absent = await tools.call(wallet, 'delete_passkey', { ...user, passkey_id: crypto.randomUUID() });
    expect(absent).toMatchObject({
      isError: true,
      structuredContent: { code: expect.stringMatching(/NOT_FOUND|STEP|AUTH/) },
    });
    const used = await tools.call(wallet, 'verify_magic_link', { project_id, challenge_id, code });
    expect(used.isError).toBe(true);
    // As a page and an authenticator would, between the calls.
    const app_origin = 'http://localhost:3000';
    const device = new SoftwareAuthenticator(app_origin);
    const offered = await tools.call(wallet, 'passkey_register_options', { ...user, app_origin });
    const made = { ...user, ...device.create(offered.structuredContent), label: 'Laptop' };
    const kept = await tools.call(wallet, 'passkey_register_verify', made);
    expect(kept.structuredContent).toMatchObject({ label: 'Laptop' });
    const options = await tools.call(wallet, 'passkey_login_options', { project_id, app_origin, email });
    const proof = { project_id, ...device.get(options.structuredContent) };
    const signedIn = await tools.call(wallet, 'passkey_login_verify', proof);
    expect(signedIn.structuredContent.user).toMatchObject({ email });
    expect(signedIn.content[0]!.text).not.toContain(signedIn.structuredContent.access_token);
    const [{ id: passkey_id }] = (await tools.call(wallet, 'list_passkeys', user)).structuredContent.passkeys;
    expect(await tools.call(wallet, 'delete_passkey', { ...user, passkey_id })).not.toHaveProperty('isError');
    for (const [name, args] of [
      ['passkey_register_options', { ...user, app_origin: 'https://elsewhere.example' }],
      ['passkey_register_verify', { ...user, challenge_id: 'x', response: {} }],
      ['passkey_login_options', { project_id, app_origin: 'nowhere' }],
      ['passkey_login_verify', { project_id, challenge_id: 'x', response: {} }],
      ['list_passkeys', { project_id, access_token: 'x' }],
    ] as const)
      expect([name, (await tools.call(wallet, name, args)).structuredContent]).toMatchObject([
        name,
        { code: expect.stringMatching(/^[A-Z_]+$/), trace_id: expect.stringMatching(/^trc_/) },
      ]);
  });

  test('are opened to nobody who may not have the keys', async () => {
    const { projectId: project_id, orgId } = await service.project();
    const developer = await service.actors.session();
    await service.actors.member(orgId, developer.principalId, 'developer');
    for (const who of [developer, service.actors.wallet(), service.actors.nobody])
      for (const [name, args] of [
        ['rest_query', { table: 'notes' }],
        ['request_magic_link', { email: 'ada@example.org' }],
        ['passkey_login_options', { app_origin: 'https://app.example.org' }],
        ['list_passkeys', { access_token: 'x' }],
      ] as const)
        expect([name, await tools.call(who, name, { project_id, ...args })]).toMatchObject([
          name,
          { isError: true, structuredContent: { code: expect.stringMatching(/^(NOT_AUTHORIZED|AUTH_REQUIRED)$/) } },
        ]);
  });
});
