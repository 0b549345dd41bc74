import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';
import type { S3Settings } from '../../engines/objects/s3-settings.ts';
import { startBreakableWay } from './breakable-way.ts';

/** A bucket that can go away and come back. */
export interface S3Server {
  readonly settings: S3Settings;
  /** Breaks all connections, and takes no new ones. */
  readonly cut: () => void;
  readonly mend: () => void;
  /** How many connections there are to it. */
  readonly connections: () => number;
  readonly stop: () => Promise<void>;
}

/** Starts an S3 server of npm's with an empty bucket. */
export async function startS3Server(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-test-s3-'));
  const bucket = `objects-${randomBytes(4).toString('hex')}`;
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: bucket }],
  });
  const { port } = await server.run();
  const way = await startBreakableWay(`http://127.0.0.1:${port}`);
  return {
    // The one key that this server knows.
    settings: {
      endpoint: way.url,
      bucket,
      region: 'us-east-1',
      accessKeyId: 'S3RVER',
      secretAccessKey: 'S3RVER',
      pathStyle: true,
    },
    cut: way.cut,
    mend: way.mend,
    connections: way.connections,
    async stop() {
      way.close();
      server.httpServer.closeAllConnections();
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The environment of a gateway that keeps its objects there. */
export const environmentOf = ({ settings }: Pick<S3Server, 'settings'>): Record<string, string> => ({
  S3_ENDPOINT: settings.endpoint,
  S3_BUCKET: settings.bucket,
  S3_REGION: settings.region,
  S3_ACCESS_KEY_ID: settings.accessKeyId,
  S3_SECRET_ACCESS_KEY: settings.secretAccessKey,
});
