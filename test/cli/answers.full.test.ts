import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { terminal } from './command.ts';

const command = '\u001b]0;owned\u0007\u001b[2J';
const bodies: string[] = [];
let answer: { readonly status: number; readonly body: unknown };
/** Answers whatever it is told to. */
const somebody = createServer(async (request, response) => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  bodies.push(Buffer.concat(pieces).toString());
  response.writeHead(answer.status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer.body));
});
somebody.listen(0, '127.0.0.1');
await new Promise((listening) => somebody.once('listening', listening));
const ada = await terminal(`http://127.0.0.1:${(somebody.address() as AddressInfo).port}`);
afterAll(async () => {
  somebody.close();
  somebody.closeAllConnections();
  await ada.remove();
});
const env = { SVC_DELEGATE_TOKEN: 'token', SVC_PROJECT_ID: 'prj_0kz3m', SVC_ANON_KEY: 'key' };
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const tellsTheTerminal = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

test('a terminal is told nothing by a refusal, whoever made it', async () => {
  const why = `because ${command}`;
  answer = {
    status: 403,
    body: {
      code: `NO${command}`,
      message: why,
      hint: why,
      trace_id: `trc_${command}`,
      next_actions: [{ type: 'run_command', command: `svc ${command}`, why }],
    },
  };
  const { stderr, code } = await ada.with(env)('org', 'list', '--human');
  expect(code).toBe(1);
  expect(stderr).toContain('because');
  expect(stderr).not.toMatch(tellsTheTerminal);
});

test('a terminal is told nothing by the name of a column', async () => {
  answer = { status: 200, body: [{ [`title${command}`]: 'one' }] };
  const { stdout, code } = await ada.with(env)('projects', 'rest', 'notes', '--human');
  expect(code).toBe(0);
  expect(stdout).toContain('title');
  expect(stdout).not.toMatch(tellsTheTerminal);
});

test.each([
  [['contracts', 'list-signers'], { signers: [], wallets: [] }, /^No signers\. Make one with svc contracts/],
  [['apps', 'browse'], { apps: [], total: 0 }, /^total\s+0\n\nNo /],
])('svc %j says in its own words that there is nothing, whatever else it was answered', async (words, body, shown) => {
  answer = { status: 200, body };
  expect((await ada.with(env)(...words, '--human')).stdout).toMatch(shown);
});

test('rows that a gateway sends by two names are shown once', async () => {
  const signers = [{ signer_id: 'cwlt_1', chain: 'base-sepolia' }];
  answer = { status: 200, body: { signers, wallets: signers } };
  const { stdout } = await ada.with(env)('contracts', 'list-signers', '--human');
  expect(stdout.match(/cwlt_1/g)).toHaveLength(1);
  expect(stdout).not.toContain('wallets');
});

test('a gateway without vouchers is said to have none, and a wallet is made all the same', async () => {
  answer = { status: 404, body: { code: 'ROUTE_NOT_FOUND', message: 'There is no such path.' } };
  const { json } = await ada.svc('init', '--voucher', 'ABCD-1234');
  expect(json).toMatchObject({
    wallet: { created: true },
    voucher_error: { code: 'ROUTE_NOT_FOUND', message: 'This gateway redeems no vouchers.', http: 404 },
  });
});

test('letters of several bytes come through standard input whole, however long the text', async () => {
  answer = { status: 200, body: { rows: [] } };
  bodies.length = 0;
  const sql = `select '${'é€😀'.repeat(50_000)}'`;
  expect((await ada.with(env, sql)('projects', 'sql', '--file', '-')).code).toBe(0);
  expect(bodies).toHaveLength(1);
  expect(JSON.parse(bodies[0]!).sql).toBe(sql);
});

test('what is made stays made, and is said to be, where nothing can be kept of it', async () => {
  const bare = await terminal(`http://127.0.0.1:${(somebody.address() as AddressInfo).port}`);
  onTestFinished(() => bare.remove());
  // Files stand where folders have to be.
  await mkdir(bare.config);
  await writeFile(join(bare.config, 'credentials'), '');
  answer = { status: 201, body: { project_id: 'prj_0kz3m', anon_key: 'anon', service_key: 'service' } };
  const { error } = await bare.with({ SVC_DELEGATE_TOKEN: 'token' })('projects', 'provision');
  expect(error).toMatchObject({
    safe_to_retry: false,
    mutation_state: 'committed',
    details: { project_id: 'prj_0kz3m' },
    next_actions: [{ command: 'svc projects keys --project prj_0kz3m' }],
  });
  expect(error.message).toContain('prj_0kz3m');
  const sender_presence = { presence_id: 'prs_1', name: 'Atlas' };
  answer = { status: 201, body: { message_id: 'msg_1', sender_presence } };
  const room = { SVC_DELEGATE_TOKEN: 'token', SVC_ROOM: '0b9f2c1e-4b0a-4c57-8d11-2f6a1c3b5e70/standup' };
  const SVC_CONFIG_DIR = join(await bare.file('file', ''), 'config');
  const sent = await bare.with({ ...room, SVC_CONFIG_DIR })('messages', 'send', 'Hello');
  expect(sent).toMatchObject({ code: 0, json: { message_id: 'msg_1' } });
  expect(sent.stderr).toContain('this checkout forgets');
});

test('where keys are kept for all to see none are made', async () => {
  const open = await terminal(`http://127.0.0.1:${(somebody.address() as AddressInfo).port}`);
  onTestFinished(() => open.remove());
  const file = join(open.config, 'credentials', 'project-keys.v1.json');
  await mkdir(join(open.config, 'credentials'), { recursive: true });
  await writeFile(file, '{}', { mode: 0o644 });
  bodies.length = 0;
  const { error } = await open.with({ SVC_DELEGATE_TOKEN: 'token' })('projects', 'provision');
  expect(error).toMatchObject({ code: 'BAD_FILE', safe_to_retry: true, mutation_state: 'not_started' });
  expect(bodies).toEqual([]);
});

test('what a voucher was redeemed for is among what init says, whether it is given as a word or as input', async () => {
  const body = { voucher_id: 'v1', amount_usd_micros: 500_000, already_redeemed: false };
  answer = { status: 201, body };
  for (const [word, input] of [
    ['ABCD-1234', ''],
    ['-', 'ABCD-1234\n'],
  ] as const) {
    bodies.splice(0);
    expect((await ada.with({}, input)('init', '--voucher', word)).json).toMatchObject({ voucher: body });
    expect(bodies).toContain('{"code":"ABCD-1234"}');
  }
  answer = { status: 410, body: { code: 'VOUCHER_EXPIRED', message: 'It is too late.' } };
  expect(await ada.svc('init', '--voucher', 'ABCD-1234')).toMatchObject({
    code: 0,
    json: { voucher_error: { code: 'VOUCHER_EXPIRED', message: 'It is too late.', http: 410 } },
  });
});
