import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { asProcess, terminal } from './command.ts';

/** Takes every request, and answers none. */
let asked = 0;
const silent = createServer(() => {
  asked += 1;
});
silent.listen(0, '127.0.0.1');
await new Promise((listening) => silent.once('listening', listening));
const ada = await terminal(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`, asProcess());
afterAll(async () => {
  silent.close();
  silent.closeAllConnections();
  await ada.remove();
});

test.each([
  ['a read', ['org', 'list'], true, 'not_started'],
  ['a change', ['org', 'create'], false, 'unknown'],
] as const)('whoever stops %s is told whether something may have been made', async (_what, words, safe, state) => {
  const before = asked;
  const running = ada.stream(...words);
  await expect.poll(() => asked).toBe(before + 1);
  const { code, error } = await running.stop();
  expect(code).toBe(130);
  expect(error).toMatchObject({ code: 'LOCAL_ERROR', safe_to_retry: safe, mutation_state: state });
});

test.each([
  ['a read', ['org', 'list'], 'none'],
  ['a change', ['org', 'create'], 'not_started'],
] as const)('where no gateway is %s was not begun', async (_what, words, state) => {
  const gone = createServer().listen(0, '127.0.0.1');
  await once(gone, 'listening');
  const { port } = gone.address() as AddressInfo;
  await new Promise((closed) => gone.close(closed));
  const nowhere = ada.with({ SVC_API_BASE: `http://127.0.0.1:${port}`, SVC_DELEGATE_TOKEN: 'token' });
  expect((await nowhere(...words)).error).toMatchObject({
    code: 'NETWORK_ERROR',
    retryable: true,
    safe_to_retry: true,
    mutation_state: state,
  });
});

test('whoever sits behind a proxy that is not gone by is told how it would be', async () => {
  const alone = { SVC_API_BASE: 'http://127.0.0.1:9', SVC_DELEGATE_TOKEN: 'token' };
  const hintOf = async (env: Record<string, string>) =>
    (await ada.with({ ...alone, ...env })('org', 'list')).error.hint as string;
  expect(await hintOf({})).not.toContain('PROXY');
  expect(await hintOf({ HTTPS_PROXY: 'http://127.0.0.1:3128' })).toMatch(/HTTPS_PROXY .* NODE_USE_ENV_PROXY=1/);
});

test('a stream that never came is a failure, not something to wait for', async () => {
  const nowhere = ada.with({ SVC_API_BASE: 'http://127.0.0.1:9', SVC_PROJECT_ID: 'prj_0kz3m', SVC_ANON_KEY: 'key' });
  expect(await nowhere('live', '--tables', 'notes')).toMatchObject({
    code: 1,
    stdout: '',
    error: { code: 'NETWORK_ERROR', retryable: true },
  });
});
