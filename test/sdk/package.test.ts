import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const compiler = createRequire(import.meta.url).resolve('typescript/package.json');
const tsc = join(dirname(compiler), 'bin/tsc');
const service = await startService();

/** A folder of somebody's who has installed the package. */
let folder: string;
const installed = () => join(folder, 'node_modules/@svc/sdk');
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-sdk-'));
  await mkdir(installed(), { recursive: true });
  await cp(join(root, 'clients/sdk/package.json'), join(installed(), 'package.json'));
  const project = join(root, 'clients/sdk/tsconfig.build.json');
  await run(process.execPath, [tsc, '--project', project, '--outDir', join(installed(), 'dist')]);
  await symlink(join(root, 'node_modules/viem'), join(folder, 'node_modules/viem'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await service.stop();
});

const node = (file: string) =>
  run(process.execPath, ['--disable-warning=ExperimentalWarning', file], {
    cwd: folder,
    env: { ...process.env, BASE_URL: service.url },
  });

test('the package has the version of the gateway, and depends on nothing', async () => {
  const own = JSON.parse(await readFile(join(root, 'clients/sdk/package.json'), 'utf8')) as Record<string, unknown>;
  const gateway = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
  expect([own.version, own.license]).toEqual([gateway.version, gateway.license]);
  expect(Object.keys(own).filter((name) => /dependencies/i.test(name))).toEqual([]);
});

test('what its page shows is a program that runs', async () => {
  const page = await readFile(join(root, 'docs/using/sdk.md'), 'utf8');
  const blocks = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code!);
  expect(blocks.length).toBeGreaterThan(4);
  await writeFile(join(folder, 'page.ts'), blocks.join('\n'));
  const { stdout } = await node('page.ts');
  expect(stdout.trim().split('\n')).toEqual([
    expect.stringMatching(/^msg_/),
    'Hello',
    '1',
    'Hello',
    'NOT_AUTHORIZED false true []',
    'ready',
    'change',
    '1',
    'Acme',
  ]);
});

test('a namespace is imported by itself, with its types', async () => {
  const program = `import { connect, wallet } from '@svc/sdk';
    import { rooms, type SendMessageInput } from '@svc/sdk/rooms';
    const input: SendMessageInput = { org: 'o', room: 'r', body: 'b', threadId: 't' };
    const { sendMessage } = rooms(connect({ baseUrl: 'http://127.0.0.1:1' }));
    export const sent = (): Promise<string> => sendMessage(input).then(({ messageId }) => messageId);
    // @ts-expect-error: there is no such input.
    export const wrong = () => sendMessage({ ...input, thread_id: 't' });
    console.log(typeof sendMessage, typeof wallet);`;
  await writeFile(join(folder, 'alone.ts'), program);
  const options = ['--noEmit', '--strict', '--lib', 'es2022,dom', '--types', '', '--module', 'nodenext'];
  await run(process.execPath, [tsc, ...options, 'alone.ts'], { cwd: folder }).catch((error: { stdout: string }) => {
    throw new Error(error.stdout);
  });
  expect((await node('alone.ts')).stdout).toBe('function function\n');
});
