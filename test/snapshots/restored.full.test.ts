import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { withHeaders } from '../helpers/actors.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { liveProject } from '../live/live-project.ts';
import { type Any, copying } from './stage.ts';

const service = await startService({ nodes: 2 });
afterAll(() => service.stop());

test('users and their sessions stay, unless they are restored: then everybody is signed out', async () => {
  const project = await liveProject(service);
  const one = await copying(service, { ...project, wallet: project.owner });
  const early = await project.signedIn();
  const snapshot = await one.take();
  const late = await project.signedIn();
  expect(await one.plan(snapshot.snapshot_id)).toMatchObject({ auth: { mode: 'not_restored', users: 1 } });
  expect(await one.restore(snapshot.snapshot_id)).toMatchObject({ status: 'ready' });
  for (const { access_token: bearer } of [early, late])
    await until(async () => expect((await project.auth('GET', '/auth/v1/user', { bearer })).status).toBe(200));
  await until(async () => expect(await one.besides()).toEqual([]));
  const include = { include: ['auth'] };
  expect(await one.plan(snapshot.snapshot_id, include)).toMatchObject({ auth: { mode: 'restore_on_confirm' } });
  expect(await one.restore(snapshot.snapshot_id, include)).toMatchObject({ status: 'ready' });
  await until(async () => expect((await project.signIn(early.email, early.password)).status).toBe(200));
  expect((await project.signIn(late.email, late.password)).status).toBe(401);
  expect((await project.refresh(early.refresh_token)).status).toBeGreaterThanOrEqual(400);
  expect((await project.auth('GET', '/auth/v1/user', { bearer: early.access_token })).status).toBe(401);
});

test('whoever follows a live table is told to fetch it again, and of what comes then', async () => {
  const project = await liveProject(service);
  const one = await copying(service, { ...project, wallet: project.owner });
  await project.run(`insert into notes (body) values ('kept')`);
  const snapshot = await one.take();
  const streams = [];
  for (const node of service.nodes) streams.push(await project.stream({ tables: 'notes', url: node.url }));
  for (const events of streams) expect(await events.next()).toMatchObject({ event: 'ready' });
  await project.run(`insert into notes (body) values ('lost')`);
  expect(await one.restore(snapshot.snapshot_id)).toMatchObject({ status: 'ready' });
  for (const events of streams) {
    let frame = await events.next();
    while (frame?.event === 'change') frame = await events.next();
    expect(frame).toMatchObject({ event: 'resync', data: { tables: ['notes'] } });
  }
  await until(async () => {
    const headers = { apikey: project.anonKey };
    const rows = await service.call<Any>(withHeaders(headers), 'GET', '/rest/v1/notes?select=body');
    expect(rows.body).toEqual([{ body: 'kept' }]);
  });
  await project.run(`insert into notes (body) values ('new')`);
  for (const events of streams) {
    // It may have been told twice to fetch: of other triggers, and of another database.
    let frame = await events.next();
    while (frame?.event === 'resync') frame = await events.next();
    expect(frame).toMatchObject({ event: 'change', data: { op: 'insert', n: 1 } });
    events.close();
  }
});

test('with 16 writers nothing that was acknowledged is lost: it is in the database, or in the snapshot of before', async () => {
  const one = await copying(service);
  await one.sql('create table log (writer int, n int, primary key (writer, n))');
  expect(
    (
      await service.call<Any>(one.wallet, 'POST', `/projects/v1/admin/${one.projectId}/expose`, {
        body: { version: 1, tables: [{ name: 'log', expose: true, policy: 'public_read_authenticated_write' }] },
      })
    ).status,
  ).toBe(200);
  const snapshot = await one.take();
  const key = service.actors.bearer(one.serviceKey);
  const acknowledged = new Set<string>();
  const refusals = new Map<string, number>();
  let stopped = false;
  const write = async (writer: number) => {
    for (let n = 1; !stopped; n += 1) {
      const answer = await service.call<Any>(key, 'POST', '/admin/v1/rest/log', { body: { writer, n } });
      if (answer.status === 201) acknowledged.add(`${writer}-${n}`);
      else {
        const told = `${answer.status} ${answer.body.code} ${answer.headers.get('retry-after')}`;
        refusals.set(told, (refusals.get(told) ?? 0) + 1);
        await pause(50);
      }
    }
  };
  const writers = Promise.all(Array.from({ length: 16 }, (_none, at) => write(at)));
  onTestFinished(() => {
    stopped = true;
  });
  await until(async () => expect(acknowledged.size).toBeGreaterThan(200));
  const done = await one.restore(snapshot.snapshot_id);
  expect(done).toMatchObject({ status: 'ready' });
  const after = acknowledged.size;
  await until(async () => expect(acknowledged.size).toBeGreaterThan(after + 200));
  stopped = true;
  await writers;
  // As long as the exchange takes, and not as long as the restore.
  expect([...refusals.keys()].filter((told) => !told.startsWith('503 '))).toEqual([]);
  expect(refusals.size).toBeGreaterThan(0);
  const all = async (): Promise<string[]> =>
    (await one.sql('select writer, n from log')).rows.map(({ writer, n }: Any) => `${writer}-${n}`);
  const now = new Set(await all());
  await until(async () => expect(await one.besides()).toEqual([]));
  expect(await one.restore(done.pre_restore_snapshot_id)).toMatchObject({ status: 'ready' });
  const before = new Set(await all());
  expect([...acknowledged].filter((row) => !now.has(row) && !before.has(row))).toEqual([]);
});
