import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { locked } from '../../clients/cli/src/files/lock.ts';
import { asProcess, terminal } from './command.ts';

/** Knows every project, and every organization. */
const gateway = createServer((request, response) => {
  const id = request.url!.split('/').at(-1);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ project_id: id, name: id, display_name: id }));
});
gateway.listen(0, '127.0.0.1');
await new Promise((listening) => gateway.once('listening', listening));
const ada = await terminal(`http://127.0.0.1:${(gateway.address() as AddressInfo).port}`, asProcess());
afterAll(async () => {
  gateway.close();
  gateway.closeAllConnections();
  await ada.remove();
});

const many = Array.from({ length: 16 }, (_, at) => at);
const keysFile = join(ada.config, 'credentials', 'project-keys.v1.json');
const given = (project: string) =>
  ada.with({}, '{"anon_key":"anon"}')('credentials', 'project-keys', 'import', '--file', '-', '--project', project);
const keptProjects = async () =>
  (await ada.svc('credentials', 'project-keys', 'list')).json.projects.map(
    ({ project_id }: { project_id: string }) => project_id,
  );

test('of many who keep a key at the same moment none loses another’s', async () => {
  const all = await Promise.all(many.map((at) => given(`prj_${at}`)));
  expect(all.map(({ code, stderr }) => ({ code, stderr }))).toEqual(many.map(() => ({ code: 0, stderr: '' })));
  expect((await keptProjects()).sort()).toEqual(many.map((at) => `prj_${at}`).sort());
});

test('of many who forget a key at the same moment each forgets its own', async () => {
  const half = many.filter((at) => at % 2 === 0);
  await Promise.all([
    ...half.map((at) => ada.svc('credentials', 'project-keys', 'remove', '--project', `prj_${at}`)),
    ...half.map((at) => given(`prj_new${at}`)),
  ]);
  const rest = many.filter((at) => at % 2 === 1).map((at) => `prj_${at}`);
  expect((await keptProjects()).sort()).toEqual([...rest, ...half.map((at) => `prj_new${at}`)].sort());
});

test('of many who choose at the same moment, each for a wallet of its own, none loses another’s choice', async () => {
  await Promise.all(many.map((at) => ada.svc('wallets', 'new', `w${at}`)));
  const all = await Promise.all(many.map((at) => ada.with({ SVC_WALLET: `w${at}` })('projects', 'use', `prj_${at}`)));
  expect(all.map(({ code, stderr }) => ({ code, stderr }))).toEqual(many.map(() => ({ code: 0, stderr: '' })));
  const used = await Promise.all(many.map((at) => ada.with({ SVC_WALLET: `w${at}` })('projects', 'current')));
  expect(used.map(({ json }) => json.used)).toEqual(many.map((at) => `prj_${at}`));
});

test('of those who bind one checkout at the same moment each finds its part in the file', async () => {
  const org = '0b9f2c1e-4b0a-4c57-8d11-2f6a1c3b5e70';
  await Promise.all([
    ada.svc('wallets', 'bind', 'acme'),
    ada.svc('org', 'bind', '--org', org, '--room', 'standup'),
    ada.svc('wallets', 'bind', 'acme'),
  ]);
  expect(JSON.parse(await readFile(join(ada.checkout, '.svc.json'), 'utf8'))).toEqual({
    wallet: 'acme',
    org,
    room: 'standup',
  });
  await rm(join(ada.checkout, '.svc.json'));
});

/** Leaves a lock behind, as a process that was killed does. */
async function leave(holder: string, at = new Date()): Promise<void> {
  await mkdir(`${keysFile}.lock`, { recursive: true });
  await writeFile(join(`${keysFile}.lock`, holder), '');
  await utimes(join(`${keysFile}.lock`, holder), at, at);
}

/** Ends the hold of this process. The next one moves its folder onto the empty one at once, so that stays. */
const letGo = () => rm(join(`${keysFile}.lock`, `${process.pid}-${machine}-0123456789abcdef`));

const machine = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);

test('what a process that was killed left behind holds nobody up', async () => {
  const dead = spawn(process.execPath, ['-e', '']);
  await new Promise((ended) => dead.once('exit', ended));
  await leave(`${dead.pid}-${machine}-0123456789abcdef`);
  expect((await given('prj_after1')).code).toBe(0);
  // Of another machine nobody can say who lives there: what is older than any change can take is nobody’s.
  await leave('1-elsewhere-0123456789abcdef', new Date(Date.now() - 3_600_000));
  expect((await given('prj_after2')).code).toBe(0);
  expect(await keptProjects()).toEqual(expect.arrayContaining(['prj_after1', 'prj_after2']));
  expect((await readdir(join(ada.config, 'credentials'))).sort()).toEqual(['project-keys.v1.json']);
});

test('whoever waited long for a file holds it as long as anybody', async () => {
  await leave(`${process.pid}-${machine}-0123456789abcdef`, new Date(Date.now() + 3_600_000));
  let done: () => void = () => undefined;
  const working = locked(keysFile, () => new Promise<void>((resolve) => (done = resolve)));
  const folder = join(ada.config, 'credentials');
  const waiting = async () => (await readdir(folder)).find((name) => name.startsWith('project-keys.v1.json.lock.'));
  await expect.poll(waiting).toBeDefined();
  const holder = (await waiting())!.slice('project-keys.v1.json.lock.'.length);
  // As if it had stood there for an hour.
  const before = Date.now();
  const longAgo = new Date(before - 3_600_000);
  await utimes(join(folder, `project-keys.v1.json.lock.${holder}`, holder), longAgo, longAgo);
  await letGo();
  const held = () => stat(join(`${keysFile}.lock`, holder)).catch(() => undefined);
  await expect.poll(held).toBeDefined();
  expect((await held())!.mtimeMs).toBeGreaterThan(before - 1_000);
  done();
  await working;
});

test('who holds a file is waited for', async () => {
  await leave(`${process.pid}-${machine}-0123456789abcdef`, new Date(Date.now() + 3_600_000));
  const waiting = given('prj_waits');
  // It stands in line, with a folder of its own beside the lock.
  await expect
    .poll(async () => (await readdir(join(ada.config, 'credentials'))).join(' '))
    .toContain('project-keys.v1.json.lock.');
  expect(await readFile(keysFile, 'utf8')).not.toContain('prj_waits');
  await letGo();
  expect((await waiting).code).toBe(0);
  expect(await readFile(keysFile, 'utf8')).toContain('prj_waits');
});
