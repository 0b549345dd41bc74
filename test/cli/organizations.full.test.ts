import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { asProcess, terminal } from './command.ts';

const service = await startService();
const ada = await terminal(service.url);
const bob = await terminal(service.url);
afterAll(async () => {
  await Promise.all([ada.remove(), bob.remove()]);
  await service.stop();
});

let org: string;
beforeAll(async () => {
  await ada.svc('init');
  const created = await ada.svc('org', 'create', '--name', 'The team');
  org = created.json.org_id;
});

test('init makes a wallet once, in a file that only its owner can read', async () => {
  const again = await ada.svc('init');
  expect(again).toMatchObject({
    code: 0,
    json: { wallet: { local_label: 'default', created: false }, reachable: true },
  });
  const { mode } = await stat(join(ada.config, 'allowance.json'));
  expect((mode & 0o777).toString(8)).toBe('600');
});

test('an address that init is given is the one of commands that name none', async () => {
  const carol = await terminal();
  expect((await carol.svc('init', '--api-base', service.url)).json).toMatchObject({
    api_base: service.url,
    reachable: true,
    balances: { prepaid_credit_usd_micros: null },
  });
  expect((await carol.svc('status')).json.target).toMatchObject({
    api_base: service.url,
    api_base_source: 'target.json',
  });
  expect((await carol.svc('org', 'list')).json).toEqual({ orgs: [] });
  await carol.remove();
});

test('what a pipe asks of svc mcp is answered, though the pipe says no more', async () => {
  const asked = [
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'whoami', arguments: {} } },
  ];
  const { code, stdout } = await ada.with({}, asked.map((one) => `${JSON.stringify(one)}\n`).join(''))('mcp');
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(code).toBe(0);
  expect(answers.map(({ id }) => id).sort()).toEqual([1, 2]);
  expect(answers.find(({ id }) => id === 2).result.structuredContent.memberships).toMatchObject([{ org_id: org }]);
});

test('a voucher that a gateway does not take is told of, and is no reason to be without a wallet', async () => {
  const dora = await terminal(service.url);
  expect(await dora.svc('init', '--voucher', 'ABCD-1234')).toMatchObject({
    code: 0,
    stderr: '',
    json: {
      wallet: { created: true },
      reachable: true,
      voucher_error: { code: 'VOUCHER_NOT_FOUND', http: 404 },
    },
  });
  await dora.remove();
});

test('a machine whose clock is wrong signs by the gateway’s', async () => {
  const ahead = 'const now = Date.now; Date.now = () => now() + 7_200_000';
  const preload = `--import=data:text/javascript,${encodeURIComponent(ahead)}`;
  const machine = await terminal(service.url, [preload, ...asProcess()]);
  const late = machine.with({ SVC_CONFIG_DIR: ada.config });
  expect(await late('org', 'list')).toMatchObject({ code: 0, stderr: '', json: { orgs: [{ org_id: org }] } });
  await machine.remove();
});

test('a contact is named, and its address taken away', async () => {
  const named = await ada.svc('agent', 'contact', '--name', 'Ada', '--email', 'ada@example.com');
  expect(named.json).toMatchObject({ name: 'Ada', email: 'ada@example.com' });
  expect((await ada.svc('agent', 'contact', '--name', 'Ada', '--no-email')).json.email).toBeNull();
  expect((await ada.svc('agent', 'contact', '--name', 'Ada', '--no-email', '--email', 'a@b.example')).error.code).toBe(
    'BAD_USAGE',
  );
});

test('an organization is made, found, named and listed', async () => {
  expect((await ada.svc('org', 'list')).json).toEqual({
    orgs: [expect.objectContaining({ org_id: org, display_name: 'The team', role: 'owner' })],
  });
  expect((await ada.svc('org', 'get', org)).json).toMatchObject({ org_id: org, tier: 'prototype' });
  expect((await ada.svc('org', 'rename', org, 'The', 'new', 'team')).code).toBe(0);
  expect((await ada.svc('org', 'get', '--org', org)).json.display_name).toBe('The new team');
  expect((await ada.svc('org', 'rename', org, '--clear')).code).toBe(0);
  expect((await ada.svc('org', 'get', '--org', org)).json.display_name).toBeNull();
  expect((await ada.svc('org', 'rename', org)).error).toMatchObject({ code: 'BAD_USAGE' });
  expect((await ada.svc('org', 'find', 'nobody-has-this')).code).toBe(1);
});

test('whoami tells who signs, and takes a name', async () => {
  expect((await ada.svc('org', 'whoami', '--set-name', 'Ada')).code).toBe(0);
  expect((await ada.svc('org', 'whoami')).json.principal).toMatchObject({ display_name: 'Ada' });
  expect((await ada.svc('whoami')).json).toEqual((await ada.svc('org', 'whoami')).json);
});

test('an organization is looked for in the flag, the environment, the binding file and what was used, in this order', async () => {
  // The one that was made is in use; without one in use the only one is meant.
  expect((await ada.svc('org', 'current')).json).toMatchObject({ org_id: org, used: org });
  await ada.svc('org', 'clear');
  expect((await ada.svc('org', 'current')).json.used).toBeNull();
  expect((await ada.svc('org', 'audit', '--limit', '1')).json.events).toHaveLength(1);

  const other = (await ada.svc('org', 'create', '--name', 'Other')).json.org_id;
  expect((await ada.svc('org', 'current')).json.used).toBe(other);
  await ada.svc('org', 'clear');
  const none = await ada.svc('org', 'audit');
  expect(none.error).toMatchObject({ status: 'error', code: 'ORG_REQUIRED', retryable: false, trace_id: null });
  expect(none.error.details.ways).toContain('SVC_ORG');
  expect(none.error.next_actions.map(({ command }: { command: string }) => command)).toEqual(
    expect.arrayContaining([`svc org use ${org}`, `svc org use ${other}`]),
  );

  expect((await ada.svc('org', 'use', org)).json.org_id).toBe(org);
  expect((await ada.svc('org', 'audit', '--limit', '1')).json.events).toHaveLength(1);
  expect((await ada.svc('org', 'bind', '--org', other)).json).toMatchObject({ org: other });
  expect((await ada.svc('org', 'current')).json).toMatchObject({ org_id: other, used: org });
  // The personal file wins over the shared one.
  await ada.svc('org', 'bind', '--org', org, '--local');
  expect((await ada.svc('org', 'current')).json.org_id).toBe(org);
  expect((await ada.svc('org', 'unbind', '--local')).json.org).toBeUndefined();

  const torn = await ada.with({ SVC_ORG: org })('org', 'current');
  expect(torn).toMatchObject({ code: 1, error: { code: 'AMBIGUOUS_ORG' } });
  expect(torn.error.details.named).toEqual([
    { org_id: org, by: 'SVC_ORG' },
    { org_id: other, by: 'the binding file' },
  ]);
  expect((await ada.svc('org', 'get', org, '--org', other)).error.code).toBe('AMBIGUOUS_ORG');
  // What is named in the call settles it.
  expect((await ada.with({ SVC_ORG: org })('org', 'get', '--org', other)).json.org_id).toBe(other);
  await ada.svc('org', 'unbind');
  expect((await ada.svc('org', 'clear')).json).toMatchObject({ cleared: true });
  expect((await ada.svc('org', 'current')).json.org_id).toBeNull();
});

test('members and invitations come and go', async () => {
  const wallet = (await bob.svc('init')).json.wallet.address;
  const added = await ada.svc('org', 'member', 'add', wallet, '--org', org);
  expect(added.json).toMatchObject({ role: 'developer' });
  const { principal_id } = added.json;
  expect((await bob.svc('org', 'get', org)).json.role).toBe('developer');
  expect((await ada.svc('org', 'member', 'role', principal_id, 'viewer', '--org', org)).json.role).toBe('viewer');
  expect((await bob.svc('org', 'member', 'add', wallet, '--org', org)).error).toMatchObject({
    status: 'error',
    http: 403,
    code: 'NOT_AUTHORIZED',
    mutation_state: 'none',
  });
  const key = await ada.svc('org', 'member', 'revoke-key', '--principal', principal_id, '--org', org);
  expect(key.json).toMatchObject({ status: 'no_key' });
  expect((await ada.svc('org', 'member', 'rm', principal_id, '--org', org)).code).toBe(0);
  expect((await bob.svc('org', 'get', org)).error.http).toBe(403);

  const invited = await ada.svc('org', 'invite', 'create', 'carol@example.com', '--ttl-hours', '2', '--org', org);
  expect(invited.json).toMatchObject({ role: 'developer' });
  expect((await ada.svc('org', 'invite', 'list', '--org', org)).json.invites).toHaveLength(1);
  expect((await ada.svc('org', 'invite', 'rm', invited.json.principal_id, '--org', org)).code).toBe(0);
});

test('a slug that costs a fee is refused in the gateway’s own words, and only the admin’s key gives credit', async () => {
  const slug = await ada.svc('org', 'slug', 'the-team', '--org', org, '--idempotency-key', 'slug-1');
  expect(slug).toMatchObject({
    code: 1,
    stdout: '',
    error: { status: 'error', http: 403, code: 'INSUFFICIENT_FUNDS' },
  });
  const admin = ada.with({ SVC_ADMIN_KEY: 'x'.repeat(24) });
  expect((await admin('admin', 'credit', org, '--amount', '10000000')).error.http).toBe(401);
});

test('tier, balance and payout wallet are read, and status shows all at a glance', async () => {
  expect(Object.keys((await ada.svc('tier', 'list')).json.tiers)).toContain('prototype');
  expect((await ada.svc('tier', 'status', '--org', org)).json).toMatchObject({ tier: 'prototype' });
  expect((await ada.svc('billing', 'balance', org)).json).toMatchObject({ org_id: org, available_usd_micros: 0 });
  expect((await ada.svc('billing', 'history', org)).code).toBe(0);
  expect((await ada.svc('org', 'payout-wallet', 'get', org)).code).toBe(0);
  const status = await ada.svc('status');
  expect(status.json).toMatchObject({
    wallet: { local_label: 'default' },
    balances: { prepaid_credit_usd_micros: 0 },
    target: { api_base: service.url, api_base_source: 'SVC_API_BASE' },
  });
});

test('people read tables', async () => {
  const { stdout } = await ada.with({ SVC_OUTPUT: 'human' })('org', 'list');
  expect(stdout).toMatch(/^org id/);
  expect(stdout).toContain(org);
  const refused = await ada.svc('org', 'get', '--human');
  expect(refused.stderr).toMatch(/^svc: .* \(ORG_REQUIRED\)\n/);
  // What does not fit is named, and left to JSON.
  const wide = (await ada.svc('org', 'audit', '--org', org, '--human')).stdout;
  const [more, ...lines] = wide.trim().split('\n').reverse();
  expect(more).toMatch(/^\(--json has more: .*actor.*\)$/);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
  expect(more!.length).toBeLessThanOrEqual(120);
  expect((await ada.svc('org', 'list', '--human', '--json')).error.code).toBe('BAD_USAGE');
});
