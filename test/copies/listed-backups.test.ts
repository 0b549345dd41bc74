import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { BackupFolder } from '../../server/copies/backup-folder.ts';
import { rememberedSummaries } from '../../server/copies/list-backups.ts';
import { temporaryFolder } from '../helpers/gateway-process.ts';

const home = await temporaryFolder();
afterAll(home.remove);

test('a folder that is listed again and again has each manifest read once, and anew when its file is another', async () => {
  const folder = new BackupFolder(home.path);
  const read = vi.spyOn(folder, 'read');
  const list = rememberedSummaries(folder);
  expect(await list()).toEqual([]);
  await mkdir(join(home.path, 'runs'));
  const [first, second] = ['20260101T000000Z-000001', '20260102T000000Z-000002'];
  const write = (run: string, text: string) => writeFile(join(home.path, 'runs', `${run}.json`), text);
  await write(first, '{}');
  await write(second, '{}');
  for (let time = 0; time < 3; time++) expect((await list()).map(({ run }) => run)).toEqual([second, first]);
  expect(read.mock.calls).toEqual([[second], [first]]);
  await write(first, '{ }');
  await list();
  expect(read).toHaveBeenCalledTimes(3);
  await rm(join(home.path, 'runs', `${second}.json`));
  expect((await list()).map(({ run }) => run)).toEqual([first]);
});
