import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { type Service, startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const service = await startService({ env: { SVC_LEASES: 'on' } });
afterAll(() => service.stop());
const call = documentedCalls(service);
const { admin } = service.actors;

/** Has the real worker run the real job once, and waits for its end. */
async function runLifecycle({ control }: Pick<Service, 'control'> = service) {
  await control.sql(`select graphile_worker.add_job('lifecycle', job_key => 'lifecycle')`);
  await until(async () =>
    expect(
      await control.sql(`select last_error from graphile_worker.jobs where task_identifier = 'lifecycle'`),
    ).toEqual([]),
  );
}

/** As if the lease had ended so long ago. */
const leaseEnded = (orgId: string, ago: string) =>
  service.control.sql(`update orgs set lease_expires_at = now() - $2::interval where id = $1`, [orgId, ago]);

/** As if the organization had come into its state so long ago. */
const enteredStateAgo = (orgId: string, ago: string) =>
  service.control.sql('update orgs set lifecycle_entered_at = now() - $2::interval where id = $1', [orgId, ago]);

const standing = async (orgId: string) =>
  (
    await service.control.sql<{ state: string; fresh: boolean; slug: string | null }>(
      `select lifecycle_state as state, lifecycle_entered_at > now() - interval '5 minutes' as fresh, slug
       from orgs where id = $1`,
      [orgId],
    )
  )[0]!;
const stateOf = async (orgId: string) => (await standing(orgId)).state;
const passagesOf = (orgId: string) =>
  service.control.sql<{ details: { from: string; to: string }; actor: unknown }>(
    `select details, actor->'authority' as actor from audit_events
     where org_id = $1 and action = 'org.lifecycle_changed' order by seq`,
    [orgId],
  );
const mailsOf = (orgId: string) =>
  service.control.sql<{ recipient: string; subject: string; body_text: string }>(
    'select recipient, subject, body_text from mail_outbox where org_id = $1 order by recipient',
    [orgId],
  );

/** A day as notices write it. */
const dayOf = (at: Date) => new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' }).format(at);

/** Hours after the end of the lease, and what the organization is then. Contract 01, section 1.19. */
const timetable: readonly (readonly [hours: number, state: string])[] = [
  [-1, 'active'],
  [0, 'past_due'],
  [14 * 24 - 1, 'past_due'],
  [14 * 24, 'frozen'],
  [44 * 24 - 1, 'frozen'],
  [44 * 24, 'dormant'],
  [104 * 24 - 1, 'dormant'],
  [104 * 24, 'purged'],
];

test('an organization goes through the states at their days, each written to its trail', async () => {
  const { orgId } = await service.owner();
  for (const [hours, state] of timetable) {
    await leaseEnded(orgId, `${hours} hours`);
    await enteredStateAgo(orgId, '7 days');
    await runLifecycle();
    expect([hours, await stateOf(orgId)]).toEqual([hours, state]);
  }
  const passages = await passagesOf(orgId);
  expect(passages.map(({ details: { from, to } }) => [from, to])).toEqual([
    ['active', 'past_due'],
    ['past_due', 'frozen'],
    ['frozen', 'dormant'],
    ['dormant', 'purged'],
  ]);
  for (const { actor } of passages) expect(actor).toEqual({ kind: 'system', reason_code: 'lease_ended' });
});

test('one run catches up with everything that was missed but the end, one state after the other', async () => {
  const owners = await Promise.all([service.owner(), service.owner(), service.owner()]);
  await leaseEnded(owners[0]!.orgId, '1 year');
  await leaseEnded(owners[1]!.orgId, '50 days');
  await leaseEnded(owners[2]!.orgId, '20 days');
  await runLifecycle();
  const states = () =>
    Promise.all(owners.map(async ({ orgId }) => [await stateOf(orgId), (await passagesOf(orgId)).length]));
  const caughtUp = [
    ['dormant', 3],
    ['dormant', 3],
    ['frozen', 2],
  ];
  expect(await states()).toEqual(caughtUp);
  await runLifecycle();
  expect(await states()).toEqual(caughtUp);
});

test('however long ago a lease ended, nothing is purged that was not dormant for seven days', async () => {
  const { wallet, orgId, projectId } = await service.project();
  await leaseEnded(orgId, '10 years');
  await runLifecycle();
  await enteredStateAgo(orgId, '167 hours');
  await runLifecycle();
  expect(await stateOf(orgId)).toBe('dormant');
  const refused = await call(wallet, 'POST', '/projects/v1', { body: { org_id: orgId } });
  expectRefusal(refused, 'PROJECT_DORMANT');
  const { entered_state_at, next_transition_at, scheduled_purge_at } = refused.body;
  expect(Date.parse(scheduled_purge_at) - Date.parse(entered_state_at)).toBe(7 * 86_400_000);
  expect(next_transition_at).toBe(scheduled_purge_at);
  expect((await call(wallet, 'GET', `/projects/v1/${projectId}`)).status).toBe(200);
  await enteredStateAgo(orgId, '168 hours');
  await runLifecycle();
  expect(await stateOf(orgId)).toBe('purged');
});

test('the notice of a lease that ended long ago names a day of deletion that is yet to come', async () => {
  const { orgId, principalId } = await service.owner();
  await service.control.sql(
    `insert into authenticators (id, principal_id, kind, public_subject, verified_at) values ($1, $2, 'email', $3, now())`,
    [randomUUID(), principalId, `${randomUUID()}@example.com`],
  );
  await leaseEnded(orgId, '1 year');
  await runLifecycle();
  const [mail] = await until(async () => {
    const mails = (await mailsOf(orgId)).filter(({ subject }) => subject.startsWith('The lease has ended'));
    expect(mails).toHaveLength(1);
    return mails;
  });
  const [purge] = await service.control.sql<{ at: Date }>(
    `select lifecycle_entered_at + interval '168 hours' as at from orgs where id = $1`,
    [orgId],
  );
  expect(mail!.body_text).toContain(`purge at: ${dayOf(purge!.at)}`);
});

test('more organizations than one batch are moved by one run, each once, though the job runs twice at once', async () => {
  const ids = Array.from({ length: 230 }, () => randomUUID());
  await service.control.sql(
    `insert into orgs (id, tier, lease_perpetual, lease_started_at, lease_expires_at)
     select id, 'prototype', false, now() - interval '20 days', now() - interval '1 day' from unnest($1::uuid[]) id`,
    [ids],
  );
  await service.control.sql(`select graphile_worker.add_job('lifecycle') from generate_series(1, 4)`);
  await runLifecycle();
  const [moved] = await service.control.sql(
    `select count(*)::int as orgs, (select count(*)::int from audit_events where org_id = any($1)) as rows
     from orgs where id = any($1) and lifecycle_state = 'past_due'`,
    [ids],
  );
  expect(moved).toEqual({ orgs: 230, rows: 230 });
});

test('whoever answers for an organization is told once at the address they have verified that the lease has ended', async () => {
  const { orgId, principalId } = await service.owner('Ada’s lab');
  const address = async (principal: string, verified: boolean) => {
    const email = `${randomUUID()}@example.com`;
    await service.control.sql(
      `insert into authenticators (id, principal_id, kind, public_subject, verified_at)
       values ($1, $2, 'email', $3, case when $4 then now() end)`,
      [randomUUID(), principal, email, verified],
    );
    return email;
  };
  const told = await address(principalId, true);
  await address(principalId, false);
  const colleague = await service.actors.session();
  await service.actors.member(orgId, colleague.principalId, 'admin');
  const hers = await address(colleague.principalId, true);
  await leaseEnded(orgId, '20 days');
  await runLifecycle();
  await runLifecycle();
  const subject = 'The lease has ended: Ada’s lab';
  const mails = await until(async () => {
    const found = (await mailsOf(orgId)).filter((one) => one.subject === subject);
    expect(found.map(({ recipient }) => recipient)).toEqual([told, hers].toSorted());
    return found;
  });
  const [{ expires }] = (await service.control.sql<{ expires: Date }>(
    'select lease_expires_at as expires from orgs where id = $1',
    [orgId],
  )) as [{ expires: Date }];
  for (const days of [0, 14, 44, 104]) {
    expect(mails[0]!.body_text).toContain(dayOf(new Date(expires.getTime() + days * 86_400_000)));
  }
  expect(mails[0]!.body_text).toContain('/tiers/v1/');
});

test('a perpetual lease keeps an organization active, and makes it so again', async () => {
  const { wallet, orgId } = await service.owner();
  const path = `/orgs/v1/admin/${orgId}/lease-perpetual`;
  await leaseEnded(orgId, '50 days');
  await runLifecycle();
  expect(await stateOf(orgId)).toBe('dormant');
  const pinned = await call(admin, 'POST', path, { body: { lease_perpetual: true } });
  expect(pinned).toMatchObject({
    status: 200,
    body: { org_id: orgId, lease_perpetual: true, organization_lifecycle_state: 'active' },
  });
  await leaseEnded(orgId, '10 years');
  await runLifecycle();
  expect(await standing(orgId)).toMatchObject({ state: 'active', fresh: true });
  // Without its pin it has all its days of grace: they begin now.
  const unpinned = await service.graphql(
    admin,
    `mutation ($org: ID!) { setOrganizationLeasePerpetual(input: { org: $org, leasePerpetual: false }) {
      orgId leasePerpetual lifecycleState } }`,
    { org: orgId },
  );
  expect(unpinned).toEqual({
    data: { setOrganizationLeasePerpetual: { orgId, leasePerpetual: false, lifecycleState: 'ACTIVE' } },
  });
  await runLifecycle();
  expect(await stateOf(orgId)).toBe('past_due');
  const trail = await service.control.sql(
    `select details from audit_events where org_id = $1 and action = 'org.lease_perpetual_set' order by seq`,
    [orgId],
  );
  expect(trail).toEqual([{ details: { lease_perpetual: true } }, { details: { lease_perpetual: false } }]);

  expectRefusal(await call(wallet, 'POST', path, { body: { lease_perpetual: true } }), 'ADMIN_REQUIRED');
  for (const body of [{}, { lease_perpetual: 'true' }, { lease_perpetual: 1 }, { lease_perpetual: null }]) {
    expectRefusal(await call(admin, 'POST', path, { body }), 'VALIDATION_FAILED', { field: 'lease_perpetual' });
  }
  const nowhere = `/orgs/v1/admin/${randomUUID()}/lease-perpetual`;
  expectRefusal(await call(admin, 'POST', nowhere, { body: { lease_perpetual: true } }), 'RESOURCE_NOT_FOUND');
});

test('what is purged stays so, and its slug rests', async () => {
  const { wallet, orgId } = await service.owner();
  const slug = `s-${randomUUID().slice(0, 18)}`;
  const headers = { 'idempotency-key': randomUUID() };
  await call(admin, 'POST', `/orgs/v1/admin/${orgId}/credits`, { body: { amount_usd_micros: 1_000_000 } });
  expect((await call(wallet, 'POST', `/orgs/v1/${orgId}/slug`, { body: { slug }, headers })).status).toBe(201);
  await leaseEnded(orgId, '105 days');
  await runLifecycle();
  await enteredStateAgo(orgId, '7 days');
  await runLifecycle();
  expect(await standing(orgId)).toMatchObject({ state: 'purged', slug: null });
  const pin = await call(admin, 'POST', `/orgs/v1/admin/${orgId}/lease-perpetual`, { body: { lease_perpetual: true } });
  expectRefusal(pin, 'RESOURCE_NOT_FOUND');
  const other = await service.owner();
  const claim = await call(other.wallet, 'POST', `/orgs/v1/${other.orgId}/slug`, { body: { slug }, headers });
  expectRefusal(claim, 'SLUG_RELEASED', { slug, successor_slug: null });
});

test('a tier that is being set is never overtaken by the job', async () => {
  const { orgId } = await service.owner();
  await leaseEnded(orgId, '1 day');
  const setter = await service.app.services.db.pool.connect();
  try {
    await setter.query('begin');
    await setter.query('select 1 from orgs where id = $1 for no key update', [orgId]);
    await runLifecycle();
    expect(await stateOf(orgId)).toBe('active');
    await setter.query(`update orgs set lease_expires_at = now() + interval '7 days' where id = $1`, [orgId]);
    await setter.query('commit');
  } finally {
    setter.release();
  }
  await runLifecycle();
  expect(await stateOf(orgId)).toBe('active');
});

test('the period that a pinned organization’s usage counts for moves on with the length of its tier’s lease', async () => {
  const [due, fresh, leased] = await Promise.all([service.owner(), service.owner(), service.owner()]);
  const usageSince = async ({ orgId }: { orgId: string }) =>
    (
      await service.control.sql<{ recent: boolean }>(
        `select usage_since > now() - interval '5 minutes' as recent from orgs where id = $1`,
        [orgId],
      )
    )[0]!.recent;
  const since = (orgId: string, ago: string, pinned: boolean) =>
    service.control.sql('update orgs set usage_since = now() - $2::interval, lease_perpetual = $3 where id = $1', [
      orgId,
      ago,
      pinned,
    ]);
  await since(due.orgId, '168 hours', true);
  await since(fresh.orgId, '167 hours', true);
  await since(leased.orgId, '168 hours', false);
  await runLifecycle();
  expect(await Promise.all([due, fresh, leased].map(usageSince))).toEqual([true, false, false]);
  await service.control.sql(`update orgs set tier = 'team', usage_since = now() - interval '700 hours' where id = $1`, [
    due.orgId,
  ]);
  await runLifecycle();
  expect(await usageSince(due)).toBe(false);
});
