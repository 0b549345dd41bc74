import { randomUUID } from 'node:crypto';
import { drizzle } from 'drizzle-orm/node-postgres';
import { pino } from 'pino';
import { afterAll, afterEach, expect, test } from 'vitest';
import { newId } from '../../core/ids.ts';
import { openDatabase } from '../../db/pool.ts';
import { principals, sessions } from '../../db/schema/identity.ts';
import { memberships, orgs } from '../../db/schema/orgs.ts';
import { delegates, projectGrants, projects } from '../../db/schema/projects.ts';
import type { AuthorityEntry } from '../../kernel/access/authority-watch.ts';
import { createAuthorityWatch } from '../../subscriptions/authority.ts';
import { createControlDatabase } from '../helpers/control-database.ts';
import { startPgProxy } from '../helpers/pg-proxy.ts';

const log = pino({ level: 'silent' });
const never = 3_600_000;
const hour = 3_600_000;
const soon = () => new Date(Date.now() + hour);

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

function startWatch(options: { everyMs?: number; db?: typeof db; log?: typeof log } = {}) {
  const watch = createAuthorityWatch({ db, log, everyMs: never, ...options });
  cleanups.push(() => watch.close());
  return watch;
}

const nobody = {
  principalId: null,
  sessionId: null,
  delegateId: null,
  projectKeyProjectId: null,
  expiresAt: null,
} satisfies Partial<AuthorityEntry>;

/** An organization with two projects, a member with a session, a guest with a grant on one, and a delegate of that grant. */
async function seed() {
  const [orgId, grantId, delegateId] = [randomUUID(), randomUUID(), randomUUID()];
  const [member, guest, helper] = [newId('prn'), newId('prn'), newId('prn')];
  const [project, other] = [newId('prj'), newId('prj')];
  const sessionId = newId('ses');
  await queries
    .insert(orgs)
    .values({ id: orgId, tier: 'prototype', leaseStartedAt: new Date(), leaseExpiresAt: soon() });
  await queries.insert(principals).values([member, guest, helper].map((id) => ({ id, type: 'agent' as const })));
  await queries
    .insert(memberships)
    .values({ orgId, principalId: member, id: randomUUID(), role: 'viewer', status: 'active' });
  await queries.insert(projects).values(
    [project, other].map((id) => ({
      orgId,
      id,
      publicId: id,
      name: id,
      state: 'ready' as const,
      schemaSlot: 'p0001',
      server: 'main',
      databaseName: id,
      roleName: id,
    })),
  );
  await queries.insert(sessions).values({
    id: sessionId,
    kind: 'control_plane',
    principalId: member,
    provenance: 'test',
    amrTimes: {},
    absoluteExpiresAt: soon(),
  });
  await queries
    .insert(projectGrants)
    .values({ orgId, id: grantId, projectId: project, principalId: guest, capability: 'read', expiresAt: soon() });
  await queries.insert(delegates).values({
    orgId,
    id: delegateId,
    projectId: project,
    grantId,
    principalId: helper,
    kind: 'agent',
    scope: { v: 1, capabilities: ['read'] },
    expiresAt: soon(),
  });
  const entries = {
    member: { ...nobody, orgId, principalId: member },
    'member in a room': { ...nobody, orgId, principalId: member, roomKey: project },
    session: { ...nobody, orgId, principalId: member, sessionId, roomKey: 'general' },
    'guest in the named room': { ...nobody, orgId, principalId: guest, roomKey: 'general' },
    'guest in the project room': { ...nobody, orgId, principalId: guest, roomKey: project },
    delegate: { ...nobody, orgId, principalId: helper, delegateId, roomKey: project },
    'delegate in the named room': { ...nobody, orgId, principalId: helper, delegateId, roomKey: 'general' },
    'project key': { ...nobody, orgId, projectKeyProjectId: project },
    'project key in its room': { ...nobody, orgId, projectKeyProjectId: project, roomKey: project },
    'platform admin': { ...nobody, orgId },
  } satisfies Record<string, AuthorityEntry>;
  return { orgId, member, guest, helper, project, other, sessionId, grantId, delegateId, entries };
}
type Seed = Awaited<ReturnType<typeof seed>>;
type Who = keyof Seed['entries'];

const everybody = [
  'member',
  'member in a room',
  'session',
  'guest in the named room',
  'guest in the project room',
  'delegate',
  'delegate in the named room',
  'project key',
  'project key in its room',
  'platform admin',
] as const satisfies readonly Who[];

test.each<[string, readonly Who[], (seeded: Seed) => readonly [string, readonly unknown[]]]>([
  ['nothing', [], () => ['select 1', []]],
  [
    'a revoked membership',
    ['member', 'member in a room', 'session'],
    ({ orgId }) => [`update memberships set status = 'revoked' where org_id = $1`, [orgId]],
  ],
  [
    'a suspended membership',
    ['member', 'member in a room', 'session'],
    ({ orgId }) => [`update memberships set status = 'suspended' where org_id = $1`, [orgId]],
  ],
  [
    'a disabled principal',
    ['member', 'member in a room', 'session'],
    ({ member }) => ['update principals set disabled_at = now() where id = $1', [member]],
  ],
  [
    'a disabled delegate principal',
    ['delegate', 'delegate in the named room'],
    ({ helper }) => ['update principals set disabled_at = now() where id = $1', [helper]],
  ],
  [
    'a revoked session',
    ['session'],
    ({ sessionId }) => ['update sessions set revoked_at = now() where id = $1', [sessionId]],
  ],
  [
    'a session past its absolute end',
    ['session'],
    ({ sessionId }) => [`update sessions set absolute_expires_at = now() - interval '1 s' where id = $1`, [sessionId]],
  ],
  [
    'a session without use',
    ['session'],
    ({ sessionId }) => [`update sessions set last_used_at = now() - interval '32 minutes' where id = $1`, [sessionId]],
  ],
  [
    'a revoked delegate',
    ['delegate', 'delegate in the named room'],
    ({ delegateId }) => ['update delegates set revoked_at = now() where id = $1', [delegateId]],
  ],
  [
    'an expired delegate',
    ['delegate', 'delegate in the named room'],
    ({ delegateId }) => [`update delegates set expires_at = now() - interval '1 s' where id = $1`, [delegateId]],
  ],
  [
    'a revoked grant',
    ['guest in the named room', 'guest in the project room', 'delegate', 'delegate in the named room'],
    ({ grantId }) => ['update project_grants set revoked_at = now() where id = $1', [grantId]],
  ],
  [
    'an expired grant',
    ['guest in the named room', 'guest in the project room', 'delegate', 'delegate in the named room'],
    ({ grantId }) => [`update project_grants set expires_at = now() - interval '1 s' where id = $1`, [grantId]],
  ],
  [
    'a grant moved to another project',
    ['guest in the project room'],
    ({ grantId, other }) => ['update project_grants set project_id = $2 where id = $1', [grantId, other]],
  ],
  [
    'a deleted project',
    [
      'member in a room',
      'guest in the project room',
      'delegate',
      'delegate in the named room',
      'project key',
      'project key in its room',
    ],
    ({ project }) => ['update projects set deleted_at = now() where id = $1', [project]],
  ],
  ['another project deleted', [], ({ other }) => ['update projects set deleted_at = now() where id = $1', [other]]],
])('%s ends exactly what rests on it', async (_change, expected, change) => {
  const watch = startWatch();
  const seeded = await seed();
  const lost: string[] = [];
  for (const who of everybody) watch.watch(seeded.entries[who], (reason) => lost.push(`${who} ${reason}`));
  await watch.recheck();
  expect(lost).toEqual([]);
  await db.pool.query(...(change(seeded) as [string, unknown[]]));
  await watch.recheck();
  expect(lost).toEqual(expected.map((who) => `${who} revoked`));
  // Once is enough.
  await watch.recheck();
  expect(lost).toHaveLength(expected.length);
});

test('a grant is no membership: it opens rooms, not the organization', async () => {
  const watch = startWatch();
  const { entries, orgId, guest } = await seed();
  const lost: string[] = [];
  watch.watch({ ...nobody, orgId, principalId: guest }, (reason) => lost.push(reason));
  watch.watch(entries['guest in the named room'], () => lost.push('wrong'));
  await watch.recheck();
  expect(lost).toEqual(['revoked']);
});

test('what is nowhere in the database has no right', async () => {
  const watch = startWatch();
  const { orgId, member, project } = await seed();
  const absent: AuthorityEntry[] = [
    { ...nobody, orgId, principalId: newId('prn') },
    { ...nobody, orgId, principalId: member, sessionId: newId('ses') },
    { ...nobody, orgId, principalId: member, delegateId: randomUUID() },
    { ...nobody, orgId, projectKeyProjectId: newId('prj') },
    { ...nobody, orgId, principalId: member, roomKey: newId('prj') },
    { ...nobody, orgId: randomUUID(), principalId: member },
    { ...nobody, orgId: (await seed()).orgId, projectKeyProjectId: project },
    { ...nobody, orgId: randomUUID() },
  ];
  const lost: number[] = [];
  for (const [index, entry] of absent.entries()) watch.watch(entry, () => lost.push(index));
  await watch.recheck();
  expect(lost).toEqual(absent.map((_, index) => index));
});

test('a hundred watched rights cost one statement, and none watched cost none', async () => {
  const watch = startWatch();
  await watch.recheck();
  const seeded = await Promise.all(Array.from({ length: 10 }, seed));
  const all = seeded.flatMap(({ entries }) => Object.values<AuthorityEntry>(entries)).slice(0, 100);
  const lost: unknown[] = [];
  const stops = all.map((entry) => watch.watch(entry, (reason) => lost.push(reason)));
  statements.length = 0;
  await watch.recheck();
  expect(statements).toHaveLength(1);
  expect(lost).toEqual([]);
  for (const stop of stops) stop();
  await watch.recheck();
  expect(statements).toHaveLength(1);
});

test('many who rest on the same right are asked for once and all told', async () => {
  const asked: (readonly unknown[])[] = [];
  const counting: typeof db = {
    ...db,
    rows: (asking) => {
      asked.push(asking.values);
      return db.rows(asking);
    },
  };
  const watch = startWatch({ db: counting });
  const { entries, orgId } = await seed();
  let told = 0;
  for (let socket = 0; socket < 50; socket++) watch.watch({ ...entries.member }, () => told++);
  await db.pool.query(`update memberships set status = 'revoked' where org_id = $1`, [orgId]);
  await watch.recheck();
  expect(told).toBe(50);
  expect(asked.map(([orgIds]) => orgIds)).toEqual([[orgId]]);
});

test('rights are looked at again and again without being asked', async () => {
  const watch = startWatch({ everyMs: 5 });
  const { entries, orgId } = await seed();
  const lost = new Promise((resolve) => watch.watch(entries.member, resolve));
  await db.pool.query(`update memberships set status = 'revoked' where org_id = $1`, [orgId]);
  expect(await lost).toBe('revoked');
});

test('a recheck sees what was changed before it was asked for, even while another is underway', async () => {
  // The first look has its answer already, but has not handed it on.
  const gate = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const slow: typeof db = {
    ...db,
    rows: async (asking) => {
      const rows = await db.rows(asking);
      answered.resolve();
      await gate.promise;
      return rows;
    },
  };
  const watch = startWatch({ db: slow });
  const { entries, orgId } = await seed();
  const lost: string[] = [];
  watch.watch(entries.member, (reason) => lost.push(reason));
  const underway = watch.recheck();
  await answered.promise;
  await db.pool.query(`update memberships set status = 'revoked' where org_id = $1`, [orgId]);
  const asked = [watch.recheck(), watch.recheck()];
  statements.length = 0;
  gate.resolve();
  await Promise.all([underway, ...asked]);
  expect(lost).toEqual(['revoked']);
  // Whoever asks meanwhile shares one look.
  expect(statements).toHaveLength(1);
});

test('a credential ends when it expires, and never inside the call that watches it', async () => {
  const watch = startWatch();
  const { entries } = await seed();
  const reasons: string[] = [];
  const ended = (expiresAt: Date) =>
    new Promise((resolve) => watch.watch({ ...entries.session, expiresAt }, (reason) => resolve(reasons.push(reason))));
  const both = [ended(new Date(0)), ended(new Date(Date.now() + 20))];
  expect(reasons).toEqual([]);
  await Promise.all(both);
  expect(reasons).toEqual(['expired', 'expired']);
});

test('a credential that lasts longer than a timer can run is not cut short', async () => {
  const watch = startWatch();
  const { entries } = await seed();
  const lost: string[] = [];
  const warnings: Error[] = [];
  const warn = (warning: Error) => void warnings.push(warning);
  process.on('warning', warn);
  cleanups.push(() => process.off('warning', warn));
  watch.watch({ ...entries.session, expiresAt: new Date(Date.now() + 365 * 24 * hour) }, (reason) => lost.push(reason));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(lost).toEqual([]);
  expect(warnings).toEqual([]);
});

test('whoever stopped watching is not told', async () => {
  const watch = startWatch();
  const { entries, orgId } = await seed();
  const lost: string[] = [];
  const expiresAt = new Date(Date.now() + 5);
  watch.watch({ ...entries.member, expiresAt }, (reason) => lost.push(reason))();
  await db.pool.query(`update memberships set status = 'revoked' where org_id = $1`, [orgId]);
  await watch.recheck();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(lost).toEqual([]);
});

test('one listener that fails does not keep the others from being told', async () => {
  const watch = startWatch();
  const { entries, orgId } = await seed();
  const lost: string[] = [];
  watch.watch(entries.member, () => {
    throw new Error('socket is gone');
  });
  watch.watch(entries.member, (reason) => lost.push(reason));
  await db.pool.query(`update memberships set status = 'revoked' where org_id = $1`, [orgId]);
  await watch.recheck();
  expect(lost).toEqual(['revoked']);
});

test('an outage of the database throws nobody out, and is made up for afterwards', async () => {
  const route = await startPgProxy(control.url);
  cleanups.push(() => route.close());
  const flaky = openDatabase({ url: route.url, waitMs: 200 });
  cleanups.push(() => flaky.close());
  const lines: string[] = [];
  const heard = pino({}, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  const watch = startWatch({ db: flaky, log: heard, everyMs: 5 });
  const { entries, orgId } = await seed();
  const reasons: string[] = [];
  const lost = new Promise((resolve) => watch.watch(entries.member, (reason) => resolve(reasons.push(reason))));
  await watch.recheck();
  route.cut();
  await db.pool.query(`update memberships set status = 'revoked' where org_id = $1`, [orgId]);
  await watch.recheck();
  await watch.recheck();
  expect(reasons).toEqual([]);
  route.mend();
  await lost;
  expect(reasons).toEqual(['revoked']);
  expect(lines).toEqual([
    'the rights of open subscriptions cannot be checked; trying again',
    'the rights of open subscriptions are checked again',
  ]);
});

test.each([
  ['an organization', { orgId: 'acme' }],
  ['a delegate', { delegateId: 'dave' }],
  ['a room', { roomKey: 'a\0b' }],
])('%s that no column can hold is refused, so that it cannot spoil the check of the others', (_what, wrong) => {
  const watch = startWatch();
  expect(() => watch.watch({ ...nobody, orgId: randomUUID(), ...wrong }, () => {})).toThrow(TypeError);
});
