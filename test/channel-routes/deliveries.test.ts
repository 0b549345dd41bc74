import { afterAll, expect, test } from 'vitest';
import { tell } from '../events/feed.ts';
import { moment } from '../helpers/documented.ts';
import { startRelay } from '../helpers/nostr-relay.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { channelDoor } from './channel-door.ts';

// Two gateways on one database: whatever is told is told by either of them.
const relay = await startRelay();
const service = await startService({ nodes: 2, env: { WEBHOOK_ORIGINS: relay.origin } });
afterAll(async () => {
  await service.stop();
  await relay.stop();
});
const { control } = service;
const { routed, lookAgain } = channelDoor(service, relay);

const deployed = (at: { orgId: string; projectId: string }, release: string) =>
  tell(service, {
    orgId: at.orgId,
    projectId: at.projectId,
    type: 'deploy_activated',
    payload: { release_id: release, operation_id: 'op_1' },
  });

const releasesIn = (channel: string) => relay.in(channel).map(({ content }) => /rel_\w+/.exec(content)![0]);

test('two nodes and a relay that fails every third time: each event is told once, whatever is sent again as the very same bytes', async () => {
  const ada = await routed();
  // In turn it loses the message, loses its answer, and says that it cannot just now.
  let failed = 0;
  relay.behave((_event, attempt) => {
    if (attempt % 3 !== 0) return 'take';
    failed += 1;
    return (['drop', 'take and drop', { refuse: 'error: not now' }] as const)[failed % 3]!;
  });
  const wanted = Array.from({ length: 24 }, (_one, at) => `rel_${String(at).padStart(2, '0')}`);
  await Promise.all(wanted.map((release) => deployed(ada, release)));
  await until(async () => {
    await lookAgain(ada.routeId);
    expect(await ada.shown()).toMatchObject({ delivery_counts: { delivered: wanted.length, queued: 0, retryable: 0 } });
  });
  relay.behave(() => 'take');
  expect(failed).toBeGreaterThan(5);
  expect(releasesIn(ada.channel).toSorted()).toEqual(wanted);
  // Whatever was sent again was the same, byte for byte.
  const texts = Map.groupBy(
    relay.sent.filter(({ event }) => event.tags[0]![1] === ada.channel),
    ({ event }) => event.id,
  );
  expect(texts.size).toBe(wanted.length);
  for (const sendings of texts.values()) expect(new Set(sendings.map(({ text }) => text)).size).toBe(1);
});

test('a message that is refused is tried again after 1 m, 5 m, 30 m, 2 h and 12 h, and given up after eight attempts', async () => {
  const ada = await routed();
  relay.behave(() => ({ refuse: 'error: not now' }));
  await ada.ask('POST', `${ada.route}/test`, {});
  const pauses: number[] = [];
  for (let attempt = 1; attempt <= 8; attempt += 1) {
    const [one] = await until(async () => {
      const found = await ada.deliveries();
      expect(found[0].attempt_count).toBe(attempt);
      return found;
    });
    if (one.next_attempt_at === null) expect(one).toMatchObject({ status: 'dead_letter', terminal_at: moment });
    else {
      const [row] = await control.sql<{ seconds: number }>(
        `select extract(epoch from next_attempt_at - now())::float8 as seconds from channel_deliveries where id = $1`,
        [one.channel_route_delivery_id],
      );
      pauses.push(row!.seconds);
      await lookAgain(ada.routeId);
    }
  }
  relay.behave(() => 'take');
  const planned = [60, 300, 1_800, 7_200, 43_200, 43_200, 43_200];
  expect(pauses).toHaveLength(planned.length);
  for (const [at, seconds] of planned.entries()) expect(Math.abs(pauses[at]! - seconds)).toBeLessThan(50);
  expect((await ada.deliveries())[0]).toMatchObject({ last_error: 'The relay said: error: not now' });
});

test('a message is given up two days after it was queued, however often it was tried', async () => {
  const ada = await routed();
  relay.behave(() => 'drop');
  await ada.ask('POST', `${ada.route}/test`, {});
  await until(async () => expect((await ada.deliveries())[0].attempt_count).toBe(1));
  await control.sql(`update channel_deliveries set armed_at = now() - interval '48 hours' where route_id = $1`, [
    ada.routeId,
  ]);
  await lookAgain(ada.routeId);
  await until(async () =>
    expect((await ada.deliveries())[0]).toMatchObject({ status: 'dead_letter', attempt_count: 2 }),
  );
  relay.behave(() => 'take');
});

test('ten refusals one after the other pause a route, its owner is told by mail, and resuming goes on with what waits', async () => {
  const ada = await routed();
  const email = `${crypto.randomUUID()}@example.com`;
  await service.call(ada.wallet, 'POST', '/agent/v1/contact', { body: { name: 'Ada', email } });
  await control.sql('update operator_contacts set email_verified_at = now() where email = $1', [email]);
  // Refusals that pass do not count, and one that is taken begins anew.
  relay.behave((_event, attempt) => (attempt % 2 === 0 ? 'drop' : { refuse: 'error: not now' }));
  for (let at = 0; at < 12; at += 1) await deployed(ada, `rel_a${String(at)}`);
  await lookAgain(ada.routeId);
  await until(async () => expect(await ada.shown()).toMatchObject({ delivery_counts: { retryable: 12 } }));
  expect(await ada.shown()).toMatchObject({ status: 'active', consecutive_hard_failures: 0 });
  relay.behave(() => ({ refuse: 'blocked: go away' }));
  await lookAgain(ada.routeId);
  await until(async () =>
    expect(await ada.shown()).toMatchObject({
      status: 'paused',
      pause_reason: 'delivery_failures',
      consecutive_hard_failures: 10,
    }),
  );
  const events = await ada.ask('GET', `/orgs/v1/${ada.orgId}/events?event_type=channel_route_auto_paused`);
  expect(events.body.events).toMatchObject([
    {
      class: 'security',
      payload: {
        route_id: ada.routeId,
        route_name: 'deploys',
        consecutive_hard_failures: 10,
        pause_reason: 'delivery_failures',
      },
    },
  ]);
  await until(async () =>
    expect(
      await control.sql(`select subject from mail_outbox where recipient = $1 and subject like '%channel%'`, [email]),
    ).toHaveLength(1),
  );
  relay.behave(() => 'take');
  expect((await ada.ask('POST', `${ada.route}/resume`, {})).body).toMatchObject({
    status: 'active',
    consecutive_hard_failures: 0,
  });
  await until(async () =>
    expect(await ada.shown()).toMatchObject({ delivery_counts: { delivered: 12, retryable: 0 } }),
  );
  expect(new Set(releasesIn(ada.channel)).size).toBe(12);
});

test('no secret key is in an answer, an event, the audit or the log', async () => {
  const ada = await routed();
  await ada.ask('POST', `${ada.route}/rotate`, {});
  await ada.ask('POST', `${ada.route}/test`, {});
  await until(async () => expect((await ada.deliveries())[0].status).toBe('delivered'));
  const { openKey } = await import('../../resolvers/channel-routes/signing-keys.ts');
  const [key] = await control.sql<{ id: string; generation: number; sealed: Buffer; next_sealed: Buffer }>(
    'select id, generation, sealed, next_sealed from channel_keys where org_id = $1',
    [ada.orgId],
  );
  const secrets = [
    openKey(service.app.services, key!)!,
    openKey(service.app.services, { ...key!, sealed: key!.next_sealed, generation: 2 })!,
  ].map((secret) => secret.toString('hex'));
  const seen = [
    JSON.stringify(service.logged()),
    JSON.stringify(await control.sql('select to_jsonb(audit_events) as row from audit_events')),
    JSON.stringify(await control.sql('select to_jsonb(channel_deliveries) as row from channel_deliveries')),
    JSON.stringify(await ada.shown()),
    JSON.stringify(ada.made.body),
  ].join('\n');
  for (const secret of secrets) expect(seen).not.toContain(secret);
});
