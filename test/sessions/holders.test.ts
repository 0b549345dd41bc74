import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { AnyOperation } from '../../kernel/run/operation.ts';
import { operations, signInFlows } from '../../resolvers/index.ts';
import { nobody } from '../helpers/actors.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { freshEmail, operator, peopleOf, plane } from './person.ts';

const service = await sharedService();
afterAll(() => service.stop());
const people = peopleOf(service);
const { call } = service;
const { post } = people;

const under = (key: string) => ({ 'idempotency-key': key });
const browser = `${plane}/session/browser`;
const cookieOf = ({ headers }: { readonly headers: Headers }) => headers.get('set-cookie');

test('a cookie is given again to the session whose it is, and to no other of its person', async () => {
  const email = freshEmail();
  const person = await people.byMail(email);
  const opened = await post(person, browser, {}, under('open'));
  const again = await post(person, browser, {}, under('open'));
  expect([again.status, again.body, cookieOf(again)]).toEqual([200, opened.body, cookieOf(opened)]);
  for (const other of [await people.operatorByMail(email), await people.byMail(email)]) {
    const refused = await post(other, browser, {}, under('open'));
    expect([refused.status, refused.body.code, cookieOf(refused)]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED', null]);
    expect(cookieOf(await post(other, browser, {}, under(`of ${other.token}`.slice(-40))))).not.toBe(null);
  }
});

test('what is about the session that asks is done for each, also under one key', async () => {
  const email = freshEmail();
  const [left, right] = [
    await people.browserOf(await people.byMail(email)),
    await people.browserOf(await people.byMail(email)),
  ];
  expect((await post(left, `${browser}/revoke`, {}, under('close'))).status).toBe(200);
  expect((await post(right, `${browser}/revoke`, {}, under('close'))).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
  expect((await call(right, 'GET', `${plane}/session`)).status).toBe(200);
  expect((await post(right, `${browser}/revoke`, {}, under('close, too'))).status).toBe(200);
  expect((await call(right, 'GET', `${plane}/session`)).status).toBe(401);
});

test('recovery codes are shown again to the session that had them made, and to no other', async () => {
  const { key, ...person } = await people.withPasskey();
  const issue = (actor: typeof person) => post(actor, `${plane}/recovery/issue`, {}, under('codes'));
  const issued = await issue(person);
  expect([issued.status, (await issue(person)).body]).toEqual([201, issued.body]);
  const { body } = await people.byPasskey(person.email, key);
  const other = people.personOf(person.email, body);
  expect((await issue(other)).body).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
});

test('keys of a project are shown again to the wallet that made it', async () => {
  const { wallet, orgId } = await service.owner();
  const create = () => call<object>(wallet, 'POST', '/projects/v1', { body: { org_id: orgId }, headers: under('new') });
  const made = await create();
  expect([made.status, (await create()).body]).toEqual([201, made.body]);
});

test('two devices that nobody can tell apart begin two sign-ins, whatever key they send', async () => {
  const begin = () => post(nobody, `${operator}/session/device`, { client_name: 'cli' }, under('device'));
  const [one, other] = [await begin(), await begin()];
  expect([one.status, other.status]).toEqual([200, 200]);
  expect(other.body.device_code).not.toBe(one.body.device_code);
});

test('a link that signed in under a key answers whoever lost the answer, and is good for nothing without the key', async () => {
  const token = await people.linkFor(freshEmail());
  const verify = (headers = {}) => post(nobody, `${plane}/session/email/verify`, { token }, headers);
  const begun = await verify(under('lost'));
  expect([begun.status, (await verify(under('lost'))).body]).toEqual([200, begun.body]);
  expect((await verify()).status).toBe(401);
  expect((await verify(under('guessed'))).status).toBe(401);
});

/** Names that answers give to what lets its holder act. */
const telling = /(^|_)(token|keys?|secret|codes?|cookie|csrf|auth_url)$/;
/** What is called like it, and opens nothing. */
const harmless = new Set(['encryption_key', 'idempotency_key', 'room_key', 'user_code', 'session_key', 'object_key']);
/** Operations whose `token` is money. */
const tokensOfMoney = new Set(['allowance.faucet', 'allowance.adminFaucet']);
/** Operations whose `key` is the name of something. */
const keyedByName = new Set(['secrets.set', 'secrets.delete', 'assets.put', 'assets.delete']);

function secretsOf({ wire }: AnyOperation): readonly string[] {
  if (!(wire instanceof z.ZodObject)) return [];
  return Object.entries<z.ZodType>(wire.shape).flatMap(([name, shape]) => {
    const optional = shape instanceof z.ZodOptional ? (shape.unwrap() as z.ZodType) : shape;
    return shape.meta()?.secret === true || optional.meta()?.secret === true ? [name] : [];
  });
}

test('every change that answers with a secret is for its holder, and every secret says that it is one', () => {
  const changes = [...operations, ...signInFlows].filter(({ kind }) => kind === 'mutation');
  const open = changes.filter((op) => secretsOf(op).length > 0 && !('credentialBound' in op && op.credentialBound));
  expect(open.map(({ name }) => name)).toEqual([]);
  const unsaid = changes.flatMap((op) => {
    const names = op.wire instanceof z.ZodObject ? Object.keys(op.wire.shape) : [];
    const secrets = new Set(secretsOf(op));
    return names
      .filter((name) => telling.test(name) && !harmless.has(name) && !secrets.has(name))
      .filter((name) => !(name === 'key' && keyedByName.has(op.name)))
      .filter((name) => !(name === 'token' && tokensOfMoney.has(op.name)))
      .map((n) => [op.name, n]);
  });
  expect(unsaid).toEqual([]);
  expect(changes.filter((op) => 'credentialBound' in op).length).toBeGreaterThan(20);
});
