import { readFile } from 'node:fs/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, expect, test } from 'vitest';
import { createControlDatabase } from '../helpers/control-database.ts';
import { argumentsOf } from '../helpers/programs.ts';
import { asProcess, terminal } from './command.ts';

const control = await createControlDatabase();
const ada = await terminal(undefined, asProcess());
afterAll(async () => {
  await ada.remove();
  await control.drop();
});

test('svc dev starts a gateway, svc mcp serves a model from it, and both end when they are asked to', async () => {
  const folder = `${ada.checkout}/data`;
  const dev = ada.streamWith({ DATABASE_URL: control.url, LOG_LEVEL: 'warn' })(
    'dev',
    '--port',
    '0',
    '--data-dir',
    folder,
  );
  await expect.poll(() => dev.lines()).toHaveLength(1);
  const [{ api_base, data_dir }] = dev.lines();
  expect(data_dir).toBe(folder);
  // The text for people says where things are; with the key of its file one is the platform admin.
  const adminKey = (await readFile(`${folder}/admin.key`, 'utf8')).trim();
  await expect.poll(() => dev.stderr()).toContain(`Admin key      ${adminKey}   (kept in ${folder}/admin.key)`);
  expect(dev.stderr()).toContain(`Console        ${api_base}/console`);
  const asAdmin = ada.with({ SVC_API_BASE: api_base, SVC_ADMIN_KEY: adminKey });
  expect((await asAdmin('admin', 'outbox')).json).toMatchObject({ mails: [] });
  const inGateway = ada.with({ SVC_API_BASE: api_base });
  expect((await inGateway('init')).json).toMatchObject({
    reachable: true,
    next_step: 'svc org create --name "My team"',
  });
  expect((await inGateway('service', 'status')).json).toMatchObject({
    schema: 'svc-status-v1',
    status: 'ok',
    deployment: { version: expect.any(String) },
  });
  expect((await inGateway('service', 'health')).json).toMatchObject({ status: 'healthy', checks: { database: 'ok' } });
  expect((await inGateway('doctor', '--only', 'api_reachable')).json.checks[0]).toMatchObject({
    status: 'ok',
    value: { status: 'ok', version: expect.any(String) },
  });

  // As the program that hosts a model starts it.
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...argumentsOf('svc'), 'mcp'],
    cwd: ada.checkout,
    env: { PATH: process.env.PATH!, SVC_CONFIG_DIR: ada.config, SVC_API_BASE: api_base, SVC_MCP_PROFILE: 'all' },
  });
  const model = new Client({ name: 'test', version: '1' });
  await model.connect(transport);
  const tools = (await model.listTools()).tools.map(({ name }) => name);
  expect(tools).toEqual(expect.arrayContaining(['whoami', 'send_room_message', 'allowance_status']));
  const address = (await inGateway('allowance', 'export')).json.address;
  const status = await model.callTool({ name: 'allowance_status', arguments: {} });
  expect(JSON.stringify(status)).toContain(address);
  const who = await model.callTool({ name: 'whoami', arguments: {} });
  expect(JSON.stringify(who)).toContain(address.toLowerCase());
  await model.close();

  expect((await dev.stop()).code).toBe(0);
  expect((await inGateway('service', 'health')).error.code).toBe('NETWORK_ERROR');
});

test('a gateway does not outlive the svc dev that is killed', async () => {
  const env = { DATABASE_URL: control.url, LOG_LEVEL: 'warn' };
  const dev = ada.streamWith(env)('dev', '--port', '0', '--data-dir', `${ada.checkout}/data`);
  await expect.poll(() => dev.lines()).toHaveLength(1);
  const [{ api_base, pid }] = dev.lines();
  const orphan = ada.with({ SVC_API_BASE: api_base });
  expect((await orphan('service', 'health')).json).toMatchObject({ status: 'healthy' });
  await dev.kill();
  const isThere = () => {
    try {
      // The group: npm, and what it started.
      return process.kill(-pid, 0);
    } catch {
      return false;
    }
  };
  await expect.poll(isThere).toBe(false);
  expect((await orphan('service', 'health')).error.code).toBe('NETWORK_ERROR');
});

test('a data folder that cannot be used is told of by the flag that names it', async () => {
  const taken = await ada.file('taken', '');
  const refused = await ada.with({ DATABASE_URL: control.url })('dev', '--port', '0', '--data-dir', taken);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('set --data-dir to a folder of yours');
  expect(refused.stderr).not.toContain('SVC_DATA_DIR');
  expect(refused.stderr).toContain('The gateway ended before it served');
});

test('where there is no gateway to start, dev says so', async () => {
  expect((await ada.with({ SVC_GATEWAY_DIR: ada.checkout })('dev')).error.code).toBe('FILE_NOT_FOUND');
});
