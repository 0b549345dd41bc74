import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { slugFee } from '../../resolvers/orgs/shared/claim-slug.ts';
import type { Actor } from '../helpers/actors.ts';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { until } from '../helpers/until.ts';

const service = await sharedService();
afterAll(() => service.stop());
const call = documentedCalls(service);

const fee = Number(slugFee);
const newSlug = () => `s-${randomUUID().slice(0, 18)}`;

const claim = (actor: Actor, orgId: string, slug: string, key: string = randomUUID()) =>
  call(actor, 'POST', `/orgs/v1/${orgId}/slug`, { body: { slug }, headers: { 'idempotency-key': key } });

async function payer(amount = fee) {
  const owner = await service.owner();
  const body = { amount_usd_micros: amount };
  await call(service.actors.admin, 'POST', `/orgs/v1/admin/${owner.orgId}/credits`, { body });
  return owner;
}

const available = async (orgId: string) =>
  (await call(service.actors.admin, 'GET', `/orgs/v1/${orgId}/billing`)).body.available_usd_micros;
const currentOf = async (orgId: string) =>
  (
    await service.control.sql<{ slug: string }>(
      'select slug from org_slugs where org_id = $1 and released_at is null',
      [orgId],
    )
  ).map(({ slug }) => slug);

test('of twenty organizations that claim one slug at once one has it and pays, and nineteen keep their money', async () => {
  const payers = await Promise.all(Array.from({ length: 20 }, () => payer()));
  const slug = newSlug();
  const answers = await Promise.all(payers.map(({ wallet, orgId }) => claim(wallet, orgId, slug)));
  const won = answers.filter(({ status }) => status === 201);
  expect(won).toHaveLength(1);
  for (const answer of answers.filter(({ status }) => status !== 201)) expectRefusal(answer, 'SLUG_TAKEN', { slug });
  for (const { orgId } of payers) {
    const winner = orgId === won[0]!.body.org_id;
    expect(await available(orgId)).toBe(winner ? 0 : fee);
    expect(await currentOf(orgId)).toEqual(winner ? [slug] : []);
  }
});

test('when the first in line cannot pay, the slug goes to the next', async () => {
  const slug = newSlug();
  const poor = await Promise.all(Array.from({ length: 10 }, () => payer(fee - 1)));
  const rich = await payer();
  const answers = await Promise.all([...poor, rich].map(({ wallet, orgId }) => claim(wallet, orgId, slug)));
  expect(answers.at(-1)!.status).toBe(201);
  for (const answer of answers.slice(0, -1)) {
    expect(['INSUFFICIENT_FUNDS', 'SLUG_TAKEN']).toContain((answer.body as { code: string }).code);
  }
  expect(await currentOf(rich.orgId)).toEqual([slug]);
});

test('twenty claims of one organization pay once, with keys of their own and with the same one', async () => {
  const { wallet, orgId } = await payer(fee * 3);
  const slug = newSlug();
  const answers = await Promise.all(Array.from({ length: 20 }, () => claim(wallet, orgId, slug)));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
  expect(await available(orgId)).toBe(fee * 2);

  const other = await payer(fee * 3);
  const [key, same] = [randomUUID(), newSlug()];
  const replies = await Promise.all(Array.from({ length: 20 }, () => claim(other.wallet, other.orgId, same, key)));
  for (const reply of replies) expect([reply.status, reply.body]).toEqual([201, replies[0]!.body]);
  expect(await available(other.orgId)).toBe(fee * 2);
});

test('twenty renames at once pay once, let three slugs rest and leave exactly one current', async () => {
  const { wallet, orgId } = await payer(fee * 3);
  const slugs = Array.from({ length: 20 }, newSlug);
  const answers = await Promise.all(slugs.map((slug) => claim(wallet, orgId, slug)));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(3).fill(200), 201, ...Array(16).fill(403)]);
  for (const answer of answers.filter(({ status }) => status === 403)) {
    expectRefusal(answer, 'QUOTA_EXCEEDED', { metric: 'slugs', limit: 3, used: 3 });
  }
  const current = await currentOf(orgId);
  expect(current).toHaveLength(1);
  expect((await call(wallet, 'GET', `/orgs/v1/${orgId}`)).body.slug).toBe(current[0]);
  expect(await available(orgId)).toBe(fee * 2);
  // Each rename names the one before it: no two went from the same.
  const before = answers.filter(({ status }) => status < 300).map(({ body }) => body.previous_slug);
  expect(new Set(before).size).toBe(4);
});

test('two organizations that take each other’s slugs by turns never wait for one another for ever', async () => {
  const [left, right] = [await payer(), await payer()];
  const [a, b] = [newSlug(), newSlug()];
  await claim(left.wallet, left.orgId, a);
  await claim(right.wallet, right.orgId, b);
  for (let turn = 0; turn < 10; turn++) {
    const answers = await Promise.all([claim(left.wallet, left.orgId, b), claim(right.wallet, right.orgId, a)]);
    for (const answer of answers) expectRefusal(answer, 'SLUG_TAKEN');
  }
  expect([await currentOf(left.orgId), await currentOf(right.orgId)]).toEqual([[a], [b]]);
});

test('an owner who is put out while the claim waits claims nothing', async () => {
  const { wallet, orgId, principalId } = await payer();
  const slug = newSlug();
  let claiming: ReturnType<typeof claim>;
  // Holds the organization as another change would, and takes the owner's place away before letting go.
  const holder = await service.app.services.db.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select 1 from orgs where id = $1 for update', [orgId]);
    claiming = claim(wallet, orgId, slug);
    const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    await until(async () => expect(await service.control.sql(waiting)).not.toEqual([]));
    await holder.query(`update memberships set role = 'viewer' where org_id = $1 and principal_id = $2`, [
      orgId,
      principalId,
    ]);
    await holder.query('commit');
  } finally {
    holder.release();
  }
  expectRefusal(await claiming, 'NOT_AUTHORIZED', { reason: 'forbidden' });
  expect(await currentOf(orgId)).toEqual([]);
  expect(await available(orgId)).toBe(fee);
});
