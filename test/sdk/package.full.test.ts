import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { codegen } from '@graphql-codegen/core';
import * as documents from '@graphql-codegen/typed-document-node';
import * as operations from '@graphql-codegen/typescript-operations';
import { parse } from 'graphql';
import { getAddress } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { printedSchema } from '../../scripts/print-schema.ts';
import { startChain } from '../helpers/chain.ts';
import { startService } from '../helpers/service.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const compiler = createRequire(import.meta.url).resolve('typescript/package.json');
const tsc = join(dirname(compiler), 'bin/tsc');
const chain = await startChain({ chainId: 84532 });
const service = await startService({
  env: {
    SVC_LEASES: 'on',
    SETTLEMENT_ADDRESS: getAddress(`0x${randomBytes(20).toString('hex')}`),
    X402_SETTLER_KEY: chain.settlerKey,
    RPC_URL_BASE_SEPOLIA: chain.rpcUrl,
  },
});

/** A folder of somebody's who has installed the package as it would be published. */
let folder: string;
/** Files of the published package. */
let published: string[];
const npm = (args: readonly string[], cwd: string) => run('npm', [...args], { cwd, env: { ...process.env, CI: '1' } });
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-sdk-'));
  const built = join(folder, 'built');
  await mkdir(built);
  for (const file of ['package.json', 'README.md', 'LICENSE'])
    await cp(join(root, 'clients/sdk', file), join(built, file));
  for (const name of ['build', 'deploy']) {
    const project = join(root, `clients/sdk/tsconfig.${name}.json`);
    await run(process.execPath, [tsc, '--project', project, '--outDir', join(built, 'dist')]);
  }
  const { stdout } = await npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], built);
  const [packed] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[];
  published = packed!.files.map(({ path }) => path);
  await rm(built, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const quietly = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await npm(['install', ...quietly, `./${packed!.filename}`], folder);
  for (const name of ['viem', '@graphql-typed-document-node', 'graphql', '@x402', '@types/node', 'undici-types']) {
    await mkdir(dirname(join(folder, 'node_modules', name)), { recursive: true });
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await service.stop();
  await chain.stop();
});

const node = (file: string) =>
  run(process.execPath, ['--disable-warning=ExperimentalWarning', file], {
    cwd: folder,
    env: { ...process.env, BASE_URL: service.url },
  });

/** How programs are put together, each with its own way of finding types. */
const kinds = {
  'Node.js': ['--module', 'nodenext', '--lib', 'es2023', '--types', 'node'],
  'a browser by a bundler': [
    ...['--module', 'esnext', '--moduleResolution', 'bundler', '--verbatimModuleSyntax', '--isolatedModules'],
    ...['--lib', 'es2023,dom,dom.iterable,dom.asynciterable', '--types', ''],
  ],
  'a worker': ['--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2023,webworker', '--types', ''],
} as const;

const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--noImplicitOverride'];

/** Holds a program against the types of what it imports. */
async function compiled(file: string, kind: readonly string[] = kinds['Node.js'], more: readonly string[] = []) {
  const args = [tsc, '--noEmit', ...strict, '--allowImportingTsExtensions', '--target', 'es2023', ...kind, ...more];
  await run(process.execPath, [...args, file], { cwd: folder }).catch((error: { readonly stdout: string }) => {
    throw new Error(error.stdout);
  });
}

test('the package has the version of the gateway, and depends on nothing', async () => {
  const own = JSON.parse(await readFile(join(root, 'clients/sdk/package.json'), 'utf8')) as Record<string, unknown>;
  const gateway = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
  expect([own.version, own.license]).toEqual([gateway.version, gateway.license]);
  expect(Object.keys(own).filter((name) => /dependencies/i.test(name))).toEqual([]);
});

test('what is published is what was built, with its page and its licence', async () => {
  expect(published.filter((path) => !path.startsWith('dist/')).sort()).toEqual([
    'LICENSE',
    'README.md',
    'package.json',
  ]);
  const sources = await readdir(join(root, 'clients/sdk/src'), { recursive: true });
  const made = sources.filter((name) => name.endsWith('.ts')).map((name) => `dist/${name.slice(0, -3)}`);
  expect(published.filter((path) => path.startsWith('dist/')).sort()).toEqual(
    made.flatMap((name) => [`${name}.d.ts`, `${name}.js`]).sort(),
  );
});

test('what may be left out may be undefined, in every option', async () => {
  await writeFile(
    join(folder, 'undefined.ts'),
    `import { createClient, isSvcError, projectKey, session, wallet, type CallOptions } from '@svc/sdk';
    declare const signal: AbortSignal | undefined;
    declare const text: string | undefined;
    const options: CallOptions = { signal, idempotencyKey: text, credential: undefined, payer: undefined, headers: undefined };
    const client = createClient({
      baseUrl: 'http://localhost', credential: undefined, payer: undefined, clientName: text, fetch: undefined,
      timeoutSeconds: undefined, onSocket: undefined, WebSocket: undefined, retry: { times: undefined, pauseMs: undefined },
    });
    await client.rooms.sendMessage({ org: 'o', room: 'r', body: 'b', threadId: text }, options);
    for await (const row of client.rooms.listMessages.each({ org: 'o', room: 'r', limit: undefined }, { signal })) row.messageId;
    for await (const told of client.rooms.follow({ org: 'o', room: 'r', after: text }, { signal, waitingMax: undefined })) told.cursor;
    for await (const told of client.live({ tables: ['t'], cursor: text, project: text, by: undefined }, { signal })) told.cursor;
    const rows = client.rest<{ id: number }>('t', { admin: undefined });
    await rows.select({ limit: undefined, order: text, columns: text, where: undefined }, { signal });
    await rows.insert({ id: 1 }, { onConflict: text, duplicates: undefined, signal });
    await client.rpc('f', {}, { get: undefined, admin: undefined, signal });
    await client.graphql('{ __typename }', undefined, { signal, project: text, operationName: text });
    await client.watchErrors({ project: 'p', newIn: 'r', windowSeconds: undefined }, { signal }).catch((error: unknown) =>
      isSvcError(error) && error.code === 'NOT_AUTHORIZED' ? error.retryAfterSeconds : undefined);
    wallet({ address: '0x', signMessage: async (message) => message, statement: text, chainId: text, now: undefined });
    session({ accessToken: 'a', refresh: undefined, writeApproval: text });
    projectKey({ key: 'k', user: text });`,
  );
  await compiled('undefined.ts');
});

test('the type of what answers have in common is imported by its name, and is the same in each of them', async () => {
  await writeFile(
    join(folder, 'named.ts'),
    `import type { Client, RoomMessage, RoomPresence } from '@svc/sdk';
    declare const client: Client;
    const room = { org: 'o', room: 'r' };
    const listed: readonly RoomMessage[] = (await client.rooms.listMessages(room)).messages;
    const presence: RoomPresence = await client.rooms.getPresence({ ...room, presence: 'p' });
    const live: readonly RoomPresence[] | undefined = (await client.rooms.listMessages(room)).livePresences;
    const text: string = listed[0]?.bodySnippet ?? live?.[0]?.name ?? presence.name;
    // @ts-expect-error a message has no such member
    listed[0]?.body_snippet;
    text;`,
  );
  await compiled('named.ts');
});

/** Programs that a page shows, one after the other as one. */
async function shownBy(page: string): Promise<string> {
  const text = await readFile(join(root, page), 'utf8');
  const blocks = [...text.matchAll(/^```ts(.*)\n([\s\S]*?)^```$/gm)];
  // Every one of them is run.
  expect(blocks.map(([, more]) => more)).toEqual(blocks.map(() => ''));
  return blocks.map(([, , code]) => code).join('\n');
}

test.each([
  [
    'docs/using/sdk.md',
    [
      /^msg_/,
      ...[
        /^Hello$/,
        /^1$/,
        /^Hello$/,
        /^1 \[ false, false, false \]$/,
        /^NOT_AUTHORIZED false true \[\]$/,
        /^true$/,
        /^hobby$/,
      ],
      ...[/^ready$/, /^change$/, /^1$/, /^Acme$/, /^true 0$/, /^Hello$/],
    ],
  ],
  ['clients/sdk/README.md', [/^Hello$/, /^NOT_AUTHORIZED true \[\]$/]],
] as const)('what %s shows is a program that compiles and runs', async (page, lines) => {
  const key = generatePrivateKey();
  await chain.mint(privateKeyToAccount(key).address, 10_000_000n);
  const program = await shownBy(page);
  await writeFile(join(folder, 'page.ts'), program);
  await compiled('page.ts', kinds['Node.js'], ['--skipLibCheck']);
  // The wallet has money, as its owner's has who buys something.
  await writeFile(join(folder, 'page.ts'), program.replace('generatePrivateKey()', `'${key}'`));
  const { stdout } = await node('page.ts');
  expect(stdout.trim().split('\n')).toEqual(lines.map((line) => expect.stringMatching(line)));
});

test.each(['string', 'documentNode'])('what GraphQL Code Generator makes as %s is run with its types', async (mode) => {
  const document = parse('query Named($id: ID!) { organization(id: $id) { orgId displayName } }');
  const code = await codegen({
    filename: 'generated.ts',
    schema: parse(printedSchema()),
    documents: [{ document }],
    pluginMap: { operations, documents },
    plugins: [{ operations: {} }, { documents: {} }],
    config: { documentMode: mode, useTypeImports: true, scalars: { ID: 'string' } },
  });
  await writeFile(join(folder, 'generated.ts'), code);
  await writeFile(
    join(folder, 'named.ts'),
    `import { createClient, wallet } from '@svc/sdk';
    import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
    import { NamedDocument } from './generated.ts';
    const { address, signMessage } = privateKeyToAccount(generatePrivateKey());
    const credential = wallet({ address, signMessage: (message) => signMessage({ message }) });
    const client = createClient({ baseUrl: process.env.BASE_URL!, credential });
    const { orgId } = await client.orgs.create({ displayName: 'Typed' });
    const { organization } = await client.graphql(NamedDocument, { id: orgId });
    const name: string | null | undefined = organization?.displayName;
    // @ts-expect-error: it takes no such variable.
    const wrong = () => client.graphql(NamedDocument, { name: orgId });
    console.log(name, typeof wrong);`,
  );
  await compiled('named.ts', kinds['Node.js'], ['--skipLibCheck']);
  expect((await node('named.ts')).stdout).toBe('Typed function\n');
});

test.each(Object.entries(kinds))('its types hold in a program for %s, checked to the last', async (_name, kind) => {
  const program = `import { type Client, connect, createClient, type ErrorCode, isSvcError, type LiveEvent, wallet } from '@svc/sdk';
    import { rooms, type SendMessageInput } from '@svc/sdk/rooms';
    const input: SendMessageInput = { org: 'o', room: 'r', body: 'b', threadId: 't', importance: 'high' };
    const { sendMessage, follow, listMessages } = rooms(connect({ baseUrl: 'http://127.0.0.1:1' }));
    export const sent = (): Promise<string> => sendMessage(input).then(({ messageId }) => messageId);
    // @ts-expect-error: there is no such input.
    export const wrongName = () => sendMessage({ ...input, thread_id: 't' });
    // @ts-expect-error: there is no such word.
    export const wrongWord = () => sendMessage({ ...input, importance: 'HIGH' });
    // @ts-expect-error: what it needs is missing.
    export const missing = () => sendMessage({ org: 'o', body: 'b' });
    // @ts-expect-error: it is no list.
    export const noList = () => sendMessage.each(input);
    export async function* bodies() {
      for await (const { message, cursor } of follow({ org: 'o', room: 'r' })) yield [message.body.length, cursor] as const;
      for await (const { bodySnippet } of listMessages.each({ org: 'o', room: 'r' })) yield [bodySnippet.length, ''] as const;
    }
    export const told = (event: LiveEvent): number => {
      switch (event.type) {
        case 'change': return event.n;
        case 'resync': case 'ready': return event.tables.length;
      }
    };
    export const client: Client = createClient({ baseUrl: 'http://127.0.0.1:1' });
    // What needs nothing is called with nothing.
    export const nothing = () => Promise.all([client.orgs.list(), client.audit.getPricing(), client.identity.whoami()]);
    export const code = (error: unknown): ErrorCode => (isSvcError(error) && error.code === 'LAST_OWNER' ? error.code : 'OTHER');
    export const status = (headers: Headers, response: Response) => [headers.get('x'), response.status];
    console.log(typeof sendMessage, typeof wallet);`;
  await writeFile(join(folder, 'alone.ts'), program);
  await compiled('alone.ts', kind);
  expect((await node('alone.ts')).stdout).toBe('function function\n');
});
