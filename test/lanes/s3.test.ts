import { afterAll, describe, expect, test } from 'vitest';
import { createS3Client } from '../../engines/objects/s3-client.ts';
import { listUploads } from '../../engines/objects/s3-lists.ts';
import { createS3Store } from '../../engines/objects/s3-store.ts';
import { memcachedProgram, swiftProgram } from '../../scripts/lane-programs.ts';
import { guaranteesOf, stagedIn } from '../engines/objects/guarantees.ts';
import { startSwift } from '../helpers/swift-server.ts';

// `apt-get install swift-proxy swift-account swift-container swift-object memcached`
const installed = swiftProgram() !== undefined && memcachedProgram() !== undefined;

describe.skipIf(!installed)('objects in Swift, by its S3 API', async () => {
  if (!installed) return;
  const swift = await startSwift();
  afterAll(() => swift.stop());
  const open = () => createS3Store(swift.settings);
  guaranteesOf(open, async (id) => (await stagedIn(open())).includes(id));

  test('what was being put together when a node stopped is ended once it is old', async () => {
    const s3 = createS3Client(swift.settings);
    const key = `objects/ab/${'ab'.repeat(32)}`;
    const begun = async () => {
      const keys: string[] = [];
      for await (const page of listUploads(s3, 'objects/')) keys.push(...page.map((one) => one.key));
      return keys;
    };
    await s3.call({ method: 'POST', key, query: { uploads: '' } });
    await open().endBefore(new Date(Date.now() - 3_600_000));
    expect(await begun()).toContain(key);
    await open().endBefore(new Date(Date.now() + 3_600_000));
    expect(await begun()).not.toContain(key);
  });
});
