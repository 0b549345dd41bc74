import { randomUUID } from 'node:crypto';
import { drizzle } from 'drizzle-orm/node-postgres';
import { pino } from 'pino';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { newId } from '../../core/ids.ts';
import { openDatabase } from '../../db/pool.ts';
import { principals } from '../../db/schema/identity.ts';
import { memberships, orgs } from '../../db/schema/orgs.ts';
import type { AuthorityEntry } from '../../kernel/access/authority-watch.ts';
import { unitOfWork, type Work } from '../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../kernel/run/context.ts';
import { createAuthorityWatch, type RunningAuthorityWatch } from '../../subscriptions/authority.ts';
import { createFeedHub } from '../../subscriptions/feed-hub.ts';
import { localSignals } from '../../subscriptions/signals.ts';
import { createControlDatabase } from '../helpers/control-database.ts';

const log = pino({ level: 'silent' });
/** Longer than any test: whatever is noticed was not found by looking. */
const never = 3_600_000;

const control = await createControlDatabase();
const statements: string[] = [];
const db = openDatabase({ url: control.url, onStatement: (text) => statements.push(text) });
/** Writes what the tests begin with. */
const queries = drizzle(db.pool);
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
afterAll(async () => {
  await db.close();
  await control.drop();
});

/** Two nodes that hear each other. */
function startNodes() {
  const signals = localSignals();
  const watch = () => createAuthorityWatch({ db, log, signals, everyMs: never });
  const feeds = createFeedHub({ db, signals, log });
  const nodes = [watch(), watch()] as const;
  cleanups.push(() => feeds.close(), ...nodes.map((node) => () => node.close()));
  return nodes.map((authority) => ({
    authority,
    change: (run: (work: Work) => Promise<unknown>) =>
      unitOfWork({ services: { db, feeds, authority } } as unknown as Context, run),
  }));
}

/** A member of an organization of its own. */
async function member(): Promise<AuthorityEntry & { readonly principalId: string }> {
  const [orgId, principalId] = [randomUUID(), newId('prn')];
  const now = new Date();
  await queries.insert(orgs).values({ id: orgId, tier: 'prototype', leaseStartedAt: now, leaseExpiresAt: now });
  await queries.insert(principals).values({ id: principalId, type: 'agent' });
  await queries.insert(memberships).values({ orgId, principalId, id: randomUUID(), role: 'viewer', status: 'active' });
  return { orgId, principalId, sessionId: null, delegateId: null, projectKeyProjectId: null, expiresAt: null };
}

const lossOf = (watch: RunningAuthorityWatch, entry: AuthorityEntry) =>
  new Promise<string>((resolve) => watch.watch(entry, resolve));
const revoke = (work: Work, { orgId }: AuthorityEntry) =>
  work.client.query(`update memberships set status = 'revoked' where org_id = $1`, [orgId]);

test('a change of members is noticed on every node when it commits, without anybody looking', async () => {
  const [here, there] = startNodes();
  const entry = await member();
  const losses = [lossOf(here!.authority, entry), lossOf(there!.authority, entry)];
  await here!.change(async (work) => {
    await revoke(work, entry);
    work.authorityChanged(entry.orgId);
  });
  expect(await Promise.all(losses)).toEqual(['revoked', 'revoked']);
});

test('a change of a principal is noticed in whatever organization it acts', async () => {
  const [here, there] = startNodes();
  const entry = await member();
  const loss = lossOf(there!.authority, entry);
  await here!.change(async (work) => {
    await work.client.query('update principals set disabled_at = now() where id = $1', [entry.principalId]);
    work.authorityChanged(entry.principalId);
  });
  expect(await loss).toBe('revoked');
});

test('a change elsewhere, or one that was taken back, makes nobody look', async () => {
  const [here, there] = startNodes();
  const entry = await member();
  const reasons: string[] = [];
  for (const { authority } of [here!, there!]) authority.watch(entry, (reason) => reasons.push(reason));
  statements.length = 0;
  await here!.change(async (work) => work.authorityChanged(randomUUID()));
  await here!
    .change(async (work) => {
      await revoke(work, entry);
      work.authorityChanged(entry.orgId);
      throw new Error('changed my mind');
    })
    .catch(() => undefined);
  expect(statements.filter((text) => text.includes('unnest'))).toEqual([]);
  await there!.authority.recheck();
  expect(reasons).toEqual([]);
});

test('a right can be asked for once, and what has expired holds no longer', async () => {
  const [here] = startNodes();
  const entry = await member();
  const { authority, change } = here!;
  expect(await authority.holds(entry)).toBe(true);
  expect(await authority.holds({ ...entry, expiresAt: new Date(Date.now() - 1) })).toBe(false);
  await change((work) => revoke(work, entry));
  expect(await authority.holds(entry)).toBe(false);
});

// A node's clock that is off ends nothing early and lets nothing go on: the database decides.
test.each([
  ['ahead', 86_400_000],
  ['behind', -86_400_000],
])('a credential ends by the database’s clock on a node whose own is a day %s', async (_case, off) => {
  const entry = await member();
  const real = Date.now.bind(Date);
  const spy = vi.spyOn(Date, 'now').mockImplementation(() => real() + off);
  cleanups.push(() => spy.mockRestore());
  const watch = createAuthorityWatch({ db, log, everyMs: 50 });
  cleanups.push(() => watch.close());
  const lost: string[] = [];
  const lasting = { ...entry, expiresAt: new Date(real() + 3_600_000) };
  watch.watch(lasting, (reason) => lost.push(`lasting ${reason}`));
  await watch.recheck();
  expect(lost).toEqual([]);
  expect(await watch.holds(lasting)).toBe(true);
  const over = new Promise((resolve) =>
    watch.watch({ ...entry, expiresAt: new Date(real() + 200) }, (reason) => resolve(reason)),
  );
  expect(await over).toBe('expired');
  expect(await watch.holds({ ...entry, expiresAt: new Date(real() - 1) })).toBe(false);
  await watch.recheck();
  expect(lost).toEqual([]);
});
