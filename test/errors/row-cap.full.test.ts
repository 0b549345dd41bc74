import { afterAll, expect, test } from 'vitest';
import { fingerprintsMax } from '../../resolvers/errors/make-room.ts';
import { buffersOf, genericPlanOf } from '../helpers/executed-plan.ts';
import { startService } from '../helpers/service.ts';
import { failureNumbered, minutesAgo, reporter, sumOf } from './reporting.ts';

const service = await startService();
afterAll(() => service.stop());
const { sql } = service.control;

/** A project with many rows, of which the first was seen longest ago; its organization may hurry. */
async function filled(rows: number) {
  const project = await service.project();
  await sql(`update orgs set tier = 'team' where id = $1`, [project.orgId]);
  await sql(
    `insert into error_fingerprints select $1, $2, 'fp_' || lpad(n::text, 16, '0'), 'old', 'uncaught', 'message_only', 'Error',
       'x', '[]', 1, now() - interval '3 days', now() - interval '2 days' + n * interval '1 second', null, null,
       '{"id":"req_1","at":"2026-01-01T00:00:00.000Z","release_id":null}', '[]'
     from generate_series(1, $3::int) n`,
    [project.orgId, project.projectId, rows],
  );
  await sql('insert into error_projects (org_id, project_id, fingerprints) values ($1, $2, $3)', [
    project.orgId,
    project.projectId,
    rows,
  ]);
  const counts = async () =>
    (
      await sql(
        `select (select count(*)::int from error_fingerprints where project_id = $1) as rows,
           (select fingerprints from error_projects where project_id = $1) as counted`,
        [project.projectId],
      )
    )[0];
  return { ...project, ...reporter(service, project), counts };
}

test('at the cap those seen longest ago make room, and the verdict says so', async () => {
  const { report, list, detail, counts } = await filled(fingerprintsMax - 1);
  expect((await list()).body.verdict.row_cap).toEqual({ limit: 5_000, at_cap: false });
  await report(...[1, 2, 3].map((index) => failureNumbered(index)));
  expect(await counts()).toEqual({ rows: fingerprintsMax, counted: fingerprintsMax });
  const { body } = await list();
  expect(body.verdict).toMatchObject({ new_fingerprints: 3, row_cap: { limit: 5_000, at_cap: true } });
  expect((await detail('fp_0000000000000002')).status).toBe(404);
  expect((await detail('fp_0000000000000003')).status).toBe(200);
});

test('a row that comes back makes room for itself, and keeps its place', async () => {
  const { report, list, counts } = await filled(fingerprintsMax);
  const { body } = await report(failureNumbered(1));
  await report(failureNumbered(1), failureNumbered(2));
  expect(await counts()).toEqual({ rows: fingerprintsMax, counted: fingerprintsMax });
  expect((await list({ fingerprint: body.fingerprints[0].fingerprint_id })).body.errors).toMatchObject([{ count: 2 }]);
});

test('what made room takes its counts along, and is counted anew when it comes back', async () => {
  const { report, list, projectId } = await filled(fingerprintsMax - 1);
  const long = { at: minutesAgo(3 * 1_440) };
  const { body } = await report(failureNumbered(1, long), failureNumbered(1, long));
  const { fingerprint_id: id } = body.fingerprints[0];
  const counted = () =>
    sql('select 1 from error_counts where project_id = $1 and fingerprint_id = $2', [projectId, id]);
  expect(await counted()).toHaveLength(1);
  await report(failureNumbered(2));
  expect(await counted()).toEqual([]);
  await report(failureNumbered(1));
  const [row] = (await list({ fingerprint: id, counts: 'hour' })).body.errors;
  expect([row.count, sumOf(row.counts)]).toEqual([1, 1]);
});

test('counts of a full project are looked up by its rows, however much others count', async () => {
  const { list } = await filled(fingerprintsMax);
  await filled(fingerprintsMax);
  await sql(
    `insert into error_counts select org_id, project_id, fingerprint_id, function,
       date_trunc('hour', now() - h * interval '1 hour', 'UTC'), 1
     from error_fingerprints, generate_series(1, 3) h where function = 'old'`,
  );
  await sql('vacuum (analyze) error_counts, error_fingerprints');
  const statements = await service.statements(() => list({ since: minutesAgo(3 * 1_440), counts: 'hour' }));
  const counting = statements.filter((text) => text.includes('error_counts'));
  expect(counting).toHaveLength(2);
  for (const text of counting) {
    const plan = await genericPlanOf(service.control, text);
    expect(plan.match(/(?:Index|Seq|Heap) (?:Only )?Scan.* on error_counts\w*/g)).toEqual([
      expect.stringMatching(/^Index Scan using error_counts_org_id_project_id_fingerprint_id_function_/),
    ]);
  }
});

test('twenty callers at the cap leave as many rows as there may be, and lose none of their own', async () => {
  const { report, list, counts } = await filled(fingerprintsMax - 30);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, caller) =>
      report(...Array.from({ length: 10 }, (_one, at) => failureNumbered(caller * 5 + at, { function: 'new' }))),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(await counts()).toEqual({ rows: fingerprintsMax, counted: fingerprintsMax });
  const { body } = await list({ function: 'new', limit: '200' });
  expect(body.errors).toHaveLength(105);
  const sum = body.errors.reduce((total: number, { count }: { count: number }) => total + count, 0);
  expect(sum).toBe(200);
});

test('a page among 5,000 rows is one statement, over all of which the verdict is', async () => {
  const { report, list, orgId, projectId } = await filled(fingerprintsMax - 1);
  await report(failureNumbered(1, { release_id: 'rel_a', at: minutesAgo(1) }));
  const page = await list({ since: minutesAgo(4 * 1_440), limit: '200' });
  expect(page.body.errors).toHaveLength(200);
  expect(page.body.verdict.new_fingerprints).toBe(fingerprintsMax);
  const again = async () => void (await list({ since: minutesAgo(4 * 1_440), limit: '200' }));
  const statements = await service.statements(again);
  const asking = statements.filter((text) => text.includes('error_fingerprints'));
  expect(asking).toHaveLength(1);

  // Rows of others lie beside them, and samples that a verdict has no need of weigh much.
  await filled(fingerprintsMax);
  const samples = `(select jsonb_agg(jsonb_build_object('id', gen_random_uuid(), 'at', now(), 'release_id', null)) as recent
    from generate_series(1, 10))`;
  await sql(`update error_fingerprints f set recent_samples = s.recent from ${samples} s where f.project_id = $1`, [
    projectId,
  ]);
  await sql('vacuum (analyze) error_fingerprints');
  const [table] = await sql<{ pages: number }>(
    `select (pg_relation_size('error_fingerprints') / 8192)::int as pages from error_fingerprints limit 1`,
  );
  const since = minutesAgo(4 * 1_440);
  const values = [orgId, projectId, since, null, null, null, null, null, null, null, null, 201];
  const buffers = await buffersOf(service.control, asking[0]!, values);
  // Each row of the project once, and the rows of the page once more by their key.
  expect(buffers).toBeLessThan(table!.pages + 201 * 5 + 100);
});
