import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';

const service = await sharedService();
afterAll(() => service.stop());
const { admin, nobody } = service.actors;

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

const send = (actor: Parameters<typeof service.call>[0], body: object, path = '/feedback/v1') =>
  service.call<Any>(actor, 'POST', path, { body });
const all = async (): Promise<Any[]> => (await service.call<Any>(admin, 'GET', '/admin/v1/feedback')).body.feedback;

test('what a member says reaches whoever runs the platform, and nobody else', async () => {
  const { wallet, orgId, projectId, principalId } = await service.project();
  const said = { message: 'The canary of feedback sings.', project_id: projectId, handle: 'Ada' };
  service.forgetLogged();
  expect(await send(wallet, { ...said, return_address: 'ada@example.com' })).toMatchObject({
    status: 200,
    body: { status: 'sent' },
  });
  expect((await send(wallet, { message: 'By the older name.' }, '/message/v1')).body).toEqual({ status: 'sent' });
  const found = (await all()).filter((one) => one.org_id === orgId);
  expect(found).toMatchObject([
    { message: 'By the older name.', project_id: null, handle: null },
    { ...said, principal_id: principalId, return_address: 'ada@example.com' },
  ]);
  for (const actor of [wallet, nobody])
    expect((await service.call(actor, 'GET', '/admin/v1/feedback')).status).not.toBe(200);
  expect(JSON.stringify(service.logged())).not.toContain('canary');
  const { body } = await service.call<Any>(wallet, 'GET', `/orgs/v1/${orgId}/audit`);
  expect(JSON.stringify(body)).not.toContain('canary');
  expect((await service.call<Any>(nobody, 'GET', '/feedback/v1')).body).toMatchObject({
    message_bytes_max: 8_192,
    readable: false,
  });
});

test('nothing, too much, and words of somebody without an active organization are refused', async () => {
  const { wallet, orgId } = await service.owner();
  for (const body of [{}, { message: '  ' }, { message: 'ä'.repeat(4_097) }, { message: 'x', handle: 'x'.repeat(65) }])
    expect((await send(wallet, body)).status, JSON.stringify(body).slice(0, 40)).toBe(400);
  expect((await send(wallet, { message: 'ä'.repeat(4_096) })).status).toBe(200);
  expect((await send(nobody, { message: 'Hello' })).status).toBe(401);
  const refused = { status: 403, body: { code: 'FEEDBACK_TIER_REQUIRED' } };
  expect(await send(service.actors.wallet(), { message: 'Hello' })).toMatchObject(refused);
  await service.control.sql(`update orgs set lifecycle_state = 'frozen' where id = $1`, [orgId]);
  expect(await send(wallet, { message: 'Hello' })).toMatchObject(refused);
});
