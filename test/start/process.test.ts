import { afterAll, expect, test } from 'vitest';
import { createControlDatabase } from '../helpers/control-database.ts';
import { killGateways, startGateway, temporaryFolder, tryGateway } from '../helpers/gateway-process.ts';
import { openSocket } from '../helpers/graphql-ws-client.ts';
import { until } from '../helpers/until.ts';
import { createWallet } from '../helpers/wallet.ts';

const control = await createControlDatabase();
const folder = await temporaryFolder();
afterAll(async () => {
  await killGateways();
  await control.drop();
  await folder.remove();
});
const where = { databaseUrl: control.url, dataDir: folder.path };

test('a gateway starts again after a kill, sends its sockets away when it is asked to stop, and ends with 0', async () => {
  const first = await startGateway(where);
  const wallet = createWallet();
  const made = await first.call<{ org_id: string }>(first.as(wallet), 'POST', '/orgs/v1', { body: {} });
  expect(made.status).toBe(201);
  await first.kill();

  const second = await startGateway(where);
  expect((await fetch(`${second.url}/readyz`)).status).toBe(200);
  const room = `/orgs/v1/${made.body.org_id}/rooms/hall/messages`;
  await second.call(second.as(wallet), 'POST', room, { body: { body: 'hi' } });
  const socket = openSocket(second.url, wallet);
  const events = socket.follow({ org: made.body.org_id, room: 'hall' });
  expect(await events.next()).toMatchObject({ value: { data: { roomMessages: { message: { body: 'hi' } } } } });
  const rest = events.next().catch(() => undefined);
  expect(await second.stop()).toBe(0);
  await until(() => expect(socket.closes()).toContain(1001));
  await rest;
  expect(second.stderr()).toBe('');
});

test('settings that are wrong are refused by name, before anything is opened', async () => {
  const refused = await tryGateway({ ...where, env: { PORT: '70000', SVC_SECRET_KEY: 'hush' } });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/PORT must be .*SVC_SECRET_KEY must be /s) });
  expect('stderr' in refused && typeof refused.stderr === 'string' && refused.stderr).not.toContain('hush');
});
