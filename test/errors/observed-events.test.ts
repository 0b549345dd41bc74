import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { failureNumbered, reporter } from './reporting.ts';

const service = await sharedService();
afterAll(() => service.stop());
const { sql } = service.control;

const setUp = async () => {
  const project = await service.project();
  const events = () =>
    sql<{ class: string; payload: { release_id: string; new_fingerprints: number; fingerprints: object[] } }>(
      `select class, payload from events where project_id = $1 and type = 'error_fingerprints_observed' order by position`,
      [project.projectId],
    );
  /** How many identities were told of, under whichever release. */
  const told = async () => (await events()).reduce((sum, { payload }) => sum + payload.new_fingerprints, 0);
  /** Lets the quiet time of a release be over. */
  const quietIsOver = async () => {
    await sql(`update error_releases set due_at = now() where project_id = $1 and due_at is not null`, [
      project.projectId,
    ]);
    await sql(
      `select graphile_worker.reschedule_jobs(array(
         select id from graphile_worker._private_jobs where key like $1), run_at => now())`,
      [`errors:${project.projectId}:%`],
    );
  };
  return { ...project, ...reporter(service, project), events, told, quietIsOver };
};

const patient = { interval: 50 };

test('what is new in a release is told of at once, and what comes after it in a minute, together', async () => {
  const { report, events, told, quietIsOver, projectId } = await setUp();
  const first = await report(failureNumbered(1, { release_id: 'rel_a' }));
  await expect.poll(told, patient).toBe(1);
  expect(await events()).toEqual([
    {
      class: 'lifecycle',
      payload: {
        release_id: 'rel_a',
        new_fingerprints: 1,
        fingerprints: [
          {
            fingerprint_id: first.body.fingerprints[0].fingerprint_id,
            function: 'checkout',
            kind: 'uncaught',
            error_name: 'TypeError',
            message_template: 'it broke',
          },
        ],
        first_seen: expect.any(String),
      },
    },
  ]);
  await report(failureNumbered(2, { release_id: 'rel_a' }));
  await report(...Array.from({ length: 11 }, (_, at) => failureNumbered(10 + at, { release_id: 'rel_a' })));
  const [row] = await sql(
    'select pending, extract(epoch from due_at - told_at)::int as quiet from error_releases where project_id = $1',
    [projectId],
  );
  expect(row).toEqual({ pending: 12, quiet: 60 });
  await quietIsOver();
  await expect.poll(told, patient).toBe(13);
  const [, second] = await events();
  expect(second!.payload).toMatchObject({ release_id: 'rel_a', new_fingerprints: 12 });
  expect(second!.payload.fingerprints).toHaveLength(10);
});

test('what was known before, and what no release has, is not told of', async () => {
  const { report, told, projectId } = await setUp();
  await report(failureNumbered(1), failureNumbered(2, { release_id: 'rel_a' }));
  await expect.poll(told, patient).toBe(1);
  await report(
    failureNumbered(1, { release_id: 'rel_b' }),
    failureNumbered(2, { release_id: 'rel_b', function: 'cron' }),
    failureNumbered(3),
  );
  expect(await sql('select release_id from error_releases where project_id = $1 and pending > 0', [projectId])).toEqual(
    [],
  );
});

test('each release is told of by itself', async () => {
  const { report, events, told } = await setUp();
  await report(failureNumbered(1, { release_id: 'rel_a' }), failureNumbered(2, { release_id: 'rel_b' }));
  await expect.poll(told, patient).toBe(2);
  expect((await events()).map(({ payload }) => payload.release_id).sort()).toEqual(['rel_a', 'rel_b']);
});

test('an identity that twenty callers report first, each in a function of its own, is told of once', async () => {
  const { report, told, quietIsOver, projectId, orgId } = await setUp();
  await sql(`update orgs set tier = 'team' where id = $1`, [orgId]);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      report(...[1, 2, 3].map((index) => failureNumbered(index, { release_id: 'rel_a', function: `f${at}` }))),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  await expect
    .poll(async () => {
      await quietIsOver();
      return sql('select pending from error_releases where project_id = $1', [projectId]);
    }, patient)
    .toEqual([{ pending: 0 }]);
  expect(await told()).toBe(3);
});

test('what a vanished node left untold is told of by the next housekeeping', async () => {
  const { report, told, projectId } = await setUp();
  await report(failureNumbered(1, { release_id: 'rel_a' }));
  await expect.poll(told, patient).toBe(1);
  await report(failureNumbered(2, { release_id: 'rel_a' }));
  await sql(`delete from graphile_worker._private_jobs where key like $1`, [`errors:${projectId}:%`]);
  await sql(`update error_releases set due_at = now() - interval '2 minutes' where project_id = $1`, [projectId]);
  await sql(`select graphile_worker.add_job('housekeeping')`);
  await expect.poll(told, patient).toBe(2);
});
