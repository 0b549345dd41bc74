import { afterAll, expect, test } from 'vitest';
import { giveRateBack } from '../helpers/project-rate.ts';
import { startService } from '../helpers/service.ts';
import { liveProject } from './live-project.ts';

const service = await startService({ nodes: 1, jobs: false });
afterAll(() => service.stop());
const project = await liveProject(service);
const { changes, run } = project;

interface Held {
  readonly changes: { readonly op: string; readonly cursor: string }[];
  readonly cursor: string;
  readonly resync: boolean;
}

const pollers = 40;
const readsOfHints = async (during: () => Promise<unknown>) =>
  (await service.statements(during)).filter((text) => text.includes('_svc.live_hints')).length;
/** Everywhere on the server: snapshots move on, though nothing of this project has changed. */
const elsewhere = () => service.control.sql(`create table if not exists elsewhere as select 1 as one`);

test('many who poll cost no statement each, whether they are told something or not', async () => {
  const { body } = await changes({ tables: 'notes' });
  let cursors: string[] = Array.from({ length: pollers }, () => body.cursor);
  for (const body of ['a', 'b', 'c']) {
    giveRateBack(service, project.projectId);
    let answers: Held[] = [];
    const reads = await readsOfHints(async () => {
      const polls = cursors.map((cursor) => changes({ tables: 'notes', cursor, wait: '25' }));
      await run(`insert into notes (body) values ('${body}')`);
      answers = (await Promise.all(polls)).map((answer) => answer.body);
    });
    for (const answer of answers) expect(answer).toMatchObject({ resync: false, changes: [{ op: 'insert' }] });
    // For those who come first, and for what was written.
    expect(reads).toBeLessThan(pollers / 2);
    cursors = answers.map(({ cursor }) => cursor);
  }

  giveRateBack(service, project.projectId);
  await elsewhere();
  const inTurn = await readsOfHints(async () => {
    for (const cursor of cursors) expect((await changes({ tables: 'notes', cursor })).body.changes).toEqual([]);
  });
  // One for each that comes alone, to see what is live and where it stands; the node may look by itself meanwhile.
  expect(inTurn).toBeLessThan(1.5 * pollers);
});

test('whoever comes back to the middle of what was read together is told the rest, and no more, without a statement', async () => {
  const { body: start } = await changes({ tables: 'notes' });
  await run(`insert into notes (body) values ('one'); update notes set body = 'two'; delete from notes`);
  const { body: all } = await changes({ tables: 'notes', cursor: start.cursor });
  expect(all.changes.map(({ op }: Held['changes'][number]) => op)).toEqual(['insert', 'update', 'delete']);
  for (const [at, { cursor }] of (all as Held).changes.entries()) {
    const reads: number[] = [];
    // The node may look by itself meanwhile, which it does not each time.
    while (reads.length < 5 && !reads.includes(1)) {
      let rest: Held | undefined;
      const asked = async () => {
        rest = (await changes({ tables: 'notes', cursor })).body;
      };
      reads.push(await readsOfHints(asked));
      expect(rest).toMatchObject({ changes: all.changes.slice(at + 1), resync: false });
    }
    expect(reads).toContain(1);
  }
});

test('what is remembered is shown as it may be seen: owners’ hints to them alone, and a table from when it was live', async () => {
  const { body: start } = await changes({ tables: 'notes,tasks', key: project.serviceKey });
  await run(`insert into tasks (user_id) values (gen_random_uuid()); insert into notes (body) values ('for all')`);
  const { access_token } = await project.signedIn();
  const seen = async (tables: string, more: { key?: string; bearer?: string } = {}) => {
    const { body } = await changes({ tables, cursor: start.cursor, ...more });
    return [body.resync, ...body.changes.map(({ table }: { table: string }) => table)];
  };
  expect(await seen('notes,tasks', { key: project.serviceKey })).toEqual([false, 'tasks', 'notes']);
  expect(await seen('notes,tasks', { bearer: access_token })).toEqual([false, 'notes']);
  expect(await seen('notes')).toEqual([false, 'notes']);
  expect(await seen('tasks', { bearer: access_token })).toEqual([false]);
  // Away and back: what came between is not known, though it is remembered.
  const { body } = await changes({ tables: 'notes' });
  const manifest = [{ name: 'notes', expose: true, live: true, policy: 'public_read_authenticated_write' }];
  await project.expose({ ...manifest[0]!, live: false });
  await project.expose(manifest[0]!);
  expect((await changes({ tables: 'notes', cursor: body.cursor })).body).toMatchObject({ changes: [], resync: true });
});
