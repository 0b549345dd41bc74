import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { deploy } from '../../clients/sdk/src/deploy/index.ts';
import { connect } from '../../clients/sdk/src/index.ts';
import { startService } from '../helpers/service.ts';
import { asking } from '../hosting/site.ts';
import { ownProject } from '../sdk/sdk-stage.ts';
import { filesIn, served } from './served-folder.ts';

const service = await startService();
afterAll(() => service.stop());

// A package of real files that is here anyway: code, its types, source maps, and texts about it.
const folder = fileURLToPath(new URL('../../node_modules/viem', import.meta.url));

test('a site of 10,000 files goes live by one deploy, each is served byte for byte, and a second deploy sends nothing', async () => {
  const { credential, project } = await ownProject(service);
  const connection = connect({ baseUrl: service.url, credential });
  const spec = { site: { replace: { __source: 'local-dir', path: folder } } };
  const done = await deploy(connection, project, spec);
  expect(done.deploy?.status).toBe('ready');

  const files = await filesIn(folder);
  expect(files.size).toBeGreaterThan(10_000);
  const { hostname } = new URL(done.deploy!.urls!.site!);
  const { differences, asked } = await served(service, hostname, files);
  expect(differences.slice(0, 3)).toEqual([]);
  expect([differences.length, asked]).toEqual([0, files.size]);
  expect((await asking(service, hostname)('/no-such-page')).status).toBe(404);

  const again = await deploy(connection, project, spec);
  expect(again.plan).toMatchObject({ is_noop: true });
  expect(again.plan.missing_content.every(({ present }) => present)).toBe(true);
});
