import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { ContentStore } from '../../engines/copies/content-store.ts';
import { saveDatabase } from '../../engines/copies/save-database.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';

const postgres = await startOwnPostgres();
const home = await mkdtemp(join(tmpdir(), 'svc-bounds-'));
afterAll(async () => {
  await postgres.stop();
  await rm(home, { recursive: true, force: true });
});

test('definitions that are larger than the bound fail that database at once, and no other', async () => {
  const [large, small] = [await postgres.database(), await postgres.database()];
  const tenant = new pg.Client({ connectionString: large.url });
  await tenant.connect();
  await tenant.query(`create table t (); comment on table t is '${'large '.repeat(800_000)}'`);
  await tenant.end();
  let attempts = 0;
  const save = (url: string) =>
    saveDatabase({
      url,
      store: new ContentStore(home),
      definitionsOf: 'public',
      definitionBytesMax: 4 * 1024 * 1024,
      also: async () => void attempts++,
    });
  await expect(save(large.url)).rejects.toThrow('Its definitions are larger than 4 MiB.');
  expect(attempts).toBe(1);
  expect((await save(small.url)).database.tables).toEqual([]);
});

// The system refuses a process what lies beyond the largest file it may write, as it does on a full disk.
test.runIf(process.platform === 'linux')(
  'a text that does not fit on the disk leaves neither a file nor an open one',
  async () => {
    const source = new URL('../../engines/copies/content-store.ts', import.meta.url).href;
    const program = `
    import { randomBytes } from 'node:crypto';
    import { readdirSync, readlinkSync } from 'node:fs';
    const { ContentStore } = await import(${JSON.stringify(source)});
    const store = new ContentStore(process.argv[1]);
    const reason = await store.text(randomBytes(4_000_000).toString('base64')).then(() => 'stored', (error) => error.code);
    const open = readdirSync('/proc/self/fd').flatMap((fd) => {
      try { return readlinkSync('/proc/self/fd/' + fd); } catch { return []; }
    });
    console.log(JSON.stringify({ reason, left: open.filter((path) => path.includes('/tmp/1')) }));`;
    const folder = join(home, 'full');
    const { stdout, stderr } = spawnSync(
      'bash',
      [
        '-c',
        'trap "" XFSZ; ulimit -f 64; exec "$0" --input-type=module -e "$1" "$2"',
        process.execPath,
        program,
        folder,
      ],
      { encoding: 'utf8' },
    );
    expect([stdout, stderr]).toEqual([`${JSON.stringify({ reason: 'EFBIG', left: [] })}\n`, expect.any(String)]);
    expect(await readdir(join(folder, 'tmp'))).toEqual([]);
  },
);
