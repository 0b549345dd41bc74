import { chmod, chown, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { copyBinaries, findBinaries, mendLibraryLinks, tryPrograms } from '../../db/embedded/binaries.ts';
import { canEnter, findServerUser, ownerOf } from '../../db/embedded/server-user.ts';
import { startEmbeddedPostgres } from '../../db/embedded/start.ts';
import {
  exists,
  homeOf,
  query,
  runsAsRoot,
  serverOf,
  spawnGateway,
  start,
  testFolder,
} from './fixtures/embedded-harness.ts';

// Only root can become another user, and only root must: elsewhere Postgres runs as whoever started it.
const asRoot = test.skipIf(!runsAsRoot);
const nobody = { uid: 65534, gid: 65534 };
const here = new URL('.', import.meta.url).pathname;
// A clone below /root cannot be read by another user at all, so none can be started from it.
const asNobody = test.skipIf(!runsAsRoot || !(await canEnter(nobody, here)));

const noteSomething = (url: string) => query(url, "create table notes as select 'kept' as body");
const readNotes = (url: string) => query(url, 'select body from notes');
const kept = [{ body: 'kept' }];

asRoot(
  'as root the server runs as another user, which can read neither the password nor anything of root',
  async () => {
    const { dataDir, url } = await start(await testFolder());
    const server = (await serverOf(dataDir))!;
    const user = (await ownerOf(join(dataDir, 'data')))!;
    expect(user).toEqual(await findServerUser());
    expect(user.uid).not.toBe(0);
    if (process.platform === 'linux') {
      const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
      expect(status).toMatch(new RegExp(`^Uid:(\\t${user.uid}){4}$`, 'm'));
      expect(status).toMatch(new RegExp(`^Gid:(\\t${user.gid}){4}$`, 'm'));
      expect(status).toMatch(/^Groups:\s*$/m);
    }
    expect(await stat(join(dataDir, 'password'))).toMatchObject({ uid: 0 });
    await expect(query(url, `select pg_read_file('${dataDir}/password')`)).rejects.toThrow('Permission denied');
  },
);

asRoot('as root below a closed folder the database lives in /var/lib, says so, and stays there', async () => {
  const folder = await testFolder(0o700);
  const dataDir = join(folder, '.svc');
  const told: [string, Record<string, unknown> | undefined][] = [];
  const first = await startEmbeddedPostgres({
    dataDir,
    settings: { fsync: 'off' },
    log: (message, facts) => told.push([message, facts]),
  });
  expect(first.dataDir).toMatch(/^\/var\/lib\/svc-gateway-[0-9a-f]{12}$/);
  onTestFinished(() => first.stop());
  expect(told).toContainEqual([
    expect.stringContaining('the database lives elsewhere'),
    expect.objectContaining({ folder: first.dataDir, wanted: join(dataDir, 'postgres') }),
  ]);
  await noteSomething(first.url);
  await first.stop();

  // Data in use stays put, though by now the server could reach the wanted folder.
  await chmod(folder, 0o755);
  const second = await start(dataDir);
  expect(second.dataDir).toBe(first.dataDir);
  expect(await readNotes(second.url)).toEqual(kept);
});

asRoot('a database in /var/lib outlives kill -9 of its gateway like any other', async () => {
  const dataDir = await testFolder(0o700);
  const gateway = spawnGateway(dataDir);
  const before = await gateway.said;
  await noteSomething(before.url);
  await gateway.kill();
  const after = await start(dataDir);
  expect(after).toMatchObject({ adopted: true, dataDir: before.dataDir });
  expect(await readNotes(after.url)).toEqual(kept);
});

asRoot('who deletes the data folder starts afresh, and what lies in /var/lib is not touched', async () => {
  const folder = await testFolder(0o700);
  const dataDir = join(folder, '.svc');
  const first = await start(dataDir);
  await noteSomething(first.url);
  await first.stop();
  await rm(dataDir, { recursive: true });
  try {
    const second = await start(dataDir);
    expect(second.dataDir).not.toBe(first.dataDir);
    await expect(readNotes(second.url)).rejects.toThrow('does not exist');
    expect(await exists(join(first.dataDir, 'data'))).toBe(true);
  } finally {
    await rm(first.dataDir, { recursive: true });
  }
});

asNobody('data that its user cannot reach any more is named, not replaced by an empty database', async () => {
  const folder = await testFolder();
  const dataDir = join(folder, '.svc');
  const first = await start(dataDir);
  await first.stop();
  await chmod(folder, 0o700);
  await expect(start(dataDir)).rejects.toThrow(/cannot enter its database folder .* \(chmod o\+x\)/);
  expect(await homeOf(dataDir)).toBe(first.dataDir);
});

asRoot('programs that the user cannot reach run from a copy that it can', async () => {
  const { folder, version } = await findBinaries();
  const closed = join(await testFolder(0o700), 'package');
  await mkdir(closed);
  await mendLibraryLinks(folder);
  const hidden = await copyBinaries({ folder, version }, closed);
  expect(await tryPrograms(hidden, nobody)).toMatchObject({ ok: false });
  const home = await testFolder();
  const copy = await copyBinaries({ folder: hidden, version }, home);
  expect(await tryPrograms(copy, nobody)).toMatchObject({ ok: true });
});

asRoot('the user is postgres where there is one, else nobody, and none is made', async () => {
  const passwd = join(await testFolder(), 'passwd');
  await writeFile(passwd, 'root:x:0:0::/:/bin/sh\nnobody:*:-2:-2::/:/bin/false\npostgres:x:70:71::/:/bin/sh\n');
  expect(await findServerUser(passwd)).toEqual({ uid: 70, gid: 71 });
  await writeFile(passwd, 'root:x:0:0::/:/bin/sh\nnobody:*:-2:-2::/:/bin/false\n');
  expect(await findServerUser(passwd)).toEqual({ uid: -2, gid: -2 });
  await writeFile(passwd, 'root:x:0:0::/:/bin/sh\n');
  await expect(findServerUser(passwd)).rejects.toMatchObject({ name: 'EmbeddedPostgresError' });
});

asNobody('an ordinary user runs it as himself; root, starting it later, leaves it his', async () => {
  const folder = await testFolder();
  await chown(folder, nobody.uid, nobody.gid);
  const dataDir = join(folder, '.svc');
  const gateway = spawnGateway(dataDir, nobody);
  const his = await gateway.said;
  expect(his).toMatchObject({ adopted: false, dataDir: join(dataDir, 'postgres') });
  expect(await ownerOf(join(his.dataDir, 'data'))).toEqual(nobody);
  expect((await stat(his.dataDir)).mode & 0o777).toBe(0o700);
  await noteSomething(his.url);
  expect(await gateway.stop()).toBe(0);

  const roots = await start(dataDir);
  expect(await readNotes(roots.url)).toEqual(kept);
  await roots.stop();

  const again = spawnGateway(dataDir, nobody);
  expect(await readNotes((await again.said).url)).toEqual(kept);
  expect(await again.stop()).toBe(0);
});

asNobody('an ordinary user is told of a folder that is not his', async () => {
  const closed = join(await testFolder(), 'closed');
  await mkdir(closed, { mode: 0o755 });
  const { name, refusal } = await spawnGateway(join(closed, '.svc'), nobody).said;
  expect(name).toBe('EmbeddedPostgresError');
  expect(refusal).toMatch(/this user may not use .*closed.* \(EACCES\); .* SVC_DATA_DIR/);

  const rootsFolder = await testFolder(0o700);
  const moved = await start(rootsFolder);
  await moved.stop();
  await chmod(rootsFolder, 0o777);
  await chmod(join(rootsFolder, 'postgres'), 0o777);
  expect((await spawnGateway(rootsFolder, nobody).said).refusal).toContain(
    `was made by root and lives in ${moved.dataDir}`,
  );
});
