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
