import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { KeyRing } from '../../core/keys.ts';
import { beginEpochStatement, FeedEpoch } from '../../db/feed-epoch.ts';
import { migrateControlDatabase } from '../../db/migrate.ts';
import { openDatabase } from '../../db/pool.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';

const postgres = await startOwnPostgres();
const { url } = await postgres.database();
await migrateControlDatabase(url);
const db = openDatabase({ url });
afterAll(async () => {
  await db.close();
  await postgres.stop();
});

const opened = async () => {
  const keys = new KeyRing(randomBytes(32));
  const epoch = new FeedEpoch(keys);
  await epoch.begin(db.pool);
  return { keys, epoch };
};
const begin = (epoch: string) => db.rows(beginEpochStatement.with({ epoch }));

/** A look whose answer comes when it is let go. */
function heldLook({ epoch }: Awaited<ReturnType<typeof opened>>) {
  const read = Promise.withResolvers<void>();
  const letGo = Promise.withResolvers<void>();
  const rows: typeof db.rows = async (bound) => {
    const found = await db.rows(bound);
    read.resolve();
    await letGo.promise;
    return found;
  };
  const done = epoch.refresh({ rows });
  const end = () => {
    letGo.resolve();
    return done;
  };
  return { read: read.promise, end };
}

test('a look that began before this node has begun an epoch does not bring the epoch of before back', async () => {
  const node = await opened();
  await begin('one');
  const look = heldLook(node);
  await look.read;
  await begin('two');
  node.epoch.begun('two');
  await look.end();
  expect(node.keys.feedEpoch).toBe('two');
});

test('of two looks at once the one that began later is believed, whichever ends first', async () => {
  const node = await opened();
  await begin('three');
  const early = heldLook(node);
  await early.read;
  await begin('four');
  await node.epoch.refresh(db);
  await early.end();
  expect(node.keys.feedEpoch).toBe('four');
});
