import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { terminalOfOwner } from './own-project.ts';

const roots = await mkdtemp(join(tmpdir(), 'job-roots-'));
await symlink('/', join(roots, 'machine'));
const service = await startService({ env: { SVC_JOB_ROOTS: roots } });
const ada = await terminalOfOwner(service);
afterAll(async () => {
  await ada.remove();
  await service.stop();
  await rm(roots, { recursive: true });
});

test('a command becomes a type of jobs, whatever project is in use, and a job of it is submitted and followed to its files', async () => {
  const { 'x-admin-key': key } = await service.actors.admin.headers('/jobs/v1/admin/types');
  const admin = ada.with({ SVC_ADMIN_KEY: key! });
  const command = '/bin/sh,-c,tr a-z A-Z < /in/input.json > /out/upper.json';
  const made = await admin(
    ...['admin', 'job-types', 'register', 'upper', '--root', 'machine', '--command', command],
    ...['--description', 'Writes in capitals.'],
  );
  expect(made.json).toMatchObject({ job_type: 'upper', project_id: null, root: 'machine' });
  const types = (await ada.svc('jobs', 'types')).json.job_types;
  expect(types).toContainEqual(expect.objectContaining({ job_type: 'upper', kind: 'command' }));
  const request = { job_type: 'upper', input: { input_json: { word: 'fog' } }, max_cost_usd_micros: 0 };
  const { job_id } = (await ada.svc('jobs', 'submit', '--request', JSON.stringify(request))).json;
  await expect.poll(async () => (await ada.svc('jobs', 'get', job_id)).json.status).toBe('completed');
  const file = join(ada.checkout, 'upper.json');
  await ada.svc('jobs', 'artifacts', 'get', job_id, '--file', 'upper.json', '--output', file);
  expect(await readFile(file, 'utf8')).toBe('{"WORD":"FOG"}');
  expect((await admin('admin', 'job-types', 'remove', 'upper')).code).toBe(0);
});
