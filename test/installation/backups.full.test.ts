import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { passphrase, runProgram } from '../copies/stage.ts';
import { documentedCalls, expectRefusal, moment } from '../helpers/documented.ts';
import { temporaryFolder } from '../helpers/gateway-process.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const home = await temporaryFolder();
const folder = join(home.path, 'backups');
const service = await startService({
  env: { SVC_BACKUP_DIR: folder, SVC_BACKUP_PASSPHRASE: passphrase, SVC_DATA_DIR: home.path },
});
const without = await startService({ env: { SVC_BACKUP_DIR: '' } });
afterAll(async () => {
  await Promise.all([service.stop(), without.stop()]);
  await home.remove();
});
const call = documentedCalls(service);
const { admin } = service.actors;
const path = '/admin/v1/backups';
const listed = async () => (await call(admin, 'GET', path)).body;
const ended = () =>
  until(async () => {
    const { job } = await listed();
    expect(job.state).not.toBe('running');
    return job;
  });

test('without a folder nothing is listed and nothing begins', async () => {
  const documented = documentedCalls(without);
  expect((await documented(without.actors.admin, 'GET', path)).body).toEqual({
    folder: null,
    is_overdue: null,
    backups: [],
    job: null,
  });
  expectRefusal(await documented(without.actors.admin, 'POST', path), 'BACKUP_FOLDER_UNKNOWN');
  expect(await without.control.sql('select 1 from backup_jobs')).toEqual([]);
});

test('an installation without a backup is overdue', async () => {
  expect(await listed()).toEqual({ folder, is_overdue: true, backups: [], job: null });
});

describe('a backup that is started through the gateway', () => {
  let run: string;
  beforeAll(async () => {
    await service.project();
    const answers = await Promise.all([call(admin, 'POST', path), call(admin, 'POST', path)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
    expectRefusal(answers.find(({ status }) => status === 409)!, 'BACKUP_RUNNING');
    const job = await ended();
    expect(job).toMatchObject({ state: 'done', progress: 1, error: null, missing: [], ended_at: moment });
    run = job.run;
  });

  test('is in the folder, whole, and no longer overdue', async () => {
    const { backups, is_overdue } = await listed();
    expect(is_overdue).toBe(false);
    expect(backups).toEqual([
      {
        run,
        started_at: moment,
        created_at: moment,
        duration_seconds: expect.any(Number),
        gateway: expect.any(String),
        postgres: expect.any(String),
        databases: 2,
        projects: 1,
        missing: 0,
        rows: expect.any(Number),
        files: 0,
        bytes: expect.any(Number),
        secrets: 'passphrase',
        damaged: null,
      },
    ]);
    expect(backups[0].rows).toBeGreaterThan(0);
  });

  test('is the one that `svc backup list` without a folder shows', async () => {
    const { result } = await runProgram('backup', ['--list'], { dataDir: home.path, env: { SVC_BACKUP_DIR: folder } });
    expect(result).toMatchObject({ folder, runs: [{ run, secrets: 'passphrase' }] });
  });

  test('is told the same over GraphQL', async () => {
    const { data } = await service.graphql(
      admin,
      '{ installation { backups { folder isOverdue backups { run databases secrets damaged } job { state run } } } }',
    );
    expect(data.installation.backups).toEqual({
      folder,
      isOverdue: false,
      backups: [{ run, databases: 2, secrets: 'passphrase', damaged: null }],
      job: { state: 'DONE', run },
    });
  });

  test('damaged later it is named as such, and the installation is overdue', async () => {
    await writeFile(join(folder, 'runs', `${run}.json`), '{}');
    const { backups, is_overdue } = await listed();
    expect(is_overdue).toBe(true);
    expect(backups).toMatchObject([
      { run, created_at: null, bytes: null, damaged: `The manifest ${join('runs', `${run}.json`)} is damaged.` },
    ]);
  });
});

test('a backup that cannot be made says why, and another one may begin', async () => {
  await rm(folder, { recursive: true });
  await writeFile(folder, 'a file in its place');
  expect((await call(admin, 'POST', path)).status).toBe(202);
  const failed = await ended();
  expect(failed).toMatchObject({ state: 'failed', run: null, error: expect.stringContaining(folder) });
  await rm(folder);
  expect((await call(admin, 'POST', path)).status).toBe(202);
  expect(await ended()).toMatchObject({ state: 'done' });
});

test('a job whose gateway died is shown as failed, and another one may begin', async () => {
  await service.control.sql(
    `insert into backup_jobs (id, started_at, seen_at) values ('bak_dead', now(), now() - interval '2 minutes')`,
  );
  expect((await listed()).job).toMatchObject({
    job_id: 'bak_dead',
    state: 'failed',
    error: 'The gateway that ran it has ended.',
  });
  const { body } = await call(admin, 'POST', path);
  expect(body.state).toBe('running');
  expect(await ended()).toMatchObject({ job_id: body.job_id, state: 'done' });
});

test('a gateway that stops ends its backup and says so', async () => {
  const stopping = await startService();
  const { body } = await documentedCalls(stopping)(stopping.actors.admin, 'POST', path);
  await stopping.app.stop();
  const [job] = await stopping.control.sql('select state, error from backup_jobs where id = $1', [body.job_id]);
  expect(job).toMatchObject({ state: 'failed' });
  await stopping.control.drop();
});
