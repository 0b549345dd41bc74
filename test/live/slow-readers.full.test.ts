import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { liveProject } from './live-project.ts';

const service = await startService({ nodes: 1 });
afterAll(() => service.stop());
const project = await liveProject(service);
const { run, stream, changes } = project;

test('whoever takes nothing while it is behind is let go before what comes meanwhile fills the memory, and resumes', async () => {
  await run('create table tags (id text primary key)');
  await project.expose({ name: 'tags', expose: true, live: true, policy: 'public_read_append_only' });
  const { body } = await changes({ tables: 'tags' });
  const write = (count: number) =>
    run(
      `do $$ begin for i in 1..${count} loop insert into tags values (gen_random_uuid() || repeat('x', 7500)); end loop; end $$`,
    );
  // More than the system keeps for a reader, some fourteen megabytes.
  await write(1_800);
  const query = new URLSearchParams({ tables: 'tags', cursor: body.cursor });
  const sent = httpRequest(`${service.url}/live/v1?${query}`, { agent: false, headers: { apikey: project.anonKey } });
  sent.on('error', () => {}).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.on('error', () => {}).pause();
  await write(300);
  await until(async () =>
    expect(
      await service.control.sql('select 1 from live_connections where project_id = $1 and count > 0', [
        project.projectId,
      ]),
    ).toEqual([]),
  );
  let text = '';
  answer.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  answer.resume();
  await once(answer, 'close');
  const ids = [...text.matchAll(/^id: (\S+)\ndata: {"table".*\n\n/gm)].map(([, id]) => id!);
  const events = await stream({ tables: 'tags', cursor: ids.at(-1) ?? body.cursor });
  expect(await events.next()).toMatchObject({ event: 'ready' });
  for (let left = 2_100 - ids.length; left > 0; left--) expect(await events.next()).toMatchObject({ event: 'change' });
  await run(`insert into tags values ('last')`);
  expect((await events.next())!.data.pk).toEqual([{ id: 'last' }]);
  events.close();
});
