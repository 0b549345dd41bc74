import { afterAll, expect, test } from 'vitest';
import type { TaskContext } from '../../kernel/run/task.ts';
import { keepHouse } from '../../server/housekeeping.ts';
import { jobContext } from '../../server/workers.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { failure, failureNumbered, reporter, sumOf } from './reporting.ts';

const service = await startService({ jobs: false });
afterAll(() => service.stop());
const { sql } = service.control;

const setUp = async () => {
  const project = await service.project();
  await sql(`update orgs set tier = 'team' where id = $1`, [project.orgId]);
  return { ...project, ...reporter(service, project) };
};

const keep = () => {
  const { services } = service.app;
  const ctx = jobContext(services, new AbortController().signal);
  return keepHouse({ ctx, log: services.log, mailer: { configured: false } } as unknown as TaskContext, {});
};

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const startedAt = Date.now();
/** A time of a day that is over, so many days ago. */
const then = (days: number, time: string) =>
  `${new Date(startedAt - days * dayMs).toISOString().slice(0, 10)}T${time}Z`;

/** When the buckets that hold anything begin, each with what it holds. */
const filledOf = ({ bucket, starts_at, values }: { bucket: 'hour' | 'day'; starts_at: string; values: number[] }) =>
  Object.fromEntries(
    values.flatMap((value, at) =>
      value === 0
        ? []
        : [[new Date(Date.parse(starts_at) + at * (bucket === 'day' ? dayMs : hourMs)).toISOString(), value]],
    ),
  );

test('occurrences are counted in the hour of UTC that they happened in, and hours without any are zero', async () => {
  const { report, list } = await setUp();
  const at = (time: string) => failure({ at: then(2, time) });
  await report(at('13:00:00.000'), at('10:59:59.999'), at('11:59:59.999'));
  await report(at('11:00:00.000'));
  const window = { since: then(2, '10:30:00.000'), until: then(2, '14:00:00.000') };
  const counts = { bucket: 'hour', starts_at: then(2, '10:00:00.000'), values: [1, 2, 0, 1, 0] };
  const { body } = await list({ ...window, counts: 'hour' });
  expect(body).toMatchObject({ counts, errors: [{ count: 4, counts }] });
  // Of what is not in the window nothing is counted.
  const later = await list({ since: then(2, '12:00:00.000'), until: then(2, '14:00:00.000'), counts: 'hour' });
  expect(later.body.counts).toEqual({ bucket: 'hour', starts_at: then(2, '12:00:00.000'), values: [0, 1, 0] });
  const daily = await list({ since: then(3, '12:00:00.000'), until: then(1, '00:00:00.000'), counts: 'day' });
  expect(daily.body.counts).toEqual({ bucket: 'day', starts_at: then(3, '00:00:00.000'), values: [0, 4, 0] });
});

test('without counts the answer is the documented one', async () => {
  const { report, list } = await setUp();
  await report(failure());
  const { body } = await list();
  expect(Object.keys(body)).toEqual(['verdict', 'errors', 'has_more']);
  expect(body.errors[0]).not.toHaveProperty('counts');
});

test('what is reported without a time, or with one that is yet to come, is counted in the hour of the database', async () => {
  const { report, list } = await setUp();
  await report(failure());
  await report(failure({ at: new Date(Date.now() + 30 * dayMs).toISOString() }));
  const { body } = await list({ counts: 'hour' });
  const hours = body.errors[0].samples.recent.map(({ at }: { at: string }) => `${at.slice(0, 13)}:00:00.000Z`);
  const expected = Object.fromEntries(
    hours.map((hour: string) => [hour, hours.filter((one: string) => one === hour).length]),
  );
  expect(filledOf(body.counts)).toEqual(expected);
  // Buckets end with the one of now, whatever is asked for.
  const far = await list({
    until: new Date(Date.now() + 30 * dayMs).toISOString(),
    since: then(1, '00:00:00.000'),
    counts: 'day',
  });
  expect(far.body.counts.values.length).toBeLessThanOrEqual(3);
  expect(sumOf(far.body.counts)).toBe(2);
});

test('sixteen callers who count the same failures in two hours lose none', async () => {
  const { report, list } = await setUp();
  const batch = (caller: number) =>
    Array.from({ length: 60 }, (_, at) =>
      failureNumbered((at + caller) % 5, { at: then(1, at % 3 === 0 ? '09:59:59.999' : '10:00:00.000') }),
    );
  const answers = await Promise.all(Array.from({ length: 16 }, (_, caller) => report(...batch(caller))));
  expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(200));
  const window = { since: then(1, '09:00:00.000'), until: then(1, '10:59:59.999') };
  const { body } = await list({ ...window, counts: 'hour' });
  expect(body.counts.values).toEqual([320, 640]);
  expect(body.errors).toHaveLength(5);
  for (const row of body.errors) expect([row.count, row.counts.values]).toEqual([192, [64, 128]]);
});

test('a report that is sent again under its key is counted once', async () => {
  const project = await setUp();
  const send = () =>
    service.call(project.key, 'POST', `${project.path}/occurrences`, {
      body: { occurrences: [failure({ sample_id: 'req_1' })] },
      headers: { 'idempotency-key': 'once' },
    });
  await Promise.all([send(), send()]);
  await send();
  expect(sumOf((await project.list({ counts: 'day' })).body.counts)).toBe(1);
});

test('all together are what the filters let through', async () => {
  const { activate, report, list } = await setUp();
  await activate('rel_a');
  await report(
    failure({ function: 'cron', release_id: 'rel_0' }),
    failureNumbered(1, { function: 'checkout', release_id: 'rel_a' }),
    failureNumbered(1, { function: 'checkout', release_id: 'rel_a' }),
    failureNumbered(2, { function: 'cron', kind: 'boot_crash', release_id: 'rel_0' }),
  );
  const { body } = await list({ counts: 'day' });
  const { fingerprint_id: id } = body.errors.find(({ function: name }: { function: string }) => name === 'checkout');
  const total = async (filter: Record<string, string>) => {
    const page = (await list({ counts: 'day', ...filter })).body;
    const ofRows = page.errors.map(({ counts }: { counts: { values: number[] } }) => sumOf(counts));
    expect(sumOf(page.counts)).toBe(sumOf({ values: ofRows }));
    return sumOf(page.counts);
  };
  expect(await total({})).toBe(4);
  expect(await total({ function: 'cron' })).toBe(2);
  expect(await total({ kind: 'boot_crash' })).toBe(1);
  expect(await total({ fingerprint: id })).toBe(2);
  expect(await total({ new_in: 'active' })).toBe(2);
  expect(await total({ new_in: 'rel_0' })).toBe(2);
  // And not what is on the page.
  expect(sumOf((await list({ counts: 'day', limit: '1' })).body.counts)).toBe(4);
});

test('counts are kept for thirty whole days, and what is older is counted in its row alone', async () => {
  const { report, list, orgId, projectId } = await setUp();
  const noon = (days: number) => failure({ at: then(days, '12:00:00.000') });
  await report(noon(33), noon(32), noon(29), noon(20));
  const firstDay = async () =>
    (
      await sql<{ day: Date }>(`select date_trunc('day', now(), 'UTC') - interval '30 days' as day`)
    )[0]!.day.toISOString();
  const year = { since: then(365, '00:00:00.000'), counts: 'day' };
  const before = await firstDay();
  const { body } = await list(year);
  expect([before, await firstDay()]).toContain(body.counts.starts_at);
  expect(body.counts.values).toHaveLength(31);
  expect(body.errors[0].count).toBe(4);
  const counted = { [then(29, '00:00:00.000')]: 1, [then(20, '00:00:00.000')]: 1 };
  expect([filledOf(body.counts), filledOf(body.errors[0].counts)]).toEqual([counted, counted]);
  const kept = () => sql('select 1 from error_counts where org_id = $1 and project_id = $2', [orgId, projectId]);
  expect(await kept()).toHaveLength(2);
  await sql(`update error_counts set starts_at = starts_at - interval '72 hours' where project_id = $1`, [projectId]);
  await keep();
  expect(await kept()).toHaveLength(1);
  expect(filledOf((await list(year)).body.counts)).toEqual({ [then(23, '00:00:00.000')]: 1 });
  // Where nothing is kept there is nothing to show.
  expect((await list({ ...year, until: then(40, '00:00:00.000') })).body.counts.values).toEqual([]);
});

test('a page over GraphQL is counted in one statement, and says what REST says', async () => {
  const { report, list, projectId, wallet } = await setUp();
  await report(...Array.from({ length: 30 }, (_, index) => failureNumbered(index, { at: then(1, '10:10:00.000') })));
  const variables = { id: projectId, since: then(1, '08:00:00.000'), until: then(1, '12:00:00.000') };
  const document = (selected: string, first = 50) => `query ($id: ID!, $since: DateTime!, $until: DateTime!) {
    project(id: $id) { errors(since: $since, until: $until, first: ${first}) { ${selected} } } }`;
  const counts = 'counts(since: $since, until: $until, bucket: HOUR) { bucket startsAt values }';
  const ofRows = `edges { node { fingerprintId ${counts} } }`;
  const statementsOf = async (text: string) =>
    (await service.statements(() => service.graphql(wallet, text, variables))).length;
  // The first request also reads what the gateway remembers of its caller for a while.
  await statementsOf(document('edges { node { fingerprintId } }'));
  const bare = await statementsOf(document('edges { node { fingerprintId } }'));
  expect(await statementsOf(document(ofRows))).toBe(bare + 1);
  expect(await statementsOf(document(ofRows, 2))).toBe(bare + 1);
  expect(await statementsOf(document(`counts { values } ${ofRows}`))).toBe(bare + 2);

  const { data } = await service.graphql(wallet, document(`counts { bucket startsAt values } ${ofRows}`), variables);
  const { body } = await list({ since: variables.since, until: variables.until, counts: 'hour' });
  const spelt = (one: { bucket: string; starts_at: string; values: number[] }) => ({
    bucket: one.bucket.toUpperCase(),
    startsAt: one.starts_at,
    values: one.values,
  });
  expect(data.project.errors.counts).toEqual(spelt(body.counts));
  expect(data.project.errors.counts.values).toEqual([0, 0, 30, 0, 0]);
  expect(data.project.errors.edges).toEqual(
    body.errors.map((row: { fingerprint_id: string; counts: Parameters<typeof spelt>[0] }) => ({
      node: { fingerprintId: row.fingerprint_id, counts: spelt(row.counts) },
    })),
  );
});

test('one failure over GraphQL is counted over the last day, by the hour, unless told', async () => {
  const { report, projectId, wallet } = await setUp();
  const { fingerprint_id: id } = (await report(failure(), failure())).body.fingerprints[0];
  const ask = (args: string) =>
    service.graphql(
      wallet,
      `{ errorFingerprint(project: "${projectId}", fingerprintId: "${id}") { counts${args} { bucket values } } }`,
    );
  const { bucket, values } = (await ask('')).data.errorFingerprint.counts;
  expect(bucket).toBe('HOUR');
  expect(values).toHaveLength(25);
  expect(sumOf({ values })).toBe(2);
  expect((await ask('(bucket: DAY)')).data.errorFingerprint.counts.bucket).toBe('DAY');
  const wrong = await ask(`(since: "${then(1, '00:00:00.000')}", until: "${then(2, '00:00:00.000')}")`);
  expect(wrong.errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', details: { field: 'since' } } }]);
});

test('nobody else counts along: neither another project’s key nor a stranger', async () => {
  const { report, list, projectId } = await setUp();
  await report(failure());
  const other = await setUp();
  expectRefusal(await list({ counts: 'hour' }, other.key), 'FORBIDDEN');
  const { data } = await service.graphql(
    other.wallet,
    `{ project(id: "${projectId}") { errors { counts { values } } } }`,
  );
  expect(data.project).toBe(null);
  // The same identity of another project has counts of its own.
  await other.report(failure(), failure());
  expect(sumOf((await list({ counts: 'day' })).body.errors[0].counts)).toBe(1);
  expect(sumOf((await other.list({ counts: 'day' })).body.errors[0].counts)).toBe(2);
});

test('what nothing is counted by is refused', async () => {
  const { list } = await setUp();
  for (const counts of ['week', 'HOUR', ''])
    expectRefusal(await list({ counts }), 'VALIDATION_FAILED', { field: 'counts' });
});

test('with a project all that is known of its failures is erased, once what was on its way has arrived', async () => {
  const { report, activate, invoked, fidelity, wallet, path, projectId } = await setUp();
  const other = await setUp();
  for (const one of [{ report, activate, invoked, fidelity }, other]) {
    await one.report(failure({ release_id: 'rel_a' }));
    await one.activate('rel_a');
    await one.invoked({ function: 'checkout', count: 3 });
    await one.fidelity({ function: 'checkout', fidelity: 'full' });
  }
  const tables = [
    'error_counts',
    'error_fingerprints',
    'error_projects',
    'error_releases',
    'function_invocations',
    'release_activations',
  ];
  const left = async (id: string) => {
    const found = await Promise.all(
      tables.map(async (table) => ({ table, rows: await sql(`select 1 from ${table} where project_id = $1`, [id]) })),
    );
    return found.filter(({ rows }) => rows.length > 0).map(({ table }) => table);
  };
  expect(await left(projectId)).toEqual(tables);
  expect((await service.call(wallet, 'DELETE', path.replace('/errors', ''))).status).toBe(200);
  await keep();
  expect(await left(projectId)).toEqual(tables);
  await sql(`update error_projects set gone_at = gone_at - interval '2 minutes' where project_id = $1`, [projectId]);
  await keep();
  expect(await left(projectId)).toEqual([]);
  expect(await left(other.projectId)).toEqual(tables);
});
