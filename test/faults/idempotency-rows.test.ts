import { afterAll, expect, test } from 'vitest';
import type { ErrorEnvelope } from '../../core/errors.ts';
import { startService } from '../helpers/service.ts';

const service = await startService();
afterAll(() => service.stop());
const { call, control } = service;

const keyed = (key: string, body: object) => ({ body, headers: { 'idempotency-key': key } });

test('a replay writes nothing, not even another version of the row it reads', async () => {
  const { wallet, orgId } = await service.owner();
  const send = () => call(wallet, 'POST', `/orgs/v1/${orgId}/rooms/hall/messages`, keyed('still', { body: 'once' }));
  const version = () =>
    control.sql(`select ctid::text, xmin::text, xmax::text from idempotency_keys where key = 'still'`);
  const first = await send();
  const written = await version();
  for (let again = 0; again < 3; again++) expect((await send()).body).toEqual(first.body);
  expect(await version()).toEqual(written);
});

test('a room is locked for the message alone: with a key, too, nothing comes between it and the commit', async () => {
  const { wallet, orgId } = await service.owner();
  const path = `/orgs/v1/${orgId}/rooms/hall/messages`;
  await call(wallet, 'POST', path, keyed('first', { body: 'one' }));
  const sent = await service.statements(() =>
    call(wallet, 'POST', path, keyed('second', { body: 'two', session_key: 'another' })),
  );
  // A sender with a new session key gets a presence, which the feed of presences tells: the room comes last.
  const [joined, append] = sent.flatMap((text, at) => (/insert into "?feed_heads/.test(text) ? [at] : []));
  // Who is live is looked up for the answer, after the commit.
  expect(sent.slice(joined, sent.indexOf('commit', joined) + 1)).toEqual([sent[joined!], sent[append!], 'commit']);
  const stored = sent.findIndex((text) => text.includes('set "outcome"'));
  expect(stored).toBeGreaterThan(0);
  expect(stored).toBeLessThan(joined!);
});

test('a replayed message has the place in the room that it got the first time', async () => {
  const { wallet, orgId } = await service.owner();
  const path = `/orgs/v1/${orgId}/rooms/hall/messages`;
  const send = (key: string, body: string) =>
    call<{ cursor: string; message_id: string; live_presences: unknown[] }>(wallet, 'POST', path, keyed(key, { body }));
  const [one] = [await send('one', 'one'), await send('two', 'two'), await send('three', 'three')];
  const again = await send('one', 'one');
  // Who is live is told as of now.
  expect(again.body).toEqual({ ...one.body, live_presences: again.body.live_presences });
  const after = await call<{ messages: { body_snippet: string }[] }>(
    wallet,
    'GET',
    `${path}?cursor=${again.body.cursor}`,
  );
  expect(after.body.messages.map(({ body_snippet }) => body_snippet)).toEqual(['two', 'three']);
});

test('an outcome that another version of the server stored is a conflict that says so', async () => {
  const { wallet, orgId } = await service.owner();
  const path = `/orgs/v1/${orgId}/rooms/hall/messages`;
  const send = () => call<ErrorEnvelope>(wallet, 'POST', path, keyed('upgrade', { body: 'kept' }));
  expect((await send()).status).toBe(201);
  const [row] = await control.sql<{ scope: string; operation: string; outcome: Buffer }>(
    `select scope, operation, outcome from idempotency_keys where key = 'upgrade'`,
  );
  const { keys } = service.app.services;
  const bound = JSON.stringify([row!.scope, row!.operation, 'upgrade']);
  const plain = keys.open('stored-outcomes', row!.outcome, bound);
  plain[0]! += 1;
  await control.sql(`update idempotency_keys set outcome = $1 where key = 'upgrade'`, [
    keys.seal('stored-outcomes', plain, bound),
  ]);
  const { status, body } = await send();
  expect([status, body.code, body.retryable]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED', false]);
  expect(body.message).toMatch(/another version/);
  expect(body.details).toEqual({ reason: 'outcome_format' });
  expect(await control.sql('select 1 from room_messages where org_id = $1', [orgId])).toHaveLength(1);
});
