import { afterAll, expect, test } from 'vitest';
import { deploying } from '../deploys/deploying.ts';
import { startService } from '../helpers/service.ts';
import { asking } from './site.ts';

const service = await startService({ nodes: 2 });
afterAll(() => service.stop());

test('every node serves what is live, whoever made it so', async () => {
  const project = await service.project();
  const { deploySite } = deploying(service, project.wallet, project);
  const { urls } = await deploySite({ 'a.txt': 'version 0' });
  const nodes = service.nodes.map((node) => asking(node, new URL(urls.site).hostname));
  for (let version = 1; version <= 3; version += 1) {
    for (const ask of nodes)
      for (let time = 0; time < 3; time += 1) expect((await ask('/a.txt')).text).toBe(`version ${version - 1}`);
    const { release_id } = await deploySite({ 'a.txt': `version ${version}` });
    for (const ask of nodes) {
      await expect.poll(async () => (await ask('/a.txt')).text).toBe(`version ${version}`);
      expect((await ask('/a.txt')).headers['x-svc-release-id']).toBe(release_id);
    }
  }
});
