import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { createWallet } from '../helpers/wallet.ts';

const service = await startService({ env: { ALLOWED_HOSTS: 'gateway' } });
const named = await startService({
  env: { PUBLIC_BASE_URL: 'http://api.example.com', ALLOWED_HOSTS: 'anything.example' },
});
afterAll(async () => {
  await service.stop();
  await named.stop();
});

/** What a caller is told who asks under a host of its choosing. */
async function whoami(url: string, host: string, headers: Record<string, string>) {
  const asked = request(`${url}/agent/v1/whoami`, { headers: { ...headers, host } }).end();
  const [response] = await once(asked, 'response');
  let text = '';
  for await (const part of response) text += part;
  const { code, details } = JSON.parse(text);
  return response.statusCode === 200 ? 200 : [code, details?.reason];
}

const signed = async (host: string) => ({
  'sign-in-with-x': await createWallet().header({ baseUrl: `http://${host}`, path: '/agent/v1/whoami' }),
});
const mismatch = ['INVALID_AUTH', 'domain_mismatch'];
const { port } = new URL(service.url);

test('a signature for an address that is not this machine’s does not sign in, whatever the Host header says', async () => {
  expect(await whoami(service.url, '10.0.0.1', await signed('10.0.0.1'))).toEqual(mismatch);
});

test.each(['evil.example', `evil.example:${port}`, 'localhost.evil.example', '127.0.0.1.evil.example'])(
  'a signature for %s is not even looked at',
  async (host) => {
    expect(await whoami(service.url, host, await signed(host))).toEqual(['HOST_NOT_ALLOWED', undefined]);
  },
);

test('a name that the operator allows answers, and wallets do not sign in under it', async () => {
  expect(await whoami(service.url, 'gateway', await signed('gateway'))).toEqual(mismatch);
});

test.each(['localhost', 'api.localhost', '127.0.0.1', '127.1.2.3', '[::1]'])(
  'a signature for %s signs in, since no other machine has that name',
  async (name) => {
    const host = `${name}:${port}`;
    expect(await whoami(service.url, host, await signed(host))).toBe(200);
  },
);

test('a public base URL alone says which host to sign for', async () => {
  expect(await whoami(named.url, 'anything.example', await signed('api.example.com'))).toBe(200);
  expect(await whoami(named.url, 'anything.example', await signed('anything.example'))).toEqual(mismatch);
});

test('the host is nothing to any other credential', async () => {
  const session = await service.actors.session();
  expect(await whoami(service.url, 'gateway', await session.headers('/agent/v1/whoami'))).toBe(200);
});
