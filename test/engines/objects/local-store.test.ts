import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { createLocalStore } from '../../../engines/objects/local-store.ts';
import { memoryFolder } from '../../helpers/memory-folder.ts';
import { guaranteesOf, sendTo, sha256Of, upload } from './guarantees.ts';

const folder = await memoryFolder('svc-test-objects-');
afterAll(() => rm(folder, { recursive: true, force: true }));
const store = createLocalStore(folder);

guaranteesOf(
  () => createLocalStore(folder),
  async (id) => (await readdir(join(folder, 'staging', id))).length > 0,
);

test('what is read outlives its removal', async () => {
  const bytes = randomBytes(300_000);
  const { arrived, size } = await sendTo(store, 'upl_r', [bytes]);
  await store.finish(upload('upl_r', size), { sha256: sha256Of(bytes), size }, arrived);
  const reading = await store.read(sha256Of(bytes));
  await store.remove(sha256Of(bytes));
  expect(await buffer(reading)).toEqual(bytes);
});

test('a disk that takes no more is told as such, and nothing half done is left', async () => {
  const program = `
    import { Readable } from 'node:stream';
        import { readdirSync } from 'node:fs';
    import { createLocalStore } from './engines/objects/local-store.ts';
    process.on('SIGXFSZ', () => {});
    const store = createLocalStore(${JSON.stringify(join(folder, 'full'))});
    const bytes = Buffer.alloc(1_000_000);
    const told = await store
      .putPart({ id: 'upl_g', size: bytes.length }, { number: 1, size: bytes.length }, Readable.from([bytes]))
      .catch((error) => error.name);
    console.log(JSON.stringify([told, readdirSync(${JSON.stringify(join(folder, 'full/staging/upl_g'))})]));`;
  // Files of the process may have 64 blocks of 1,024 bytes.
  const { stdout } = await promisify(execFile)(
    'bash',
    [
      '-c',
      'ulimit -f 64 && exec "$0" --disable-warning=ExperimentalWarning --input-type=module --eval "$1"',
      process.execPath,
      program,
    ],
    { cwd: join(import.meta.dirname, '../../..') },
  );
  expect(JSON.parse(stdout)).toEqual(['StorageUnavailableError', []]);
});
