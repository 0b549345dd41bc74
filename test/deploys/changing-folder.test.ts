import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { deploy } from '../../clients/sdk/src/deploy/index.ts';
import { connect } from '../../clients/sdk/src/index.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { asking } from '../hosting/site.ts';
import { ownProject } from '../sdk/sdk-stage.ts';

const service = await sharedService();
const folder = await mkdtemp(join(tmpdir(), 'svc-test-changing-'));
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

test.each([
  ['other bytes', 'CONTENT_CHECKSUM_MISMATCH', 'two'],
  ['fewer bytes', 'CONTENT_LENGTH_MISMATCH', '2'],
])('a file that has %s when it is sent ends its deploy, and what was live stays so', async (_, code, text) => {
  const { credential, project } = await ownProject(service);
  const connection = connect({ baseUrl: service.url, credential });
  const page = join(folder, 'index.html');
  const spec = { site: { replace: { __source: 'local-dir', path: folder } } };
  await writeFile(page, 'old');
  const before = await deploy(connection, project, spec);
  await writeFile(page, 'one');
  let planned = Promise.resolve();
  const changing = deploy(connection, project, spec, {
    onUpload: ({ missing, sent }) => {
      if (missing === 0 && sent === 0) planned = writeFile(page, text);
    },
  });
  await expect(changing).rejects.toMatchObject({ code });
  await planned;
  const ask = asking(service, new URL(before.deploy!.urls!.site!).hostname);
  expect((await ask('/')).text).toBe('old');

  const again = await deploy(connection, project, spec);
  expect(again.deploy?.status).toBe('ready');
  expect((await ask('/')).text).toBe(text);
});
