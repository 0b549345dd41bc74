import { afterAll, expect, test } from 'vitest';
import { createControlDatabase } from '../helpers/control-database.ts';
import { terminal } from './command.ts';

const control = await createControlDatabase();
const ada = await terminal();
afterAll(async () => {
  await ada.remove();
  await control.drop();
});

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

test('svc dev starts a gateway, svc mcp serves a model from it, and both end when they are asked to', async () => {
  const folder = `${ada.checkout}/data`;
  const dev = ada.streamWith({ DATABASE_URL: control.url, LOG_LEVEL: 'warn' })(
    'dev',
    '--port',
    '0',
    '--data-dir',
    folder,
  );
  await expect.poll(() => dev.lines(), { timeout: 150_000 }).toHaveLength(1);
  const [{ api_base }] = dev.lines();
  const inGateway = ada.with({ SVC_API_BASE: api_base });
  expect((await inGateway('init')).json).toMatchObject({
    reachable: true,
    next_step: 'svc org create --name "My team"',
  });
  expect((await inGateway('service', 'status')).json).toMatchObject({ ready: true });

  const lines = [
    initialize,
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'allowance_status', arguments: {} } },
  ];
  const input = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const spoken = await ada.with({ SVC_API_BASE: api_base, SVC_MCP_PROFILE: 'all' }, input)('mcp');
  const answers = spoken.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  const tools = answers.find(({ id }) => id === 2)?.result.tools.map(({ name }: { name: string }) => name);
  expect(tools).toEqual(expect.arrayContaining(['whoami', 'send_room_message', 'allowance_status']));
  const address = (await inGateway('allowance', 'export')).json.address;
  expect(JSON.stringify(answers.find(({ id }) => id === 3))).toContain(address);

  expect((await dev.stop()).code).toBe(0);
  expect((await inGateway('service', 'health')).error.code).toBe('NETWORK_ERROR');
}, 240_000);

test('where there is no gateway to start, dev says so', async () => {
  expect((await ada.with({ SVC_GATEWAY_DIR: ada.checkout })('dev')).error.code).toBe('FILE_NOT_FOUND');
});
