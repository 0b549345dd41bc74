import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { type Any, becomes, projectWith } from './stage.ts';

const roots = await mkdtemp(join(tmpdir(), 'job-roots-'));
// The programs of this machine are root file system enough: none of its files can be written in the box.
await symlink('/', join(roots, 'machine'));
await writeFile(join(roots, 'file'), '');
await mkdir(join(roots, 'empty'));
const service = await startService({ env: { SVC_JOB_ROOTS: roots } });
afterAll(async () => {
  await service.stop();
  await rm(roots, { recursive: true });
});

const admin = (method: string, path: string, body?: object) =>
  service.call<Any>(service.actors.admin, method, `/jobs/v1/admin/types${path}`, body === undefined ? {} : { body });
const sh = (script: string) => ['/bin/sh', '-c', script];
const register = (job_type: string, command: readonly string[], more: object = {}) =>
  admin('POST', '', {
    job_type,
    description: 'Runs a command.',
    command,
    root: 'machine',
    per_job_usd_micros: 500,
    max_seconds: 60,
    memory_mb: 128,
    ...more,
  });
const owned = await projectWith(service);
const linesOf = async (id: string): Promise<string[]> =>
  (await owned.call('GET', `/jobs/v1/runs/${id}/logs`)).body.logs.map(
    ({ stream, message }: Any) => `${stream}: ${message}`,
  );

test('a command of the operator becomes a type that every project may submit', async () => {
  const script =
    'cat > /out/given.json; echo "for $JOB_PROJECT_ID"; echo quiet >&2; printf text > /out/note.txt; ln -s /etc/passwd /out/link';
  const registered = await register('keep', sh(script), {
    input_schema: { type: 'object', properties: { number: { type: 'integer' } } },
  });
  expect(registered.status, registered.text).toBe(201);
  expect(registered.body).toMatchObject({
    kind: 'command',
    root: 'machine',
    command: sh(script),
    project_id: null,
    function: null,
    memory_mb: 128,
  });
  const shown = await service.call<Any>(service.actors.nobody, 'GET', '/jobs/v1/types');
  expect(shown.body.job_types.at(-1)).toMatchObject({ job_type: 'keep', kind: 'command' });
  expect(shown.text).not.toContain('/bin/sh');
  expect((await owned.submit('keep', { number: 'one' })).status).toBe(400);
  const id = await owned.begin('keep', { number: 21 });
  const job = await becomes(owned, id, 'completed');
  expect(job.metadata).toMatchObject({ cost_usd_micros: 500, billing_status: 'captured' });
  expect(job.artifacts).toEqual({
    'given.json': expect.objectContaining({ content_type: 'application/json' }),
    'note.txt': expect.objectContaining({ content_type: 'text/plain' }),
  });
  expect((await owned.artifact(id, 'given.json')).text).toBe('{"number":21}');
  expect(await linesOf(id)).toEqual(expect.arrayContaining([`stdout: for ${owned.projectId}`, 'stderr: quiet']));
});

test('it runs without a network, without rights, and without anything of the machine’s to write', async () => {
  const look = [
    'grep -h "^Cap\\|^NoNewPrivs" /proc/self/status',
    'ls /sys/class/net 2>/dev/null || true',
    'cat /proc/net/dev | tail -n +3 | cut -d: -f1',
    'touch /etc/written 2>/dev/null && echo wrote',
    'unshare -U true 2>/dev/null && echo unshared',
    'ls /old /home | head -2',
    'ps -e 2>/dev/null | wc -l',
    'echo $((1+1)) > /tmp/x && cat /tmp/x',
    'true',
  ].join('; ');
  await register('look', sh(look));
  const id = await owned.begin('look', {});
  await becomes(owned, id, 'completed');
  const lines = await linesOf(id);
  for (const name of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
    expect(lines).toContain(`stdout: ${name}:\t0000000000000000`);
  expect(lines).toContain('stdout: NoNewPrivs:\t1');
  expect(lines).toContain('stdout: 2');
  const printed = lines.join(' ');
  for (const word of ['wrote', 'unshared', 'eth']) expect(printed).not.toContain(word);
});

test('it finds assets of the project that it is given, and no other file', async () => {
  await owned.putAsset('in/page.txt', 'text/plain', 'from an asset');
  await register('read', sh('cat /in/page.txt > /out/read.txt'));
  const id = await owned.begin('read', { assets: { 'page.txt': 'in/page.txt' } });
  await becomes(owned, id, 'completed');
  expect((await owned.artifact(id, 'read.txt')).text).toBe('from an asset');
  const gone = await owned.begin('read', { assets: { 'page.txt': 'in/none.txt' } });
  expect((await becomes(owned, gone, 'failed')).error.code).toBe('ASSET_NOT_FOUND');
  for (const name of ['../etc', 'a/b', '.hidden'])
    expect((await owned.submit('read', { assets: { [name]: 'in/page.txt' } })).status).toBe(400);
});

test('what fails says how, keeps its files, and costs its seconds', async () => {
  await register('fail', sh('echo half > /out/half.txt; echo no such page >&2; exit 3'), { per_second_usd_micros: 10 });
  const id = await owned.begin('fail', {});
  const job = await becomes(owned, id, 'failed');
  expect(job.error).toMatchObject({
    code: 'JOB_COMMAND_FAILED',
    message: 'The command ended with exit code 3. no such page',
  });
  expect((await owned.artifact(id, 'half.txt')).text).toBe('half\n');
  await register('flood', sh('for n in 1 2 3; do head -c 30000000 /dev/zero > /out/$n; done'));
  expect((await becomes(owned, await owned.begin('flood', {}), 'failed')).error.code).toBe('JOB_OUTPUT_TOO_LARGE');
  await register('litter', sh('n=0; while [ $n -le 1000 ]; do : > /out/$n; n=$((n+1)); done'));
  expect((await becomes(owned, await owned.begin('litter', {}), 'failed')).error.code).toBe('JOB_OUTPUT_TOO_LARGE');
  await register('hang', sh('sleep 600 & sleep 600'), { max_seconds: 1 });
  expect((await becomes(owned, await owned.begin('hang', {}), 'failed')).error.code).toBe('JOB_TIMED_OUT');
  // What cannot be started is the operator's fault, and costs nothing.
  await register('absent', ['/no/such/program'], { per_second_usd_micros: 10_000 });
  const absent = await becomes(owned, await owned.begin('absent', {}), 'failed');
  expect(absent.metadata).toMatchObject({ cost_usd_micros: 0 });
});

test('what it starts and leaves counts no longer once it has ended', async () => {
  await register('orphans', sh('n=0; while [ $n -lt 150 ]; do (true &); n=$((n+1)); done; cat /in/input.json'));
  const id = await owned.begin('orphans', {});
  await becomes(owned, id, 'completed');
  const lines = await linesOf(id);
  expect(lines).toContain('stdout: {}');
  expect(lines.join(' ')).not.toContain('fork');
});

test('one that ends all that it can reach has failed, and pays for its seconds', async () => {
  await register('ender', sh('cat /proc/1/environ /proc/1/mem 2>/dev/null | wc -c; kill -9 1; kill -9 -1; sleep 600'), {
    per_second_usd_micros: 10_000,
  });
  const id = await owned.begin('ender', {});
  const job = await becomes(owned, id, 'failed');
  expect(job.error).toMatchObject({
    code: 'JOB_COMMAND_FAILED',
    message: expect.stringMatching(/^The command ended whatever ran in its box\./),
  });
  expect(job.metadata.cost_usd_micros).toBeGreaterThan(0);
  // Nothing was found there, and the first process was not ended by it.
  expect(await linesOf(id)).toContain('stdout: 0');
});

test('files that cannot be read are none of what it has made, and spare nobody the price', async () => {
  const script = 'echo a > /out/shut; chmod 0 /out/shut; echo b > "/out/$(printf "\\377")"; echo c > /out/c.txt';
  await register('shut', sh(script));
  const job = await becomes(owned, await owned.begin('shut', {}), 'completed');
  expect(Object.keys(job.artifacts)).toEqual(['c.txt']);
  expect(job.metadata).toMatchObject({ cost_usd_micros: 500 });
});

test('what goes wrong with its box tells a project nothing of the machine', async () => {
  await mkdir(join(roots, 'passing'));
  await register('unboxed', sh('true'), { root: 'passing' });
  await rm(join(roots, 'passing'), { recursive: true });
  const id = await owned.begin('unboxed', {});
  expect((await becomes(owned, id, 'failed')).error.code).toBe('JOB_PLATFORM_ERROR');
  expect((await linesOf(id)).join(' ')).not.toContain(tmpdir());
});

test('a cancelled one ends with all that it has started', async () => {
  await register('wait', sh('sleep 6001 & echo begun; sleep 6001'));
  const id = await owned.begin('wait', {});
  await expect.poll(() => linesOf(id)).toContain('stdout: begun');
  expect((await owned.call('DELETE', `/jobs/v1/runs/${id}`)).status).toBe(200);
  await becomes(owned, id, 'cancelled');
});

test.each([
  ['a function beside it', { project: 'prj_x', function: 'f' }, 'command'],
  ['no root', { root: undefined }, 'root'],
  ['a root that there is not', { root: 'none' }, 'root'],
  ['a root that is a file', { root: 'file' }, 'root'],
  ['a root outside', { root: '../..' }, 'root'],
  ['no program', { command: [] }, 'command'],
  ['neither a command nor a function', { command: undefined, root: undefined }, 'project'],
])('a type with %s is refused', async (_what, more, field) => {
  const refused = await register('bad', sh('true'), more);
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body.details)).toContain(field);
});
