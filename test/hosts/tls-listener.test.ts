import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { readConfig } from '../../server/config.ts';
import { openOwnCertificate } from '../../server/tls/own-certificate.ts';
import { startService } from '../helpers/service.ts';
import { createTestAuthority } from '../helpers/test-authority.ts';
import { handshake, secureCall } from './secure-call.ts';

const platform = 'apps.example.net';
const authority = createTestAuthority();
const folder = join(tmpdir(), `svc-tls-${randomBytes(6).toString('hex')}`);
const certificateFile = `${folder}.pem`;
const keyFile = `${folder}.key`;
const write = async (host: string) => {
  const { cert, key } = authority.make(host);
  await Promise.all([writeFile(certificateFile, cert), writeFile(keyFile, key)]);
};
await write(`*.${platform}`);
const env = { PLATFORM_DOMAIN: platform, TLS_PORT: '0', TLS_CERT_FILE: certificateFile, TLS_KEY_FILE: keyFile };
const service = await startService({ env });
afterAll(async () => {
  await service.stop();
  await rm(certificateFile);
  await rm(keyFile);
});
const secureUrl = service.app.secureUrl!;
const { ca } = authority;
const project = await service.project();
const [row] = await service.control.sql<{ public_id: string }>('select public_id from projects where id = $1', [
  project.projectId,
]);
const host = `p-${row!.public_id}.${platform}`;

test('hosts below the platform’s domain are served by the operator’s certificate, as over the plain port', async () => {
  const answer = await secureCall(secureUrl, ca, host, '/_svc/config.json');
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.text)).toMatchObject({ project_id: project.projectId, api_base: `https://${platform}` });
  expect((await secureCall(secureUrl, ca, `p-nobody.${platform}`, '/_svc/config.json')).status).toBe(404);
});

test('a host without a certificate, and a client that names none, are refused before anything is read', async () => {
  for (const name of [
    undefined,
    'unknown.example.org',
    platform,
    `a.b.${platform}`,
    'xn--bcher-kva.example.org',
    'a'.repeat(60),
  ])
    expect(await handshake(secureUrl, ca, name), name).toEqual({
      refused: 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE',
    });
  // The listener is none the worse for it.
  expect((await secureCall(secureUrl, ca, host, '/_svc/config.json')).status).toBe(200);
});

test('a request for another host than the handshake’s is judged by its own name', async () => {
  const answer = await secureCall(secureUrl, ca, host, '/_svc/config.json', { host: 'unknown.example.org' });
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([421, 'HOST_NOT_ALLOWED']);
});

test('what speaks no TLS on the port is refused, and the plain port speaks none', async () => {
  const { port } = new URL(secureUrl);
  await expect(fetch(`http://127.0.0.1:${port}/readyz`)).rejects.toThrow();
  await expect(secureCall(service.url, ca, host, '/readyz')).rejects.toThrow();
});

test('the socket for GraphQL opens by TLS', async () => {
  const at = `wss://127.0.0.1:${new URL(secureUrl).port}/graphql`;
  const socket = new WebSocket(at, 'graphql-transport-ws', {
    ca,
    createConnection: () => connect({ port: Number(new URL(secureUrl).port), host: '127.0.0.1', ca, servername: host }),
  });
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init', payload: {} }));
  const [message] = await once(socket, 'message');
  expect(JSON.parse(String(message)).type).toBe('connection_ack');
  socket.close();
  await once(socket, 'close');
});

test('the operator’s certificate is read again when its files have changed, and a broken one is not used', async () => {
  const quiet = { info: () => undefined, warn: () => undefined } as never;
  await write('first.example.net');
  const own = await openOwnCertificate({ certificate: certificateFile, key: keyFile }, quiet, 20);
  expect(own.covers('first.example.net')).toBe(true);
  await writeFile(certificateFile, 'no certificate');
  await utimes(certificateFile, new Date(), new Date(Date.now() + 5_000));
  await write('second.example.net');
  await utimes(certificateFile, new Date(), new Date(Date.now() + 10_000));
  await expect.poll(() => own.covers('second.example.net')).toBe(true);
  own.stop();
  await expect(openOwnCertificate({ certificate: keyFile, key: keyFile }, quiet)).rejects.toThrow();
});

test('settings of TLS that need each other are refused one without the other', () => {
  const faultsOf = (given: Record<string, string>) => {
    try {
      readConfig(given);
      return [];
    } catch (error) {
      return (error as { faults: string[] }).faults;
    }
  };
  expect(faultsOf({ TLS_PORT: '8443', TLS_CERT_FILE: 'a' })).toEqual([
    'TLS_KEY_FILE must be set when TLS_CERT_FILE is.',
  ]);
  expect(faultsOf({ ACME_TERMS_AGREED: 'true' })).toEqual(['TLS_PORT must be set when ACME_TERMS_AGREED is.']);
  expect(faultsOf({ TLS_PORT: '8443', ACME_EMAIL: 'a@example.com' })).toEqual([
    'ACME_TERMS_AGREED must be set when ACME_EMAIL is.',
  ]);
  expect(faultsOf({ TLS_PORT: '8443', ACME_TERMS_AGREED: 'yes' })[0]).toMatch(/^ACME_TERMS_AGREED must be true/);
  expect(readConfig({ TLS_PORT: '8443', ACME_TERMS_AGREED: 'true' }).acme).toEqual({
    directoryUrl: 'https://acme-v02.api.letsencrypt.org/directory',
    email: undefined,
  });
});
