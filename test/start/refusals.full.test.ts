import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { findServerUser, giveTo } from '../../db/embedded/server-user.ts';
import { exists, homeOf, runsAsRoot, serverOf, testFolder } from '../db/fixtures/embedded-harness.ts';
import { bare, type StartOptions, start } from './checkout.ts';

/** Starts where it must be refused: exit code 1, nothing but one sentence, and nothing left running. @returns the sentence */
async function refusal(
  dataDir: string,
  env: Record<string, string>,
  as: Pick<StartOptions, 'command' | 'user'> = {},
): Promise<string> {
  const environment = { LOG_LEVEL: 'warn', SVC_DATA_DIR: dataDir, ...env };
  const gateway = await start({ bundled: as.command === undefined, ...as, env: environment });
  expect(gateway.url).toBeUndefined();
  expect(await gateway.ended).toBe(1);
  expect(gateway.stdout()).toBe('');
  const [sentence = '', ...rest] = gateway.stderr().split('\n');
  expect(rest).toEqual(['']);
  const home = await homeOf(dataDir);
  expect(await serverOf(home)).toBeUndefined();
  expect(await exists(join(home, 'gateway.lock'))).toBe(false);
  return sentence;
}

const databaseUrl = (change: (url: URL) => void) => {
  const url = new URL(inject('postgresUrl'));
  change(url);
  return url.href;
};

async function listen(onConnection: Parameters<typeof createServer>[1] = () => {}): Promise<number> {
  const server = createServer(onConnection).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test('a taken port is named, and Postgres stopped again', async () => {
  const port = await listen((socket) => socket.destroy());
  const dataDir = join(await testFolder(), '.svc');
  const sentence = await refusal(dataDir, { PORT: String(port) }, { command: bare() });
  expect(sentence).toBe(
    `svc: Port ${port} on 127.0.0.1 is taken; stop what listens there, or choose another with PORT (0 picks a free one).`,
  );
  // What it had made by then is good.
  expect((await start({ command: bare(), env: { SVC_DATA_DIR: dataDir } })).url).toBeDefined();
});

test('an address of another machine is named', async () => {
  const env = { HOST: '203.0.113.7', DATABASE_URL: databaseUrl(() => undefined) };
  expect(await refusal(await testFolder(), env)).toBe('svc: HOST 203.0.113.7 is no address of this machine.');
});

test('every variable at fault is named at once, none with its value, and nothing is begun', async () => {
  const dataDir = join(await testFolder(), '.svc');
  const env = { PORT: '70000', DATABASE_URL: 'mysql://secret@host/db', SVC_SECRET_KEY: 'hush' };
  const sentence = await refusal(dataDir, env, { command: bare() });
  for (const name of Object.keys(env)) expect(sentence).toMatch(new RegExp(`[.] ${name} must be [^.]+[^ ]`));
  expect(sentence).not.toMatch(/70000|mysql|hush/);
  expect(await exists(dataDir)).toBe(false);
});

test('production without what it needs is refused by the name of each variable', async () => {
  const dataDir = join(await testFolder(), '.svc');
  const sentence = await refusal(dataDir, { NODE_ENV: 'production' });
  for (const name of ['DATABASE_URL', 'SVC_SECRET_KEY', 'PUBLIC_BASE_URL', 'PLATFORM_DOMAIN']) {
    expect(sentence).toContain(`${name} must be set when NODE_ENV is production: `);
  }
  expect(await exists(dataDir)).toBe(false);
});

test.each<[string, () => string | Promise<string>, RegExp]>([
  ['where nothing listens', () => 'postgres://127.0.0.1:1/svc', /cannot be reached \(connect ECONNREFUSED/],
  ['of an unknown host', () => 'postgres://nowhere.invalid/svc', /cannot be reached \(getaddrinfo /],
  [
    'of something that is no Postgres',
    async () => `postgres://127.0.0.1:${await listen((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))}/svc`,
    /cannot be reached \(/,
  ],
  ['that never answers', async () => `postgres://127.0.0.1:${await listen()}/svc`, /cannot be reached \(timeout/],
  [
    'with a wrong password',
    () =>
      databaseUrl((url) => {
        url.password = 'wrong';
      }),
    /refuses the user or the password/,
  ],
  [
    'without a password',
    () =>
      databaseUrl((url) => {
        url.password = '';
      }),
    /cannot be reached \(SASL/,
  ],
  [
    'that does not exist',
    () =>
      databaseUrl((url) => {
        url.pathname = '/absent';
      }),
    /does not exist; create it first \(database "absent" does not exist\)/,
  ],
])('a database %s is refused in one sentence without its password', async (_case, url, sentence) => {
  const DATABASE_URL = await url();
  const said = await refusal(await testFolder(), { DATABASE_URL });
  expect(said).toMatch(/^svc: The database of DATABASE_URL /);
  expect(said).toMatch(sentence);
  const { password } = new URL(DATABASE_URL);
  if (password !== '') expect(said).not.toContain(password === 'wrong' ? ':wrong@' : password);
});

test('a data folder that is no folder is named', async () => {
  const file = join(await testFolder(), 'file');
  await writeFile(file, '');
  expect(await refusal(join(file, '.svc'), {})).toMatch(/^svc: The data folder cannot be used \(ENOTDIR.*SVC_DATA_DIR/);
});

test('a data folder of somebody else is named', async ({ skip }) => {
  skip(!runsAsRoot, 'Only root can become another user.');
  const folder = await testFolder();
  const user = await findServerUser();
  const sentence = await refusal(join(folder, '.svc'), {}, { user });
  expect(sentence).toMatch(/^svc: The data folder cannot be used \(EACCES.*SVC_DATA_DIR/);
});

test('a data folder where there can be none is named, at once', async () => {
  expect(await refusal('/proc/svc/data', {})).toMatch(/^svc: The data folder cannot be used \(E.*SVC_DATA_DIR/);
});

test('a data folder that somebody made by hand is not taken for a database', async () => {
  const dataDir = join(await testFolder(), '.svc');
  const data = join(dataDir, 'postgres', 'data');
  await mkdir(data, { recursive: true });
  if (runsAsRoot) await giveTo(await findServerUser(), data);
  expect(await refusal(dataDir, {})).toMatch(/^svc: .*\/postgres.*remove .* to start with an empty database\.$/);
});

test('a damaged root secret is named and kept', async () => {
  const dataDir = join(await testFolder(), '.svc');
  await mkdir(dataDir);
  await writeFile(join(dataDir, 'secret.key'), 'half of');
  expect(await refusal(dataDir, {})).toMatch(
    /SVC_SECRET_KEY is not set and .*secret\.key is damaged: restore the file/,
  );
});

test('a lost root secret is named, and a new one is not left in its place', async () => {
  const dataDir = join(await testFolder(), '.svc');
  const path = join(dataDir, 'secret.key');
  const first = await start({ bundled: true, env: { SVC_DATA_DIR: dataDir, LOG_LEVEL: 'warn' } });
  expect(await first.stop()).toBe(0);
  const secret = await readFile(path);
  await rm(path);
  expect(await refusal(dataDir, {})).toMatch(
    /^svc: This control database belongs to another root secret: .*secret\.key/,
  );
  expect(await exists(path)).toBe(false);
  await writeFile(path, secret, { mode: 0o600 });
  expect((await start({ bundled: true, env: { SVC_DATA_DIR: dataDir } })).url).toBeDefined();
});
