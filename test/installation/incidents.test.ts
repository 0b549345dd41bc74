import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';

const service = await startService();
afterAll(() => service.stop());
const call = documentedCalls(service);
const { admin } = service.actors;
const path = '/admin/v1/incidents';

const declare = async (summary: string, more: object = {}): Promise<string> => {
  const body = { subsystem: 'mail', severity: 'minor', scope: 'global', summary, ...more };
  return (await call(admin, 'POST', path, { body })).body.id;
};
const idsOf = async (search = ''): Promise<string[]> =>
  (await call(admin, 'GET', path + search)).body.incidents.map(({ id }: { id: string }) => id);

test('incidents are listed, those that last and those that are over, the newest first', async () => {
  const { projectId } = await service.project();
  const first = await declare('First');
  const second = await declare('Second', { scope: 'projects', project_ids: [projectId] });
  const third = await declare('Third');
  await call(admin, 'POST', `${path}/${first}/resolve`);
  const { body } = await call(admin, 'GET', path);
  expect(body.incidents).toMatchObject([
    { id: third, status: 'ongoing', project_ids: [], resolved_at: null },
    { id: second, status: 'ongoing', scope: 'projects', project_ids: [projectId] },
    { id: first, status: 'resolved', summary: 'First' },
  ]);
  expect(await idsOf('?status=ongoing')).toEqual([third, second]);
  expect(await idsOf('?status=resolved')).toEqual([first]);
  expectRefusal(await call(admin, 'GET', `${path}?status=over`), 'VALIDATION_FAILED');
});

test('pages of incidents follow each other without gap or repeat', async () => {
  const all = await idsOf();
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await call(admin, 'GET', `${path}?limit=2${cursor}`);
    seen.push(...body.incidents.map(({ id }: { id: string }) => id));
    if (!body.has_more) break;
    cursor = `&after=${body.next_cursor}`;
  }
  expect(seen).toEqual(all);
  const { data } = await service.graphql(
    admin,
    '{ installation { incidents(first: 10, status: ONGOING) { edges { node { incidentId status } } } } }',
  );
  expect(data.installation.incidents.edges.map(({ node }: { node: { status: string } }) => node.status)).toEqual([
    'ONGOING',
    'ONGOING',
  ]);
});
