import { afterAll, expect, test } from 'vitest';
import { startRelay } from '../helpers/nostr-relay.ts';
import { startService } from '../helpers/service.ts';
import { terminalWithRoute } from './channel-stage.ts';
import { asProcess, terminal } from './command.ts';

const relay = await startRelay();
const service = await startService({ env: { WEBHOOK_ORIGINS: relay.origin } });
const ada = await terminalWithRoute(service, relay);
afterAll(async () => {
  await ada.remove();
  await service.stop();
  await relay.stop();
});

test('test --wait ends well when the channel was told', async () => {
  const made = await ada.configure();
  await ada.join(made);
  expect(await ada.route('test', made.id, '--wait')).toMatchObject({
    code: 0,
    json: { kind: 'test', status: 'delivered', attempt_count: 1 },
  });
  expect(relay.in(made.channel)).toHaveLength(1);
});

test('test --wait ends with 1 when nothing will be told any more', async () => {
  const made = await ada.configure();
  await ada.join(made);
  relay.behave(({ tags }) => (tags[0]![1] === made.channel ? { refuse: 'error: later' } : 'take'));
  const waiting = ada.route('test', made.id, '--wait');
  await expect
    .poll(async () => (await ada.route('deliveries', made.id)).json.channel_route_deliveries)
    .toMatchObject([{ attempt_count: 1 }]);
  await ada.route('revoke', made.id, '--confirm');
  expect(await waiting).toMatchObject({ code: 1, json: { kind: 'test', status: 'cancelled' } });
});

test('test --wait ends with 2 when nothing has come of it in three minutes', async () => {
  const made = await ada.configure();
  // A process whose every second is a minute.
  const fast = 'const now = performance.now.bind(performance); performance.now = () => now() * 60';
  const preload = `--import=data:text/javascript,${encodeURIComponent(fast)}`;
  const hurried = await terminal(service.url, [preload, ...asProcess()]);
  const waited = await hurried.with({ SVC_CONFIG_DIR: ada.config })('channel-route', 'test', made.id, '--wait');
  await hurried.remove();
  expect(waited).toMatchObject({ code: 2, json: { kind: 'test', status: 'queued' } });
});
