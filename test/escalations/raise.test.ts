import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { expectRefusal, moment } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { holdUp } from '../members/hold-up.ts';
import { escalationsOf } from './own-org.ts';
import { newEscalation } from './planted.ts';

const service = await sharedService();
afterAll(() => service.stop());
const { contact, get, holder, member, raise, pages, token } = escalationsOf(service);
const { control, actors } = service;

test('raising tells what is queued, before anybody was reached', async () => {
  const { wallet, orgId, principalId } = await service.owner();
  await contact(wallet, orgId, { email: 'ada@example.com', display_name: 'Ada', level: 2 });
  await contact(wallet, orgId, { email: 'bob@example.com', level: 2 });
  await contact(wallet, orgId, { email: 'eve@example.com', level: 5 });
  const reason = 'The deploy is stuck.\nPlease look.';
  const { status, body } = await raise(wallet, orgId, {
    reason,
    severity: 'high',
    presence_name: 'kim',
    details: { a: null },
  });
  expect(status).toBe(201);
  const escalation = {
    escalation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    org_id: orgId,
    project_id: null,
    raised_by: { principal_id: principalId, delegate_id: null, presence_name: 'kim' },
    severity: 'high',
    reason,
    details: { a: null },
    status: 'open',
    level: 2,
    raised_at: moment,
    deadline_at: moment,
    acknowledged: null,
    resolved: null,
    climbs: [],
    repage_count: 0,
  };
  expect(body).toStrictEqual({
    ...escalation,
    delivery: {
      status: 'queued',
      level: 2,
      will_page: [
        { email: 'ada@example.com', display_name: 'Ada' },
        { email: 'bob@example.com', display_name: null },
      ],
      deadline_at: body.deadline_at,
    },
    deduplicated: false,
    next_actions: [{ type: 'poll', method: 'GET', path: `/orgs/v1/${orgId}/escalations/${body.escalation_id}` }],
  });
  expect(Date.parse(body.deadline_at) - Date.parse(body.raised_at)).toBe(30 * 60_000);
  expect((await get(wallet, orgId, body.escalation_id)).body).toStrictEqual(escalation);
  expect((await pages(body.escalation_id)).map(({ wave, level, email }) => [wave, level, email])).toEqual([
    [1, 2, 'ada@example.com'],
    [1, 2, 'bob@example.com'],
  ]);
  const normal = await raise(wallet, orgId);
  expect(Date.parse(normal.body.deadline_at) - Date.parse(normal.body.raised_at)).toBe(2 * 3_600_000);
});

test('without contacts it is recorded, and its raiser is warned that nobody was paged', async () => {
  const { wallet, orgId } = await service.owner();
  const { status, body } = await raise(wallet, orgId);
  expect([status, body.level, body.delivery.will_page]).toEqual([201, 1, []]);
  expect(body.warnings).toEqual(['no escalation contacts are configured, nobody was paged']);
  expect(await pages(body.escalation_id)).toEqual([]);
});

test('a page shows the reason as data, says nothing of the details, and has a link of its own', async () => {
  const { wallet, orgId } = await service.owner('Ada’s <org>');
  await contact(wallet, orgId, { email: 'ada@example.com' });
  await contact(wallet, orgId, { email: 'bob@example.com' });
  const reason = 'Look!\r\nBcc: eve@example.com\n\nhttps://evil.example';
  const { body } = await raise(wallet, orgId, { reason, details: { password: 'sesame' } });
  const mails = await control.sql<{ id: string; recipient: string; subject: string; body_text: string }>(
    'select id, recipient, subject, body_text from mail_outbox where org_id = $1 order by recipient',
    [orgId],
  );
  expect(mails.map(({ recipient, subject }) => [recipient, subject])).toEqual([
    ['ada@example.com', 'An agent asks for you in Ada’s <org>'],
    ['bob@example.com', 'An agent asks for you in Ada’s <org>'],
  ]);
  for (const { body_text } of mails) {
    expect(body_text).toContain('> Look!\n> Bcc: eve@example.com\n> \n> https://evil.example\n');
    expect(body_text).not.toContain('sesame');
    // The host of a request is its sender's to choose.
    expect(body_text).not.toContain(service.app.url);
  }
  const tokens = [
    await token(body.escalation_id, 'ada@example.com'),
    await token(body.escalation_id, 'bob@example.com'),
  ];
  expect(new Set(tokens).size).toBe(2);
  const [kept] = await control.sql<{ kept: string }>(
    `select (select string_agg(p::text, '') from escalation_pages p) || (select string_agg(e::text, '') from audit_events e)
       || (select string_agg(c::text, '') from feed_changes c) as kept`,
  );
  for (const one of tokens) {
    expect(one).toMatch(/^[\w-]{43}$/);
    expect(kept!.kept).not.toContain(one);
  }
});

test.each([
  ['4096 bytes of ASCII', 'x'.repeat(4096)],
  ['4096 bytes of three each, and one', `${'€'.repeat(1365)}x`],
  ['1024 characters of four bytes each', '😀'.repeat(1024)],
])('a reason of %s is taken whole', async (_case, reason) => {
  const { wallet, orgId } = await service.owner();
  const { status, body } = await raise(wallet, orgId, { reason });
  expect([status, body.reason]).toEqual([201, reason]);
  expect((await get(wallet, orgId, body.escalation_id)).body.reason).toBe(reason);
});

test.each<[string, object, string]>([
  ['no reason', { reason: undefined }, 'reason'],
  ['an empty reason', { reason: '' }, 'reason'],
  ['a blank reason', { reason: ' \n\t' }, 'reason'],
  ['a reason that shows nothing', { reason: '\u200b\u2060\u2800' }, 'reason'],
  ['a reason of 4097 bytes', { reason: 'x'.repeat(4097) }, 'reason'],
  ['a reason of 1366 characters and 4098 bytes', { reason: '€'.repeat(1366) }, 'reason'],
  ['a reason with a NUL', { reason: 'a\0b' }, 'reason'],
  ['a reason with half a character', { reason: 'a\ud800' }, 'reason'],
  ['a severity that there is not', { severity: 'HIGH' }, 'severity'],
  ['a presence name of 65 characters', { presence_name: 'x'.repeat(65) }, 'presence_name'],
  ['a presence name of two lines', { presence_name: 'a\nb' }, 'presence_name'],
  ['details that are a list', { details: [] }, 'details'],
  ['details of 16 KiB and a byte', { details: { a: 'x'.repeat(16 * 1024 - 7) } }, 'details'],
  ['details of 5462 characters and more than 16 KiB', { details: { a: '€'.repeat(5_460) } }, 'details'],
  ['details 17 levels deep', { details: JSON.parse(`${'{"a":'.repeat(17)}1${'}'.repeat(17)}`) }, 'details'],
  ['an idempotency key of 257 characters', { idempotency_key: 'x'.repeat(257) }, 'idempotency_key'],
  ['an empty idempotency key', { idempotency_key: '' }, 'idempotency_key'],
])('%s is refused, and nothing is kept', async (_case, body, field) => {
  const { wallet, orgId } = await service.owner();
  const answer = await raise(wallet, orgId, body);
  expectRefusal(answer, 'VALIDATION_FAILED');
  expect(String((answer.body as { details: { field: string } }).details.field)).toMatch(new RegExp(`^${field}`));
  expect(await control.sql('select 1 from escalations where org_id = $1', [orgId])).toEqual([]);
});

test('details of exactly 16 KiB are taken', async () => {
  const { wallet, orgId } = await service.owner();
  const details = { a: 'x'.repeat(16 * 1024 - 8) };
  expect((await raise(wallet, orgId, { details })).body.details).toEqual(details);
});

test('of twenty that one principal raises at once five are taken, wherever they are, and replays cost nothing', async () => {
  const { wallet, orgId, principalId } = await service.owner();
  const elsewhere = (await service.owner()).orgId;
  await actors.member(elsewhere, principalId, 'viewer');
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => raise(wallet, n % 2 === 0 ? orgId : elsewhere, { idempotency_key: `k${n}` })),
  );
  const taken = answers.flatMap(({ status }, n) => (status === 201 ? [n] : []));
  expect(taken).toHaveLength(5);
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    const details = { resource: 'escalations_per_day', scope: 'principal', used: 5, limit: 5 };
    expectRefusal(answer, 'QUOTA_EXCEEDED', details);
  }
  const n = taken[0]!;
  const replay = await raise(wallet, n % 2 === 0 ? orgId : elsewhere, { idempotency_key: `k${n}` });
  expect([replay.status, replay.body.escalation_id]).toEqual([200, answers[n]!.body.escalation_id]);
  // The day is one in UTC: what was raised before midnight counts no more.
  await control.sql(
    `update escalations set created_at = date_trunc('day', now(), 'UTC') - interval '1 millisecond' where raised_by = $1`,
    [principalId],
  );
  expect((await raise(wallet, orgId)).status).toBe(201);
});

test('of twenty who raise in an organization with eighteen open ones two are taken', async () => {
  const { orgId } = await service.owner();
  const raisers = await Promise.all(Array.from({ length: 20 }, () => member(orgId)));
  for (let n = 0; n < 18; n++) await newEscalation(control, orgId);
  const answers = await Promise.all(raisers.map(({ wallet }) => raise(wallet, orgId)));
  const refused = answers.filter(({ status }) => status !== 201);
  expect(refused).toHaveLength(18);
  for (const answer of refused) {
    expectRefusal(answer, 'QUOTA_EXCEEDED', {
      resource: 'open_escalations',
      scope: 'organization',
      used: 20,
      limit: 20,
    });
  }
  await control.sql(
    `update escalations set status = 'acknowledged', due_at = null, awaits_contact = false
    where id = (select id from escalations where org_id = $1 limit 1)`,
    [orgId],
  );
  const [again] = raisers.filter((_, n) => answers[n]!.status !== 201);
  expect((await raise(again!.wallet, orgId)).status).toBe(201);
});

test('one key pages once, of twenty callers who race, and answers with the original', async () => {
  const { wallet, orgId } = await service.owner();
  await contact(wallet, orgId, { email: 'ada@example.com' });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => raise(wallet, orgId, { reason: `try ${n}`, idempotency_key: 'one' })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
  const original = answers.find(({ status }) => status === 201)!.body;
  for (const { body, status } of answers) expect(body).toStrictEqual({ ...original, deduplicated: status === 200 });
  expect(await pages(original.escalation_id)).toHaveLength(1);
  // The key is the principal's own.
  const other = await member(orgId);
  expect((await raise(other.wallet, orgId, { idempotency_key: 'one' })).status).toBe(201);
});

test('delegates and holders of grants raise, and are named by their own principals', async () => {
  const { orgId, projectId } = await service.project();
  const delegate = await actors.delegate({ orgId, projectId, capabilities: ['deploy'] });
  const byDelegate = await raise(delegate, orgId, { project_id: projectId });
  expect(byDelegate.body.raised_by).toEqual({
    principal_id: delegate.principalId,
    delegate_id: delegate.delegateId,
    presence_name: null,
  });
  expect(byDelegate.body.project_id).toBe(projectId);
  const granted = await holder(orgId, projectId);
  const byGrant = await raise(granted.wallet, orgId, { project_id: projectId });
  expect(byGrant.body.raised_by).toMatchObject({ principal_id: granted.principalId, delegate_id: null });
});

test('a project that is elsewhere, gone or not the raiser’s own is refused like one that nobody has', async () => {
  const { wallet, orgId, projectId } = await service.project();
  const foreign = await service.project();
  await actors.member(orgId, foreign.principalId, 'viewer');
  const sibling = await service.call<{ project_id: string }>(wallet, 'POST', '/projects/v1', {
    body: { org_id: orgId },
  });
  const delegate = await actors.delegate({ orgId, projectId, capabilities: ['deploy'] });
  const granted = await holder(orgId, projectId);
  const refusals = [
    await raise(wallet, orgId, { project_id: 'prj_nobodys' }),
    await raise(foreign.wallet, orgId, { project_id: foreign.projectId }),
    await raise(delegate, orgId, { project_id: sibling.body.project_id }),
    await raise(granted.wallet, orgId, { project_id: sibling.body.project_id }),
  ];
  await control.sql('update projects set deleted_at = now() where id = $1', [sibling.body.project_id]);
  refusals.push(await raise(wallet, orgId, { project_id: sibling.body.project_id }));
  await control.sql('update projects set deleted_at = null where id = $1', [sibling.body.project_id]);
  const told = refusals.map(({ status, body }) => ({ status, body: { ...(body as object), trace_id: '' } }));
  for (const one of told) expect(one).toEqual(told[0]);
  expectRefusal(refusals[0]!, 'NOT_AUTHORIZED', { reason: 'project_not_found' });
});

test('a service key and strangers raise nothing', async () => {
  const { orgId, serviceKey } = await service.project();
  expectRefusal(await raise(actors.bearer(serviceKey), orgId), 'NOT_AUTHORIZED');
  expectRefusal(await raise((await service.owner()).wallet, orgId), 'NOT_AUTHORIZED', { reason: 'member' });
  expectRefusal(await raise(service.actors.wallet(), randomUUID()), 'NOT_AUTHORIZED', { reason: 'member' });
  expectRefusal(await raise(service.actors.nobody, orgId), 'AUTH_REQUIRED');
});

test.each<[string, string]>([
  ['a member', `update memberships set status = 'revoked' where principal_id = '$who'`],
  ['a holder of a grant', `update project_grants set revoked_at = now() where principal_id = '$who'`],
  ['a delegate', `update delegates set revoked_at = now() where principal_id = '$who'`],
])('%s who lost the right while raising waited pages nobody', async (who, loss) => {
  const { wallet, orgId, projectId } = await service.project();
  await contact(wallet, orgId, { email: 'ada@example.com' });
  const delegate = await actors.delegate({ orgId, projectId, capabilities: ['deploy'] });
  const raiser = who === 'a member' ? await member(orgId) : await holder(orgId, projectId);
  const [actor, principalId] =
    who === 'a delegate' ? [delegate, delegate.principalId] : [raiser.wallet, raiser.principalId];
  const refused = await holdUp(service, {
    hold: `select 1 from orgs where id = '${orgId}' for update`,
    send: () => raise(actor, orgId),
    meanwhile: loss.replace('$who', principalId),
  });
  expectRefusal(refused, who === 'a delegate' ? 'INVALID_AUTH' : 'NOT_AUTHORIZED');
  expect(await control.sql('select 1 from escalations where org_id = $1', [orgId])).toEqual([]);
  expect(await control.sql('select 1 from mail_outbox where org_id = $1', [orgId])).toEqual([]);
});

test('organizations that are frozen or dormant are paged all the same', async () => {
  for (const state of ['past_due', 'frozen', 'dormant']) {
    const { wallet, orgId } = await service.owner();
    await control.sql('update orgs set lifecycle_state = $2 where id = $1', [orgId, state]);
    expect((await contact(wallet, orgId, { email: 'ada@example.com' })).status).toBe(201);
    expect((await raise(wallet, orgId)).body.delivery.will_page).toHaveLength(1);
  }
});

test('escalations are raised over GraphQL as over REST, and stand in no feed and no room', async () => {
  const { wallet, orgId, projectId } = await service.project();
  await contact(wallet, orgId, { email: 'ada@example.com', display_name: 'Ada' });
  const document = `mutation ($in: RaiseEscalationInput!) { raiseEscalation(input: $in) {
    deduplicated warnings willPage { email displayName }
    escalation { escalationId orgId projectId severity reason status level details climbs { fromLevel } }
  } }`;
  const input = {
    org: orgId,
    project: projectId,
    reason: 'look',
    severity: 'HIGH',
    details: { a: [null] },
    idempotencyKey: 'k',
  };
  const { raiseEscalation: raised } = (await service.graphql(wallet, document, { in: input })).data;
  expect(raised).toEqual({
    deduplicated: false,
    warnings: [],
    willPage: [{ email: 'ada@example.com', displayName: 'Ada' }],
    escalation: {
      escalationId: expect.any(String),
      orgId,
      projectId,
      severity: 'HIGH',
      reason: 'look',
      status: 'OPEN',
      level: 1,
      details: { a: [null] },
      climbs: [],
    },
  });
  const again = await service.graphql(wallet, document, { in: input });
  expect(again.data.raiseEscalation).toEqual({ ...raised, deduplicated: true });
  expect((await get(wallet, orgId, raised.escalation.escalationId)).body).toMatchObject({ details: { a: [null] } });
  const refused = await service.graphql(wallet, document, {
    in: { ...input, project: 'prj_nobodys', idempotencyKey: 'l' },
  });
  expect(refused.errors![0]!.extensions).toMatchObject({ code: 'NOT_AUTHORIZED' });
  const long = await service.graphql(wallet, document, { in: { org: orgId, reason: '€'.repeat(1366) } });
  expect(long.errors![0]!.extensions).toMatchObject({ code: 'VALIDATION_FAILED', details: { field: 'reason' } });
  const kinds = await control.sql('select distinct kind from feed_heads where org_id = $1', [orgId]);
  expect(kinds).toEqual([{ kind: 'escalations' }]);
  expect(await control.sql('select 1 from rooms where org_id = $1', [orgId])).toEqual([]);
});
