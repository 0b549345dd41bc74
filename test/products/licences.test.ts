import { createHash, randomBytes } from 'node:crypto';
import { createLocalJWKSet, exportJWK, generateKeyPair, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, expect, test } from 'vitest';
import type { LicenceFacts } from '../../engines/licences/claims.ts';
import { unitOfWork } from '../../kernel/durability/unit-of-work.ts';
import { findLicence, issueLicence } from '../../resolvers/licences/shared/issue-licence.ts';
import { jobContext } from '../../server/workers.ts';
import { type Service, startService } from '../helpers/service.ts';

const service = await startService();
afterAll(() => service.stop());

const facts = (more: Partial<LicenceFacts> = {}): LicenceFacts => ({
  network: 'base',
  txHash: `0x${randomBytes(32).toString('hex')}`,
  payer: '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
  plan: 'pro',
  blockTime: new Date('2026-11-20T10:00:00Z'),
  domain: null,
  ...more,
});

const issue = (to: LicenceFacts, { app }: Service = service) =>
  unitOfWork(jobContext(app.services, new AbortController().signal), (work) => issueLicence(work, to));

const keySet = async ({ url }: Service = service) =>
  (await (await fetch(`${url}/.well-known/jwks.json`)).json()) as JSONWebKeySet;

test('a licence verifies offline with the published keys, and says what it follows from', async () => {
  const bought = facts({ domain: 'shop.example.com' });
  const { jws, jti } = await issue(bought);
  const { payload, protectedHeader } = await jwtVerify(jws, createLocalJWKSet(await keySet()), {
    algorithms: ['EdDSA'],
    typ: 'license+jwt',
    issuer: 'http://localhost',
  });
  expect(protectedHeader).toEqual({ alg: 'EdDSA', typ: 'license+jwt', kid: (await keySet()).keys[0]!.kid });
  expect(payload).toEqual({
    iss: 'http://localhost',
    sub: bought.payer,
    jti,
    iat: 1_795_168_800,
    plan: 'pro',
    price_usd: '29.00',
    net: 'eip155:8453',
    tx: bought.txHash,
    dom: 'shop.example.com',
  });
  expect(jti).toBe(createHash('sha256').update(`base|${bought.txHash}`).digest('base64url').slice(0, 22));
  expect(jws.length).toBeLessThan(700);
});

test('later calls get the first licence to the byte, whatever they ask for, and twenty first calls get one', async () => {
  const bought = facts();
  const first = await Promise.all(Array.from({ length: 20 }, () => issue(bought)));
  expect(new Set(first.map(({ jws }) => jws)).size).toBe(1);
  const later = await issue({ ...bought, plan: 'starter', domain: 'a.example.com' });
  expect(later).toMatchObject({ jws: first[0]!.jws, plan: 'pro', domain: 'a.example.com' });
  // Bound once, it stays; the key names no site, since none was known when it was made.
  expect(await issue({ ...bought, domain: 'b.example.com' })).toMatchObject({
    jws: later.jws,
    domain: 'a.example.com',
  });
  expect(await findLicence(service.app.services, 'base', bought.txHash)).toMatchObject({ jws: later.jws });
});

test('a licence that was lost is issued again with the same bytes', async () => {
  const bought = facts({ network: 'ton', txHash: randomBytes(32).toString('hex'), payer: `0:${'ab'.repeat(32)}` });
  const { jws, jti } = await issue(bought);
  await service.control.sql(`delete from licences where jti = '${jti}'`);
  expect((await issue(bought)).jws).toBe(jws);
});

test('when the key is replaced, what the old one signed still verifies, and new licences name the new one', async () => {
  const [old, next] = await Promise.all(
    [1, 2].map(async () =>
      exportJWK((await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })).privateKey),
    ),
  );
  const before = await startService({ env: { LICENSE_SIGNING_JWK: JSON.stringify(old) } });
  const { jws } = await issue(facts(), before);
  await before.stop();
  const { d: _secret, ...oldPublic } = old!;
  const after = await startService({ env: { LICENSE_SIGNING_JWK: JSON.stringify({ keys: [next, oldPublic] }) } });
  const published = await keySet(after);
  expect(published.keys.map(({ x }) => x)).toEqual([next!.x, old!.x]);
  expect(JSON.stringify(published)).not.toContain('"d"');
  await jwtVerify(jws, createLocalJWKSet(published), { algorithms: ['EdDSA'] });
  const { jws: later } = await issue(facts(), after);
  const { protectedHeader } = await jwtVerify(later, createLocalJWKSet(published), { algorithms: ['EdDSA'] });
  expect(protectedHeader.kid).toBe(published.keys[0]!.kid);
  await after.stop();
});
