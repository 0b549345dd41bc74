import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDnsResolver } from '../../engines/dns/resolver.ts';
import { freePort } from '../../scripts/free-port.ts';
import { nsdProgram, pebbleProgram } from '../../scripts/lane-programs.ts';
import { startService } from '../helpers/service.ts';
import { createTestAuthority } from '../helpers/test-authority.ts';
import { until } from '../helpers/until.ts';
import { domainDoor } from '../hosts/domain-door.ts';
import { handshake, secureCall } from '../hosts/secure-call.ts';

// A real name server (NSD) and the test authority of Let's Encrypt (Pebble), in place of those of `npm test`.

const platform = 'apps.example.test';
const folder = await mkdtemp(join(tmpdir(), 'svc-domains-'));
const [dnsPort, acmePort, rootsPort] = [await freePort(), await freePort(), await freePort()];
const nameServer = `127.0.0.1:${dnsPort}`;
const authority = createTestAuthority();
const service = await startService({
  env: {
    PLATFORM_DOMAIN: platform,
    DNS_SERVERS: nameServer,
    TLS_PORT: '0',
    ACME_TERMS_AGREED: 'true',
    ACME_DIRECTORY_URL: `https://localhost:${acmePort}/dir`,
  },
});
const children: ChildProcess[] = [];
const resolver = createDnsResolver({ servers: [nameServer] });
const project = await service.project();
const door = domainDoor(service, project);
const [row] = await service.control.sql<{ public_id: string }>('select public_id from projects where id = $1', [
  project.projectId,
]);
const host = `p-${row!.public_id}.${platform}.`;

let serial = 1;
/** Has the name server say something else from now on. */
async function publish(records: readonly string[]): Promise<void> {
  const file = join(folder, 'example.test.zone');
  serial++;
  const head = `$ORIGIN example.test.\n$TTL 1\n@ SOA ns hostmaster ${serial} 60 60 60 1\n@ NS ns\nns A 127.0.0.1\n`;
  await writeFile(file, `${head}${host} A 127.0.0.1\nserial TXT "${serial}"\n${records.join('\n')}\n`);
  // A file is read again when its time has changed, in whole seconds.
  await utimes(file, new Date(), new Date(Date.now() + serial * 1_000));
  children[0]?.kill('SIGHUP');
  if (children[0] !== undefined) await isPublished();
}

const isPublished = () =>
  until(async () =>
    expect(await resolver.texts('serial.example.test')).toEqual({ state: 'found', values: [String(serial)] }),
  );

function start(program: string, args: readonly string[], env: Record<string, string> = {}): void {
  const child = spawn(program, args, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'ignore'],
    env: { ...process.env, ...env },
  });
  children.push(child);
}

beforeAll(async () => {
  // As NODE_EXTRA_CA_CERTS does for a gateway that is a process.
  setDefaultCACertificates([...getCACertificates('default'), authority.ca]);
  const zone = 'zone:\n  name: example.test\n  zonefile: example.test.zone\n';
  const files = ['zonelistfile', 'xfrdfile', 'pidfile'].map((name) => `  ${name}: "${join(folder, name)}"\n`).join('');
  const server = `server:\n  ip-address: 127.0.0.1@${dnsPort}\n  username: ""\n  database: ""\n  zonesdir: "${folder}"\n${files}`;
  await writeFile(join(folder, 'nsd.conf'), `${server}remote-control:\n  control-enable: no\n${zone}`);
  await publish([]);
  start(nsdProgram()!, ['-d', '-c', join(folder, 'nsd.conf')]);
  await isPublished();
  const { cert, key } = authority.make('localhost');
  await writeFile(join(folder, 'cert.pem'), cert);
  await writeFile(join(folder, 'key.pem'), key);
  const pebble = {
    listenAddress: `127.0.0.1:${acmePort}`,
    managementListenAddress: `127.0.0.1:${rootsPort}`,
    certificate: join(folder, 'cert.pem'),
    privateKey: join(folder, 'key.pem'),
    httpPort: Number(new URL(service.url).port),
    tlsPort: 5001,
  };
  await writeFile(join(folder, 'pebble.json'), JSON.stringify({ pebble }));
  // It refuses some nonces on purpose.
  start(pebbleProgram()!, ['-config', join(folder, 'pebble.json'), '-dnsserver', nameServer], {
    PEBBLE_VA_NOSLEEP: '1',
    PEBBLE_WFE_NONCEREJECT: '10',
  });
  await until(async () => expect(await fetched('/roots/0')).toContain('BEGIN CERTIFICATE'));
});
afterAll(async () => {
  await service.stop();
  for (const child of children) {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  }
  await rm(folder, { recursive: true, force: true });
});

async function fetched(path: string): Promise<string> {
  const asked = get({ host: 'localhost', port: rootsPort, path, ca: authority.ca, agent: false });
  const [response] = await once(asked, 'response');
  return text(response);
}

/** Lets the next look ask anew, as time would. */
const age = () => service.control.sql(`update project_domains set checked_at = checked_at - interval '1 minute'`);

test('what a real name server says is understood', async () => {
  await publish(['alias CNAME ns', 'long TXT "a" "b"', 'www A 192.0.2.1', 'www AAAA 2001:db8::1']);
  expect(await resolver.alias('alias.example.test')).toEqual({ state: 'found', values: ['ns.example.test'] });
  expect(await resolver.addresses('alias.example.test')).toEqual({ state: 'found', values: ['127.0.0.1'] });
  expect(await resolver.addresses('www.example.test')).toEqual({
    state: 'found',
    values: ['192.0.2.1', '2001:db8::1'],
  });
  expect(await resolver.texts('long.example.test')).toEqual({ state: 'found', values: ['ab'] });
  expect(await resolver.texts('www.example.test')).toEqual({ state: 'absent' });
  expect(await resolver.texts('nothing.example.test')).toEqual({ state: 'absent' });
  // It is not asked for zones that it does not have: it refuses, which says nothing of them.
  expect(await resolver.texts('example.org')).toEqual({ state: 'unavailable' });
  expect([await resolver.beginsZone('example.test'), await resolver.beginsZone('www.example.test')]).toEqual([
    true,
    false,
  ]);
});

test('a domain is proven by its zone, given a certificate by Pebble, and served by TLS', async () => {
  const name = 'shop.example.test';
  await publish([]);
  const { body } = await door.ensure(name);
  expect(body.status).toBe('action_required');
  await publish([`_svc-challenge.shop TXT "${body.dns_records[0].value}"`, `shop CNAME ${host}`]);
  await age();
  expect((await door.check(name)).body.status).toBe('waiting');
  const ca = await fetched('/roots/0');
  await expect
    .poll(
      async () =>
        (await secureCall(service.app.secureUrl!, ca, name, '/_svc/config.json').catch(() => undefined))?.status,
      {
        timeout: 90_000,
      },
    )
    .toBe(200);
  expect((await handshake(service.app.secureUrl!, ca, name)).names).toBe(`DNS:${name}`);
  await expect.poll(async () => (await door.get(name)).body.status).toBe('active');
});

test('the zone of a domain takes it away again', async () => {
  const name = 'shop.example.test';
  await publish([]);
  await age();
  expect((await door.check(name)).body.status).toBe('needs_repair');
});
