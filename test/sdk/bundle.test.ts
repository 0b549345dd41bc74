import { createContext, runInContext } from 'node:vm';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, expect, test } from 'vitest';
import { isSvcError, SvcError } from '../../clients/sdk/src/index.ts';
import { bundle, programs } from '../../scripts/sdk/bundle.ts';
import { sharedService } from '../helpers/shared-service.ts';

const service = await sharedService();
afterAll(() => service.stop());

/** Most that a program weighs, in bytes. The whole package grows by some sixty with each operation. */
const mostOf = (name: string) => (name === 'everything' ? 24_000 : 20_000);

test.each(Object.keys(programs))('%s imports nothing, and weighs little', async (name) => {
  const { imports, gzipBytes } = await bundle(programs[name]!);
  expect(imports).toEqual([]);
  expect(gzipBytes).toBeGreaterThan(1_000);
  expect(gzipBytes).toBeLessThan(mostOf(name));
});

test('a program takes along only what it uses, also of the whole package', async () => {
  const alone = await bundle(programs['rooms alone']!);
  const ofAll = await bundle(programs['rooms of the whole package']!);
  expect(Math.abs(ofAll.bytes - alone.bytes)).toBeLessThan(100);
  expect(alone.code).toContain('/orgs/v1/{org}/rooms');
  expect(ofAll.code).not.toMatch(/\/projects\/v1\/\{|\/live\/v1|\/rest\/v1|OperationDefinition/);
  expect((await bundle(programs['a typed document']!)).code).not.toContain('/orgs/v1');
});

/** What browsers, workers, Deno, Bun and Node have alike. */
const web = [
  'AbortController AbortSignal DOMException Headers Response TextDecoder TextDecoderStream TextEncoder URL',
  'URLSearchParams WebSocket atob btoa clearTimeout fetch setTimeout',
].flatMap((line) => line.split(' '));

test('it runs where there is nothing but what the web has', async () => {
  const { code } = await bundle(`import * as sdk from 'sdk/index.ts'; globalThis.sdk = sdk;`);
  const globals = Object.fromEntries(web.map((name) => [name, globalThis[name as keyof typeof globalThis]]));
  const account = privateKeyToAccount(generatePrivateKey());
  const outside = {
    baseUrl: service.url,
    address: account.address,
    signMessage: (message: string) => account.signMessage({ message }),
  };
  // On pages that did not come by HTTPS, there is no more of it than this.
  const getRandomValues = (bytes: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(bytes);
  const context = createContext({ ...globals, crypto: { getRandomValues }, outside });
  expect(runInContext('typeof process + typeof Buffer + typeof require', context)).toBe('undefinedundefinedundefined');
  runInContext(code, context);
  const told = await runInContext(
    `(async () => {
      const client = sdk.createClient({ baseUrl: outside.baseUrl, credential: sdk.wallet(outside) });
      const { orgId: org } = await client.orgs.create({});
      const { projectId, anonKey } = await client.projects.create({ orgId: org });
      const events = client.rooms.follow({ org, room: projectId });
      const first = events.next();
      await client.rooms.sendMessage({ org, room: projectId, body: 'from anywhere' });
      const { value } = await first;
      await events.return();
      const anon = sdk.createClient({ baseUrl: outside.baseUrl, credential: sdk.projectKey({ key: anonKey }) });
      const refused = await anon.live({ tables: ['none'] }).next().catch((error) => error.code);
      return JSON.stringify([value.message.body, refused]);
    })()`,
    context,
  );
  expect(JSON.parse(told as string)).toEqual(['from anywhere', 'TABLE_NOT_LIVE']);
  const error: unknown = await runInContext(
    'sdk.createClient({ baseUrl: outside.baseUrl }).orgs.list().catch((error) => error)',
    context,
  );
  expect(error).not.toBeInstanceOf(SvcError);
  expect(isSvcError(error) && [error.code, error.kind]).toEqual(['AUTH_REQUIRED', 'unauthorized']);
  expect([isSvcError(new Error('other')), isSvcError({ code: 'AUTH_REQUIRED' }), isSvcError(null)]).toEqual([
    false,
    false,
    false,
  ]);
});

test('each namespace comes alone: a program that imports one holds no path of another', async () => {
  const { namespaces } = await import('../../clients/sdk/src/namespaces.ts');
  const { connect } = await import('../../clients/sdk/src/connection.ts');
  const all: Record<string, object> = { ...namespaces(connect({ baseUrl: 'http://127.0.0.1:1' })) };
  const callsOf = (methods: object) =>
    Object.values(methods).flatMap((method: { spec?: { call: string } }) => method.spec?.call ?? []);
  for (const name of ['rooms', 'tiers', 'audit']) {
    const { code } = await bundle(`export { connect, ${name} } from 'sdk/index.ts';`);
    const there = Object.entries(all).flatMap(([other, methods]) =>
      callsOf(methods).some((call) => code.includes(`\`${call}\``) || code.includes(`"${call}"`)) ? [other] : [],
    );
    expect(there).toEqual([name]);
  }
});
