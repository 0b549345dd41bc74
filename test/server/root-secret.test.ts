import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadRootSecret as load } from '../../server/root-secret.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-root-secret-'));
});
afterEach(() => rm(folder, { recursive: true }));

const loadRootSecret = async (config: Parameters<typeof load>[0]) => (await load(config)).roots;

const development = () => ({
  production: false,
  dataDir: join(folder, 'data'),
  secretKey: undefined,
  previousSecretKey: undefined,
});
const path = () => join(folder, 'data', 'secret.key');
const mode = async () => (await stat(path())).mode & 0o777;

test('the environment wins and nothing is written', async () => {
  const [secretKey, previousSecretKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  expect(await loadRootSecret({ ...development(), secretKey, previousSecretKey })).toEqual([
    secretKey,
    previousSecretKey,
  ]);
  expect(await readdir(folder)).toEqual([]);
});

test('a previous secret that a restore has kept is known until the environment names another', async () => {
  await mkdir(join(folder, 'data'));
  const [kept, given, current] = ['one', 'two', 'three'].map((text) => Buffer.alloc(32, text)) as [
    Buffer,
    Buffer,
    Buffer,
  ];
  await writeFile(join(folder, 'data', 'secret-previous.key'), `${kept.toString('hex')}\n`);
  expect((await loadRootSecret(development()))[1]).toEqual(kept);
  expect(await loadRootSecret({ ...development(), secretKey: current })).toEqual([current, kept]);
  const both = { ...development(), secretKey: current, previousSecretKey: given };
  expect(await loadRootSecret(both)).toEqual([current, given]);
  await writeFile(join(folder, 'data', 'secret-previous.key'), 'torn');
  await expect(loadRootSecret(development())).rejects.toThrow('secret-previous.key is damaged');
});

test('development makes a secret that only its owner can read, and finds it again', async () => {
  const first = await loadRootSecret(development());
  expect(first).toHaveLength(1);
  expect(first[0]).toHaveLength(32);
  expect(await mode()).toBe(0o600);
  expect(await loadRootSecret(development())).toEqual(first);
  expect(await readdir(join(folder, 'data'))).toEqual(['secret.key']);
});

test('processes that start together agree on one secret', async () => {
  const secrets = await Promise.all(Array.from({ length: 20 }, () => loadRootSecret(development())));
  expect(new Set(secrets.map(([root]) => root!.toString('hex'))).size).toBe(1);
  expect(await readdir(join(folder, 'data'))).toEqual(['secret.key']);
});

test('a secret that others can read is closed to them', async () => {
  const first = await loadRootSecret(development());
  await chmod(path(), 0o644);
  expect(await loadRootSecret(development())).toEqual(first);
  expect(await mode()).toBe(0o600);
});

test('a damaged secret is refused and left as it is', async () => {
  await loadRootSecret(development());
  await writeFile(path(), 'half a sec');
  await expect(loadRootSecret(development())).rejects.toThrow(/secret\.key is damaged/);
  expect(await readFile(path(), 'utf8')).toBe('half a sec');
});

test('production never makes a secret', async () => {
  await expect(loadRootSecret({ ...development(), production: true })).rejects.toThrow(/SVC_SECRET_KEY/);
  expect(await readdir(folder)).toEqual([]);
});

test('only a start that made the secret takes it back', async () => {
  const first = await load(development());
  const second = await load(development());
  await second.takeBack();
  expect(await readdir(join(folder, 'data'))).toEqual(['secret.key']);
  await first.takeBack();
  expect(await readdir(join(folder, 'data'))).toEqual([]);
});
