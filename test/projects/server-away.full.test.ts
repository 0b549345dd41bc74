import { afterAll, expect, inject, test } from 'vitest';
import { documentedCalls } from '../helpers/documented.ts';
import { startPgProxy } from '../helpers/pg-proxy.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

/** A way of its own to the server of the project databases. */
const projectServer = await startPgProxy(inject('postgresUrl'));
const service = await startService({ env: { PROJECT_DATABASE_URLS: `main=${projectServer.url}` } });
afterAll(async () => {
  await service.stop();
  await projectServer.close();
});
const call = documentedCalls(service);

test.each(['cut', 'stall'] as const)(
  'a project can be read while its server is away (%s), with the size last known',
  async (fault) => {
    const { wallet, orgId, projectId } = await service.project();
    const sizeOf = async (id: string): Promise<number> =>
      (await call(wallet, 'GET', `/projects/v1/${id}`)).body.usage.storage_bytes;
    // A server that was away is left alone for some seconds.
    const known = await until(async () => {
      const bytes = await sizeOf(projectId);
      expect(bytes).toBeGreaterThan(0);
      return bytes;
    });
    const { body: unknown } = await call(wallet, 'POST', '/projects/v1', { body: { org_id: orgId } });
    projectServer[fault]();
    try {
      const sizes = [];
      for (const id of [projectId, unknown.project_id]) {
        const { status, body } = await call(wallet, 'GET', `/projects/v1/${id}`);
        sizes.push([status, body.usage.storage_bytes]);
      }
      expect(sizes).toEqual([
        [200, known],
        [200, 0],
      ]);
      const status = await call(wallet, 'GET', '/tiers/v1/status');
      expect([status.status, status.body.pool_usage.total_storage_bytes]).toEqual([200, known]);
      const graph = await service.graphql(
        wallet,
        'query ($id: ID!) { project(id: $id) { usage { storageBytes } } tierStatus { poolUsage { storageBytes } } }',
        { id: unknown.project_id },
      );
      expect(graph).toEqual({
        data: { project: { usage: { storageBytes: 0 } }, tierStatus: { poolUsage: { storageBytes: known } } },
      });
    } finally {
      projectServer.mend();
    }
  },
);
