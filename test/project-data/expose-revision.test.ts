import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { dataProject } from './data-project.ts';

const service = await sharedService();
afterAll(() => service.stop());
const project = await dataProject(service);
const call = documentedCalls(service);
await project.sql('create table notes (id int primary key); create table posts (id int primary key)');

const dark = (...names: readonly string[]) => ({
  version: 1,
  tables: names.map((name) => ({ name, expose: false })),
});
const apply = (revision: string, ...names: readonly string[]) =>
  call(project.key, 'POST', `${project.base}/expose?revision=${revision}`, { body: dark(...names) });
const current = async () => (await project.exposed()).body;

test('a manifest that names the revision it began with replaces that one and no other', async () => {
  expect((await current()).revision).toBe('none');
  expectRefusal(await apply('another', 'notes'), 'EXPOSE_CHANGED', { revision: 'none' });
  expect((await current()).source).toBe('introspected');
  const first = await apply('none', 'notes');
  expect(first.status).toBe(200);
  const { revision } = await current();
  // So the next change needs no look at the manifest.
  expect(first.body.revision).toBe(revision);
  // Of two who began with the same, one is told.
  const answers = await Promise.all([apply(revision, 'notes', 'posts'), apply(revision, 'posts')]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  const applied = await current();
  expect(applied.revision).not.toBe(revision);
  expectRefusal(await apply(revision, 'notes'), 'EXPOSE_CHANGED', { revision: applied.revision });
  // Without one, the last word counts, as before.
  expect((await project.expose(dark('notes'))).status).toBe(200);
  expect((await current()).revision).toBe(revision);
});

test('a change by the graph names a revision, too', async () => {
  const manifest = dark('posts');
  const change = (revision: string) =>
    service.graphql(
      project.wallet,
      `mutation ($input: ApplyExposeInput!) { applyExpose(input: $input) { revision applied { tables } } }`,
      { input: { project: project.projectId, manifest, revision } },
    );
  expect((await change('none')).errors?.[0]?.extensions.code).toBe('EXPOSE_CHANGED');
  const { data, errors } = await change((await current()).revision);
  expect(errors).toBeUndefined();
  expect(data.applyExpose.revision).toBe((await current()).revision);
});
