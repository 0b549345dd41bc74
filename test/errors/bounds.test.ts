import { afterAll, expect, test } from 'vitest';
import type { TaskContext } from '../../kernel/run/task.ts';
import { countedPerHourMax, minutesKeptDays } from '../../resolvers/errors/invocation-buckets.ts';
import { activationsMax, releasesMax } from '../../resolvers/errors/known-releases.ts';
import { keepHouse } from '../../server/housekeeping.ts';
import { jobContext } from '../../server/workers.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { failureNumbered, reporter } from './reporting.ts';

// Whoever reports can name as many releases and functions as it likes: what is kept of them has bounds.

const service = await startService({ jobs: false });
afterAll(() => service.stop());
const { sql } = service.control;

const setUp = async () => {
  const project = await service.project();
  await sql(`update orgs set tier = 'team' where id = $1`, [project.orgId]);
  const ids = [project.orgId, project.projectId];
  return { ...project, ...reporter(service, project), ids };
};

const keep = () => {
  const { services } = service.app;
  const ctx = jobContext(services, new AbortController().signal);
  return keepHouse({ ctx, log: services.log, mailer: { configured: false } } as unknown as TaskContext, {});
};

test('of the releases of a project those that were reported first make room, but for its history', async () => {
  const { ids, activate, report, list } = await setUp();
  await activate('rel_active');
  await sql(
    `insert into error_releases (org_id, project_id, release_id, noted_at)
     select $1, $2, 'rel_' || lpad(n::text, 5, '0'), now() - interval '2 days' + n * interval '1 second'
     from generate_series(1, $3::int) n`,
    [...ids, releasesMax - 1],
  );
  await sql(`update error_releases set noted_at = now() - interval '3 days' where release_id = 'rel_active'`);
  const known = async (release: string) => (await list({ new_in: release })).status;
  await report(failureNumbered(1, { release_id: 'rel_00001' }));
  expect(await known('rel_00001')).toBe(200);
  await report(failureNumbered(1, { release_id: 'rel_new' }), failureNumbered(1, { release_id: 'rel_newer' }));
  expect(
    await sql('select count(*)::int as kept from error_releases where org_id = $1 and project_id = $2', ids),
  ).toEqual([{ kept: releasesMax }]);
  // The first one has something new that is not told of yet.
  for (const release of ['rel_active', 'rel_00001', 'rel_00004', 'rel_new', 'rel_newer'])
    expect(await known(release)).toBe(200);
  for (const release of ['rel_00002', 'rel_00003']) expect(await known(release)).toBe(404);
});

test('the history of a project has its newest activations, and its verdicts go by them', async () => {
  const { ids, activate, list } = await setUp();
  const first = new Date(Date.now() - 2 * 86_400_000);
  await sql(
    `insert into release_activations (org_id, project_id, release_id, activated_at)
     select $1, $2, 'rel_' || n % 7, $4::timestamptz + (n - 1) * interval '1 second' from generate_series(1, $3::int) n`,
    [...ids, activationsMax, first],
  );
  await activate('rel_next');
  const [kept] = await sql<{ rows: number; gone: boolean }>(
    `select count(*)::int as rows, bool_and(activated_at > $3) as gone
     from release_activations where org_id = $1 and project_id = $2`,
    [...ids, first],
  );
  expect(kept).toEqual({ rows: activationsMax, gone: true });
  expect((await list({ new_in: 'active' })).body.verdict).toMatchObject({
    compared_release_id: 'rel_next',
    baseline_release_id: `rel_${activationsMax % 7}`,
  });
});

test('an hour counts so many functions, those that are counted go on, and a report is counted whole or not at all', async () => {
  const { ids, invoked, list } = await setUp();
  await sql(
    `insert into function_invocations (org_id, project_id, span, starts_at, function, release_id, count)
     select $1, $2, 'hour', date_trunc('hour', now() + h * interval '1 hour', 'UTC'), 'f' || n, '', 1
     from generate_series(1, $3::int) n, generate_series(-1, 1) h`,
    [...ids, countedPerHourMax - 1],
  );
  expect((await invoked({ function: 'the last', count: 1 })).status).toBe(200);
  const refused = await invoked({ function: 'f1', count: 5 }, { function: 'one more', count: 5 });
  expectRefusal(refused, 'QUOTA_EXCEEDED', { scope: 'project', limit: countedPerHourMax, used: countedPerHourMax + 1 });
  expect((await invoked({ function: 'f1', count: 5 }, { function: 'the last', count: 1 })).status).toBe(200);
  const counted = async (name: string) => (await list({ function: name })).body.verdict.invocations_in_window;
  expect([await counted('the last'), await counted('one more')]).toEqual([2, 0]);
});

test('twenty who count other functions at once do not pass the bound together', async () => {
  const { ids, invoked } = await setUp();
  await sql(
    `insert into function_invocations (org_id, project_id, span, starts_at, function, release_id, count)
     select $1, $2, 'hour', date_trunc('hour', now() + h * interval '1 hour', 'UTC'), 'f' || n, '', 1
     from generate_series(1, $3::int) n, generate_series(-1, 1) h`,
    [...ids, countedPerHourMax - 5],
  );
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => invoked({ function: `g${n}`, count: 1 })));
  // Over the end of an hour each of the two has its own bound.
  const counted = answers.filter(({ status }) => status === 200).length;
  expect(counted === 5 || counted === 10 || (counted > 5 && counted <= 10)).toBe(true);
  expect(answers.filter(({ status }) => status !== 200).every(({ body }) => body.code === 'QUOTA_EXCEEDED')).toBe(true);
});

test('minutes are forgotten before hours: a window that begins or ends that far back counts whole hours there', async () => {
  const { ids, list } = await setUp();
  const day = new Date(Date.now() - (minutesKeptDays + 2) * 86_400_000).toISOString().slice(0, 10);
  await sql(
    `insert into function_invocations (org_id, project_id, span, starts_at, function, release_id, count)
     select $1, $2, s.span, date_trunc(s.span, $3::timestamptz + m * interval '1 minute', 'UTC'), 'f', '', count(*)
     from generate_series(0, 419) m, (values ('minute'), ('hour')) s(span) group by 3, 4`,
    [...ids, `${day}T07:00:00Z`],
  );
  const inWindow = async (since: string, until: string) =>
    (await list({ since: `${day}T${since}:00.000Z`, until: `${day}T${until}:00.000Z` })).body.verdict
      .invocations_in_window;
  const asked = [
    ['07:10', '07:20', 60],
    ['07:50', '08:10', 120],
    ['07:00', '13:59', 420],
    ['06:30', '09:00', 180],
  ] as const;
  for (const [since, until, counted] of asked) expect(await inWindow(since, until)).toBe(counted);
  await keep();
  expect(
    await sql(`select distinct span from function_invocations where org_id = $1 and project_id = $2`, ids),
  ).toEqual([{ span: 'hour' }]);
  for (const [since, until, counted] of asked) expect(await inWindow(since, until)).toBe(counted);
});

test('what is only counted once more leaves no row in the trail, and what is new leaves one', async () => {
  const { ids, report, invoked, fidelity } = await setUp();
  const trail = async () =>
    (
      await sql<{ action: string }>(
        'select action from audit_events where org_id = $1 and object_id = $2 order by seq',
        ids,
      )
    ).map(({ action }) => action);
  const before = (await trail()).length;
  const once = async () => {
    await report(failureNumbered(1), failureNumbered(1));
    await invoked({ function: 'checkout', count: 1, at: '2026-01-01T10:20:00.000Z' });
    await fidelity({ function: 'checkout', fidelity: 'full' });
  };
  await once();
  const told = ['project.errors_reported', 'project.invocations_reported', 'project.fidelity_reported'];
  expect((await trail()).slice(before)).toEqual(told);
  await once();
  await once();
  expect((await trail()).slice(before)).toEqual(told);
  await report(failureNumbered(1), failureNumbered(2));
  expect((await trail()).slice(before)).toEqual([...told, 'project.errors_reported']);
});

test('links to verify an address, and what remembers the events of messages, are forgotten', async () => {
  const { wallet, orgId } = await service.owner();
  const contact = { name: 'Ada', email: 'ada@example.com' };
  expect((await service.call(wallet, 'POST', '/agent/v1/contact', { body: contact })).status).toBe(200);
  const [first] = await sql<{ id: string }>('select id from operator_contact_challenges where email = $1', [
    contact.email,
  ]);
  await sql(
    `insert into operator_contact_challenges (id, principal_id, email, token_hash, mail_id, expires_at)
     select gen_random_uuid(), principal_id, email, 'old', mail_id, now() - interval '31 days'
     from operator_contact_challenges where id = $1`,
    [first!.id],
  );
  await sql(
    `insert into event_keys (org_id, key, position, created_at)
     select $1, key, position, now() - make_interval(days => age)
     from (values ('message:old', 1, 101), ('message:young', 2, 99), ('incident:old', 3, 399), ('incident:oldest', 4, 401))
       as k (key, position, age)`,
    [orgId],
  );
  await keep();
  expect(await sql('select id from operator_contact_challenges where email = $1', [contact.email])).toEqual([first]);
  expect(await sql('select key from event_keys where org_id = $1 order by position', [orgId])).toEqual([
    { key: 'message:young' },
    { key: 'incident:old' },
  ]);
});
