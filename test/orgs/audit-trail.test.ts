import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal, moment } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';

const service = await startService();
afterAll(() => service.stop());
const call = documentedCalls(service);
const { actors, control } = service;

interface Event {
  readonly id: string;
  readonly action: string;
  readonly details: { readonly display_name?: string };
}

/** An organization that was created, then renamed to 1, 2, 3 and so on. */
async function renamedOrg(times: number) {
  const { wallet, orgId, principalId } = await service.owner();
  const path = `/orgs/v1/${orgId}/audit`;
  for (let i = 1; i <= times; i++) {
    await call(wallet, 'PATCH', `/orgs/v1/${orgId}`, { body: { display_name: String(i) } });
  }
  return { wallet, orgId, principalId, path, read: (query = '') => call(wallet, 'GET', path + query) };
}

const namesOf = (events: readonly Event[]) => events.map(({ action, details }) => details.display_name ?? action);

test('an event says what was done to what, by whom and by what right', async () => {
  const { wallet, orgId, principalId, path } = await renamedOrg(0);
  const renamed = await call(wallet, 'PATCH', `/orgs/v1/${orgId}`, { body: { display_name: 'Engines' } });
  const { body } = await call(wallet, 'GET', path);
  expect(body).toMatchObject({ has_more: false, next_cursor: null });
  expect(body.events).toHaveLength(2);
  expect(body.events[0]).toStrictEqual({
    id: expect.stringMatching(/^aud_/),
    occurred_at: moment,
    action: 'org.renamed',
    actor: {
      schema_version: 1,
      principal: {
        principal_id: principalId,
        principal_type: 'agent',
        display_name_at_capture: null,
        linked_identities_at_capture: [],
      },
      authenticator: { authenticator_id: expect.any(String), kind: 'wallet', public_subject: wallet.address },
      authority: {
        kind: 'organization_membership',
        organization_id: orgId,
        membership_id: expect.any(String),
        role: 'owner',
      },
      captured_at: moment,
    },
    object: { kind: 'organization', id: orgId },
    outcome: 'ok',
    details: { display_name: 'Engines' },
    request_id: renamed.headers.get('x-svc-trace-id'),
  });
});

test('the trail is read from the newest event to the oldest, page by page, and nothing twice', async () => {
  const { read } = await renamedOrg(6);
  const whole = namesOf((await read()).body.events);
  expect(whole).toEqual(['6', '5', '4', '3', '2', '1', 'org.created']);
  const seen: string[] = [];
  let next: string | null = null;
  do {
    const { body } = await read(`?limit=3${next === null ? '' : `&after=${next}`}`);
    seen.push(...namesOf(body.events));
    expect(body.has_more).toBe(body.next_cursor !== null);
    next = body.next_cursor;
  } while (next !== null);
  expect(seen).toEqual(whole);
});

test('`before` is the older name of `after`, and both together are refused', async () => {
  const { read } = await renamedOrg(3);
  const { next_cursor } = (await read('?limit=2')).body;
  const older = await read(`?limit=2&before=${next_cursor}`);
  expect(namesOf(older.body.events)).toEqual(['1', 'org.created']);
  expect(older.body).toStrictEqual((await read(`?limit=2&after=${next_cursor}`)).body);
  expectRefusal(await read(`?before=${next_cursor}&after=${next_cursor}`), 'VALIDATION_FAILED', { field: 'before' });
});

test('a trail is filtered by action, by kind of action, by actor and by time, page by page', async () => {
  const { wallet, orgId, principalId, read } = await renamedOrg(3);
  const guest = await actors.session();
  await actors.member(orgId, guest.principalId, 'owner');
  await control.sql(
    `insert into audit_events (id, org_id, occurred_at, action, actor, object_kind, object_id, details, trace_id)
     select 'aud_of_guest_' || i, $1, '2020-01-01T00:00:00Z'::timestamptz + i * interval '1 day', 'organ.played',
       jsonb_build_object('principal', jsonb_build_object('principal_id', $2::text)), 'organization', 'x',
       jsonb_build_object('display_name', 'guest ' || i), 'trc_' || i from generate_series(1, 3) i`,
    [orgId, guest.principalId],
  );
  const named = async (query: string) => namesOf((await read(`?${query}`)).body.events);
  expect(await named('action=org.renamed')).toEqual(['3', '2', '1']);
  expect(await named('action=org')).toEqual(['3', '2', '1', 'org.created']);
  expect(await named('action=org.rename')).toEqual([]);
  expect(await named(`actor=${guest.principalId}`)).toEqual(['guest 3', 'guest 2', 'guest 1']);
  expect(await named(`actor=${principalId}&action=org.created`)).toEqual(['org.created']);
  expect(await named('since=2020-01-02T00:00:00Z&until=2020-01-03T00:00:00Z')).toEqual(['guest 1']);
  expect(await named('since=2020-01-03T00:00:00Z&action=organ')).toEqual(['guest 3', 'guest 2']);

  const first = (await read('?action=org&limit=3')).body;
  expect([namesOf(first.events), first.has_more]).toEqual([['3', '2', '1'], true]);
  const second = (await read(`?action=org&limit=3&after=${first.next_cursor}`)).body;
  expect([namesOf(second.events), second.has_more]).toEqual([['org.created'], false]);

  const query = `query ($id: ID!, $actor: String, $since: DateTime) { organization(id: $id) {
    auditEvents(last: 2, actor: $actor, since: $since) { edges { node { details } } pageInfo { hasPreviousPage } } } }`;
  const { data } = await service.graphql(wallet, query, {
    id: orgId,
    actor: guest.principalId,
    since: '2020-01-01T00:00:00Z',
  });
  expect(data.organization.auditEvents).toMatchObject({
    edges: [{ node: { details: { display_name: 'guest 2' } } }, { node: { details: { display_name: 'guest 1' } } }],
    pageInfo: { hasPreviousPage: true },
  });

  for (const [query, field] of [
    ['action=Org.Renamed', 'action'],
    ['action=org.', 'action'],
    ['action=%25', 'action'],
    ['since=yesterday', 'since'],
    ['since=2020-01-03T00:00:00Z&until=2020-01-02T00:00:00Z', 'since'],
  ] as const) {
    expectRefusal(await read(`?${query}`), 'VALIDATION_FAILED', { field });
  }
});

test('no filter by time or by actor reads the trail from end to end', async () => {
  const { orgId, read } = await renamedOrg(0);
  await control.sql(
    `insert into audit_events (id, org_id, occurred_at, action, actor, object_kind, object_id, details, trace_id)
     select 'aud_busy_' || i, $1, now() - (20000 - i) * interval '1 minute', 'organ.played',
       jsonb_build_object('principal', jsonb_build_object('principal_id', 'prn_' || i % 7)), 'organization', 'x', '{}', 'trc'
     from generate_series(1, 20000) i`,
    [orgId],
  );
  await control.sql('analyze audit_events');
  const plansOf = async (query: string) => {
    const sent = await service.statements(async () => void (await read(query)));
    const texts = sent.filter((text) => /from "audit_events"/.test(text));
    expect(texts).toHaveLength(1);
    return JSON.stringify(await control.sql(`explain (generic_plan, format json) ${texts[0]}`));
  };
  expect(await plansOf(`?since=${new Date().toISOString()}`)).toContain('audit_events_time_idx');
  expect(await plansOf('?until=2020-01-01T00:00:00Z')).toContain('audit_events_time_idx');
  for (const query of ['?actor=prn_none', '?actor=prn_none&action=organ&since=2020-01-01T00:00:00Z'])
    expect(await plansOf(query)).toContain('audit_events_actor_idx');
  expect((await read('?actor=prn_3&limit=2')).body.events).toHaveLength(2);
  const since = new Date(Date.now() - 3 * 60_000).toISOString();
  const { events } = (await read(`?since=${since}&action=organ`)).body;
  expect(events.map(({ id }: Event) => id)).toEqual(['aud_busy_20000', 'aud_busy_19999', 'aud_busy_19998']);
});

test('events of transactions that ended in another order than they began are all found by time', async () => {
  const { orgId, read } = await renamedOrg(0);
  // The number is drawn as an event is written, and its time is the beginning of its transaction.
  for (const [name, minutes] of [
    ['late', 5],
    ['early', 9],
    ['later', 4],
    ['earlier', 10],
  ] as const)
    await control.sql(
      `insert into audit_events (id, org_id, occurred_at, action, actor, object_kind, object_id, details, trace_id)
       values ('aud_${name}_' || $1::text, $1::uuid, '2020-01-01T00:00:00Z'::timestamptz - interval '${minutes} minutes', 'organ.played',
         '{}', 'organization', 'x', '{"display_name": "${name}"}', 'trc')`,
      [orgId],
    );
  const named = async (query: string) => namesOf((await read(query)).body.events);
  expect(await named('?since=2019-12-31T23:00:00Z&until=2020-01-01T00:00:00Z')).toEqual([
    ...['earlier', 'later', 'early', 'late'],
  ]);
  expect(await named('?since=2019-12-31T23:51:00Z&until=2019-12-31T23:56:00Z')).toEqual(['early', 'late']);
});

test('what happens while a trail is read does not move the rest of it', async () => {
  const { read, wallet, orgId } = await renamedOrg(3);
  const { next_cursor } = (await read('?limit=2')).body;
  await call(wallet, 'PATCH', `/orgs/v1/${orgId}`, { body: { display_name: 'new' } });
  expect(namesOf((await read(`?after=${next_cursor}`)).body.events)).toEqual(['1', 'org.created']);
});

test('a page has fifty events unless told, and never more than 200', async () => {
  const { read, orgId } = await renamedOrg(0);
  await control.sql(
    `insert into audit_events (id, org_id, action, actor, object_kind, object_id, trace_id)
     select 'aud_' || i, $1, 'org.renamed', '{}', 'organization', 'x', 'trc_' || i from generate_series(1, 300) i`,
    [orgId],
  );
  expect((await read()).body.events).toHaveLength(50);
  expect((await read('?limit=1000')).body.events).toHaveLength(200);
  for (const limit of ['0', '-1', '1.5', 'x']) {
    expectRefusal(await read(`?limit=${limit}`), 'VALIDATION_FAILED', { field: 'limit' });
  }
});

test('a cursor of another list, or of none, is INVALID_CURSOR', async () => {
  const [mine, others] = [await renamedOrg(2), await renamedOrg(2)];
  const { wallet, orgId } = await service.project();
  await call(wallet, 'POST', '/projects/v1', { body: { org_id: orgId } });
  const projects = (await call(wallet, 'GET', `/projects/v1?org_id=${orgId}&limit=1`)).body.next_cursor;
  const foreign = (await others.read('?limit=1')).body.next_cursor;
  const own = (await mine.read('?limit=1')).body.next_cursor;
  for (const cursor of [projects, foreign, `${own}A`, own.slice(1), 'x', '', '5', 'é']) {
    for (const field of ['after', 'before']) {
      const answer = await mine.read(`?${field}=${encodeURIComponent(cursor)}`);
      expectRefusal(answer, 'INVALID_CURSOR', { field });
    }
  }
});

test('an admin reads the trail without a passkey, and another organization’s is not theirs', async () => {
  const { orgId, path } = await renamedOrg(1);
  const other = await renamedOrg(1);
  const admin = await actors.session();
  await actors.member(orgId, admin.principalId, 'admin');
  expect((await call(admin, 'GET', path)).body.events).toHaveLength(2);
  expectRefusal(await call(admin, 'GET', other.path), 'NOT_AUTHORIZED', { reason: 'member', required_role: 'admin' });
});

test('the trail is still read when the organization is frozen', async () => {
  const { read, orgId } = await renamedOrg(1);
  await control.sql(`update orgs set lifecycle_state = 'frozen' where id = $1`, [orgId]);
  expect((await read()).status).toBe(200);
});

test('GraphQL reads the same trail, in both directions', async () => {
  const { wallet, orgId, read } = await renamedOrg(4);
  const ask = async (page: string) => {
    const query = `query ($id: ID!) { organization(id: $id) { auditEvents${page} {
      edges { cursor node { eventId occurredAt action objectKind objectId actor details traceId } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`;
    const { data, errors } = await service.graphql(wallet, query, { id: orgId });
    if (errors !== undefined) throw new Error(JSON.stringify(errors));
    return data.organization.auditEvents;
  };
  const whole = await ask('');
  const { events } = (await read()).body;
  expect(whole.edges.map(({ node }: { node: object }) => node)).toEqual(
    events.map((event: Event & Record<string, unknown> & { object: { kind: string; id: string } }) => ({
      eventId: event.id,
      occurredAt: event.occurred_at,
      action: event.action,
      objectKind: event.object.kind,
      objectId: event.object.id,
      actor: event.actor,
      details: event.details,
      traceId: event.request_id,
    })),
  );
  const idsOf = (page: typeof whole) => page.edges.map(({ node }: { node: { eventId: string } }) => node.eventId);
  const ids = idsOf(whole);
  const first = await ask('(first: 2)');
  expect([idsOf(first), first.pageInfo.hasNextPage]).toEqual([ids.slice(0, 2), true]);
  expect(idsOf(await ask(`(first: 9, after: "${first.pageInfo.endCursor}")`))).toEqual(ids.slice(2));
  const last = await ask('(last: 2)');
  expect([idsOf(last), last.pageInfo.hasPreviousPage]).toEqual([ids.slice(-2), true]);
  expect(idsOf(await ask(`(last: 2, before: "${last.pageInfo.startCursor}")`))).toEqual(ids.slice(-4, -2));
});

test('a developer is refused the trail over GraphQL, and still sees the organization', async () => {
  const { orgId } = await renamedOrg(1);
  const developer = await actors.session();
  await actors.member(orgId, developer.principalId, 'developer');
  const query = 'query ($id: ID!) { organization(id: $id) { orgId auditEvents { edges { cursor } } } }';
  const { data, errors } = await service.graphql(developer, query, { id: orgId });
  expect(data.organization).toEqual({ orgId, auditEvents: null });
  expect(errors).toMatchObject([{ extensions: { code: 'NOT_AUTHORIZED', details: { required_role: 'admin' } } }]);
});

test('a page of a long trail is one walk along the index, from wherever it begins', async () => {
  const { wallet, orgId, path } = await renamedOrg(1);
  await control.sql(
    `insert into audit_events (id, org_id, action, actor, object_kind, object_id, trace_id)
     select 'aud_' || i, case when i % 10 = 0 then $1::uuid else gen_random_uuid() end, 'org.renamed', '{}',
       'organization', 'x', 'trc_' || i from generate_series(1, 50000) i`,
    [orgId],
  );
  await control.sql('analyze audit_events');
  const statements = await service.statements(() => call(wallet, 'GET', path));
  const page = statements.find((text) => text.includes('from "audit_events"'))!;
  const plan = (await control.sql<{ 'QUERY PLAN': string }>(`explain (generic_plan, costs off) ${page}`))
    .map((row) => row['QUERY PLAN'])
    .join('\n');
  expect(plan).toMatch(/Index Scan Backward using audit_events_org_idx/);
  expect(plan).toMatch(/Index Cond: \(\(org_id = \$1\) AND \(seq < COALESCE/);
  expect(plan).not.toMatch(/Sort|Seq Scan|Filter/);
});
