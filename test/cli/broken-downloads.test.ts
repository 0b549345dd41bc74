import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { terminal } from './command.ts';

// A file that a command writes is whole, or it is what it was before.

const bytes = '0123456789';
const sha256 = createHash('sha256').update(bytes).digest('hex');
let isWhole = false;
let asked = 0;
/** Says that a hundred bytes come, and ends the connection after ten, unless the ten are whole. */
const breaking = createServer((request, response) => {
  asked += 1;
  if (/\/archives\/arc_1$/.test(request.url!)) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ archive_id: 'arc_1', status: 'ready', sha256 }));
    return;
  }
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': isWhole ? 10 : 100 });
  if (isWhole) response.end(bytes);
  else response.write(bytes, () => request.socket.destroy());
});
breaking.listen(0, '127.0.0.1');
await new Promise((listening) => breaking.once('listening', listening));
const ada = await terminal(`http://127.0.0.1:${(breaking.address() as AddressInfo).port}`);
afterAll(async () => {
  breaking.close();
  await ada.remove();
});
const env = { SVC_DELEGATE_TOKEN: 'token', SVC_PROJECT_ID: 'prj_0kz3m' };
const svc = ada.with(env);
beforeEach(async () => {
  isWhole = false;
  await ada.file('kept', 'what was there before');
});

const downloads = [
  [['assets', 'get', 'images/logo.png']],
  [['jobs', 'artifacts', 'get', 'job_1', '--file', 'report.json']],
  [['email', 'get-raw', 'msg_1', '--mailbox', 'mbx_1']],
  [['cloud', 'archives', 'download', 'arc_1']],
];

test.each(downloads)('svc %j leaves what was there when its answer breaks off, and says so', async (words) => {
  const ended = await svc(...words, '--output', 'kept');
  expect(ended).toMatchObject({ code: 1, stdout: '', error: { code: 'NETWORK_ERROR', retryable: true } });
  expect(await readFile(join(ada.checkout, 'kept'), 'utf8')).toBe('what was there before');
  expect(await readdir(ada.checkout)).toEqual(['kept']);
});

test.each(downloads)('svc %j replaces what was there by what is whole', async (words) => {
  isWhole = true;
  expect((await svc(...words, '--output', 'kept')).json).toMatchObject({ output: 'kept', size_bytes: 10 });
  expect(await readFile(join(ada.checkout, 'kept'), 'utf8')).toBe(bytes);
  expect(await readdir(ada.checkout)).toEqual(['kept']);
});

test.each(downloads)('svc %j says which file cannot be written', async (words) => {
  isWhole = true;
  const { error } = await svc(...words, '--output', 'no/such/folder');
  expect(error).toMatchObject({ code: 'BAD_FILE', details: { path: 'no/such/folder' } });
});

test('svc audit download leaves nothing when its answer breaks off, so that it can be asked again', async () => {
  const download = () => svc('audit', 'download', 'token', '--output', 'pack.zip');
  expect((await download()).error).toMatchObject({ code: 'NETWORK_ERROR', retryable: true });
  expect(await readdir(ada.checkout)).toEqual(['kept']);
  isWhole = true;
  expect((await download()).json).toMatchObject({ bytes: 10 });
  expect((await download()).error.code).toBe('BAD_FILE');
  expect(await readFile(join(ada.checkout, 'pack.zip'), 'utf8')).toBe(bytes);
});

test('svc image generate asks for nothing that it could not keep', async () => {
  asked = 0;
  for (const output of ['no/such/image.png', '.'])
    expect((await svc('image', 'generate', 'A lighthouse', '--output', output)).error).toMatchObject({
      code: 'BAD_FILE',
      details: { path: output },
    });
  expect(asked).toBe(0);
});
