import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, expect, test } from 'vitest';
import { terminal } from './command.ts';

// No gateway is asked for any of this: none listens there.
const ada = await terminal('http://127.0.0.1:9');
afterAll(() => ada.remove());

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
const file = (name: string) => join(ada.config, 'profiles', name, 'allowance.json');

test('a wallet’s key stands in a file of its owner’s and is printed by no command', async () => {
  const made = await ada.svc('wallets', 'new', 'acme', '--use');
  expect(made.json).toMatchObject({ name: 'acme', in_use: true, file: file('acme') });
  expect(await modeOf(file('acme'))).toBe('600');
  expect(await modeOf(dirname(file('acme')))).toBe('700');
  const { privateKey, address } = JSON.parse(await readFile(file('acme'), 'utf8'));
  expect(privateKeyToAccount(privateKey).address).toBe(address);
  const said = [
    made,
    await ada.svc('wallets', 'list'),
    await ada.svc('allowance', 'export'),
    await ada.svc('allowance', 'status'),
  ];
  for (const { stdout, stderr } of said) {
    expect(stdout).toContain(address);
    expect(stdout + stderr).not.toContain(privateKey.slice(2));
  }
  expect((await ada.svc('wallets', 'new', 'acme')).error.code).toBe('WALLET_EXISTS');
  expect((await ada.svc('wallets', 'new', 'Not/a/name')).error.code).toBe('BAD_WALLET_NAME');
});

test('a key that others could have read, or that is a link elsewhere, is refused until that is mended', async () => {
  await ada.svc('wallets', 'new', 'open');
  await chmod(file('open'), 0o640);
  expect((await ada.svc('wallets', 'use', 'open')).error).toMatchObject({
    code: 'BAD_WALLET_FILE',
    details: { mode: '0640', wanted: '0600' },
  });
  await chmod(file('open'), 0o600);
  expect((await ada.svc('wallets', 'use', 'open')).code).toBe(0);
  await writeFile(file('open'), 'no wallet');
  const broken = await ada.svc('wallets', 'use', 'open');
  expect(broken.error.code).toBe('BAD_WALLET_FILE');
  expect(broken.stderr).not.toContain('no wallet"');
  await mkdir(join(ada.config, 'profiles', 'linked'));
  await writeFile(join(ada.config, 'elsewhere.json'), '{}', { mode: 0o644 });
  await symlink(join(ada.config, 'elsewhere.json'), file('linked'));
  // What the link leads to is what is judged.
  expect((await ada.with({ SVC_WALLET: 'linked' })('allowance', 'export')).error.code).toBe('BAD_WALLET_FILE');
});

test('a key is imported from a file or standard input, never from the command line', async () => {
  const key = generatePrivateKey();
  const { address } = privateKeyToAccount(key);
  const shown = await ada.svc('wallets', 'import', 'shown', '--key', key);
  expect(shown.error.code).toBe('BAD_PRIVATE_KEY');
  expect(shown.stderr).not.toContain(key.slice(2));
  expect((await ada.with({}, `${key}\n`)('wallets', 'import', 'piped', '--key', '-')).json).toMatchObject({ address });
  await ada.file('a.key', key.slice(2));
  expect((await ada.svc('wallets', 'import', 'filed', '--key', 'a.key')).json).toMatchObject({ address });
  expect((await ada.with({}, 'abc')('wallets', 'import', 'bad', '--key', '-')).error.code).toBe('BAD_PRIVATE_KEY');
  expect((await ada.svc('wallets', 'import', 'none', '--key', 'nothing.key')).error.code).toBe('FILE_NOT_FOUND');
});

test('the wallet is that of the flag, the environment, the checkout, and the one in use, in this order', async () => {
  await ada.svc('wallets', 'new', 'one');
  await ada.svc('wallets', 'new', 'two');
  await ada.svc('wallets', 'use', 'acme');
  expect((await ada.svc('wallets', 'current')).json.name).toBe('acme');
  expect((await ada.svc('wallets', 'bind', 'one')).json).toMatchObject({ wallet: 'one' });
  expect((await ada.svc('wallets', 'current')).json.name).toBe('one');
  const torn = await ada.with({ SVC_WALLET: 'two' })('wallets', 'current');
  expect(torn.error).toMatchObject({
    code: 'WALLET_SELECTION_CONFLICT',
    details: { environment: 'two', binding: 'one' },
  });
  expect((await ada.with({ SVC_WALLET: 'two' })('wallets', 'current', '--wallet', 'acme')).json.name).toBe('acme');
  expect((await ada.svc('--profile', 'two', 'wallets', 'current')).json.name).toBe('two');
  await ada.svc('wallets', 'unbind');
  expect((await ada.with({ SVC_PROFILE: 'two' })('wallets', 'current')).json.name).toBe('two');
});

test('a wallet is renamed and removed, but for the default one and the one in use', async () => {
  expect((await ada.svc('wallets', 'rename', 'two', '--to', 'three')).json).toEqual({ name: 'three', renamed: true });
  expect((await ada.svc('wallets', 'rm', 'three')).error.code).toBe('CONFIRMATION_REQUIRED');
  expect((await ada.svc('wallets', 'rm', 'three', '--yes')).json.removed).toBe(true);
  expect((await ada.svc('wallets', 'use', 'three')).error.code).toBe('WALLET_NOT_FOUND');
  expect((await ada.svc('wallets', 'rm', 'default', '--yes')).error.code).toBe('WALLET_PROTECTED');
  expect((await ada.svc('wallets', 'rm', 'acme', '--yes')).error.code).toBe('WALLET_PROTECTED');
  expect((await ada.svc('wallets', 'use', 'default')).error.code).toBe('WALLET_NOT_FOUND');
});

test('keys of projects are imported, told apart and forgotten', async () => {
  const project = ['--project', 'prj_given'];
  const keys = { anon_key: 'anon-key-of-a-project', service_key: 'service-key-of-a-project' };
  expect(
    (await ada.with({}, JSON.stringify(keys))('credentials', 'project-keys', 'import', '--file', '-', ...project)).json
      .imported,
  ).toBe(true);
  expect((await ada.svc('credentials', 'project-keys', 'status', ...project)).json).toMatchObject({
    anon_key: true,
    service_key: true,
  });
  const listed = await ada.svc('credentials', 'project-keys', 'list');
  expect(listed.stdout).not.toContain(keys.service_key);
  expect((await ada.svc('credentials', 'project-keys', 'export', '--reveal', ...project)).json).toMatchObject(keys);
  expect((await ada.svc('credentials', 'project-keys', 'remove', ...project)).json.removed).toBe(true);
  expect((await ada.svc('credentials', 'project-keys', 'export', '--reveal', ...project)).error.code).toBe(
    'PROJECT_CREDENTIAL_NOT_FOUND',
  );
  expect(
    (await ada.with({}, '{"anon_key":1}')('credentials', 'project-keys', 'import', '--file', '-', ...project)).error
      .code,
  ).toBe('BAD_FILE');
});

test('a binding file that is none is named, and doctor goes on past what it cannot do', async () => {
  await ada.file('.svc.json', '{"org": 17}');
  expect((await ada.svc('org', 'current')).error).toMatchObject({ code: 'BAD_FILE', field: 'org' });
  await ada.file('.svc.json', '[]');
  expect((await ada.svc('org', 'current')).error.code).toBe('BAD_FILE');
  await ada.file('.svc.json', '{}');
  const checked = await ada.svc('doctor');
  expect(checked).toMatchObject({ code: 1, json: { ok: false } });
  const found = Object.fromEntries(
    checked.json.checks.map((one: { name: string; status: string }) => [one.name, one.status]),
  );
  expect(found).toMatchObject({
    config_dir: 'ok',
    allowance: 'ok',
    projects: 'ok',
    api_reachable: 'error',
    source_scan: 'ok',
  });
  expect((await ada.svc('doctor', '--only', 'projects')).code).toBe(0);
  expect((await ada.svc('doctor', '--only', 'nothing')).error.code).toBe('BAD_USAGE');
});

test('a kept session goes with the first 401, and approvals with it', async () => {
  const later = new Date(Date.now() + 600_000).toISOString();
  const { createServer } = await import('node:http');
  const server = createServer((_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ code: 'INVALID_AUTH', message: 'No.', retryable: false, safe_to_retry: true }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  const gateway = `http://127.0.0.1:${port}`;
  const person = await terminal(gateway);
  const path = join(person.config, 'control-plane-session.json');
  await mkdir(person.config, { recursive: true, mode: 0o700 });
  await writeFile(path, JSON.stringify({ api_base: gateway, token: 'a.session.token', expires_at: later, view: {} }), {
    mode: 0o600,
  });
  const refused = await person.svc('org', 'list');
  expect(refused.error).toMatchObject({
    code: 'OPERATOR_SESSION_INVALID',
    details: { http: 401, gateway_code: 'INVALID_AUTH' },
  });
  await expect(stat(path)).rejects.toThrow('ENOENT');
  expect(refused.stderr).not.toContain('a.session.token');
  await new Promise((closed) => server.close(closed));
  await person.remove();
});

test('a kept session goes with a 403 of its own paths, and stays where one only asks for more', async () => {
  const later = new Date(Date.now() + 600_000).toISOString();
  let code = 'STEP_UP_REQUIRED';
  const { createServer } = await import('node:http');
  const server = createServer((_request, response) => {
    response.writeHead(403, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ code, message: 'No.', retryable: false, safe_to_retry: true }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const gateway = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const person = await terminal(gateway);
  const path = join(person.config, 'operator-session.json');
  await mkdir(person.config, { recursive: true, mode: 0o700 });
  await writeFile(path, JSON.stringify({ api_base: gateway, token: 'a.session.token', expires_at: later, view: {} }), {
    mode: 0o600,
  });
  expect((await person.svc('operator', 'overview')).error).toMatchObject({ http: 403, code: 'STEP_UP_REQUIRED' });
  expect(await modeOf(path)).toBe('600');
  code = 'FORBIDDEN';
  expect((await person.svc('operator', 'overview')).error).toMatchObject({
    code: 'OPERATOR_SESSION_INVALID',
    details: { http: 403, gateway_code: 'FORBIDDEN' },
    next_actions: [{ command: 'svc operator login' }],
  });
  await expect(stat(path)).rejects.toThrow('ENOENT');
  await new Promise((closed) => server.close(closed));
  await person.remove();
});

test('of those who make a wallet of one name at the same moment one does, and no key is written over', async () => {
  const all = await Promise.all(Array.from({ length: 6 }, () => ada.svc('wallets', 'new', 'twin')));
  const made = all.filter(({ code }) => code === 0);
  expect(made).toHaveLength(1);
  for (const { code, error } of all) if (code !== 0) expect(error.code).toBe('WALLET_EXISTS');
  const { address, privateKey } = JSON.parse(await readFile(file('twin'), 'utf8'));
  expect(address).toBe(made[0]!.json.address);
  expect(privateKeyToAccount(privateKey).address).toBe(address);
});

test('those who begin at the same moment begin with one wallet', async () => {
  const begin = ada.with({ SVC_WALLET: 'together' });
  const all = await Promise.all(Array.from({ length: 4 }, () => begin('init')));
  expect(all.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect(new Set(all.map(({ json }) => json.wallet.address)).size).toBe(1);
  expect(all.filter(({ json }) => json.wallet.created)).toHaveLength(1);
});

test('a variable that is set to nothing is not set', async () => {
  const blank = ada.with({ SVC_WALLET: '', SVC_ORG: '', SVC_DELEGATE_TOKEN: '', SVC_PROJECT_ID: '', SVC_ROOM: '' });
  expect(await blank('allowance', 'status')).toMatchObject({ code: 0 });
  expect((await blank('org', 'current')).json.org_id).toBeNull();
  expect((await blank('projects', 'current')).json.project_id).toBeNull();
  const before = await readdir(ada.checkout);
  expect((await ada.with({ SVC_CONFIG_DIR: '' })('wallets', 'current')).code).toBe(0);
  expect(await readdir(ada.checkout)).toEqual(before);
});

test('a wallet that a call names and that is not there is told, and nobody else stands in for it', async () => {
  const told = { code: 'WALLET_NOT_FOUND', message: 'There is no wallet nowhere on this machine.', trace_id: null };
  expect((await ada.svc('org', 'list', '--wallet', 'nowhere')).error).toMatchObject(told);
  const set = ada.with({ SVC_WALLET: 'nowhere', SVC_SERVICE_KEY: 'a key' });
  expect((await set('org', 'list')).error).toMatchObject(told);
});

test('a refusal that was made here has no trace, also when no gateway answered', async () => {
  expect((await ada.svc('org', 'list')).error).toMatchObject({ code: 'NETWORK_ERROR', trace_id: null });
});

test('a wallet pays by another rail only when it is told so twice, and by none that nothing is paid by', async () => {
  const made = await ada.svc('--wallet', 'rails', 'init');
  expect(made.json).toMatchObject({ rail: 'x402', wallet: { local_label: 'rails', created: true } });
  const wallet = JSON.parse(await readFile(file('rails'), 'utf8'));
  // As another client of the same files may have left it.
  await writeFile(file('rails'), JSON.stringify({ ...wallet, rail: 'mpp' }));
  expect((await ada.svc('--wallet', 'rails', 'init')).json.rail).toBe('mpp');
  expect((await ada.svc('--wallet', 'rails', 'init', 'mpp')).json.rail).toBe('mpp');
  expect(await ada.svc('--wallet', 'rails', 'init', 'x402')).toMatchObject({
    code: 1,
    error: {
      code: 'RAIL_SWITCH_REQUIRES_CONFIRM',
      next_actions: [{ type: 'run_command', command: 'svc --wallet rails init x402 --switch-rail' }],
    },
  });
  expect((await ada.svc('--wallet', 'rails', 'init', 'x402', '--switch-rail')).json.rail).toBe('x402');
  expect(JSON.parse(await readFile(file('rails'), 'utf8'))).toEqual(wallet);
  expect(await modeOf(file('rails'))).toBe('600');
  const back = ['--wallet', 'rails', 'init', 'mpp'];
  expect((await ada.svc(...back)).error.code).toBe('RAIL_SWITCH_REQUIRES_CONFIRM');
  expect((await ada.svc(...back, '--switch-rail')).error.code).toBe('UNSUPPORTED_OPTION');
  expect((await ada.svc('--wallet', 'none', 'init', 'mpp')).error.code).toBe('UNSUPPORTED_OPTION');
});
