import { afterAll, expect, test } from 'vitest';
import { bearer, createClient, SvcError, session } from '../../clients/sdk/src/index.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { peopleOf } from '../sessions/person.ts';

const service = await sharedService();
afterAll(() => service.stop());
const nobody = createClient({ baseUrl: service.url });

test('a session is looked at, given another bearer, and ended', async () => {
  const person = await service.actors.session({ passkeyAgeSeconds: 1 });
  const client = createClient({ baseUrl: service.url, credential: bearer(person.token) });
  const { principal } = await client.sessions.sessionGet();
  expect(principal.id).toBe(person.principalId);
  const credential = session({
    accessToken: `${person.token}x`,
    refresh: async () => (await client.sessions.sessionRefresh()).controlPlaneSessionToken,
  });
  const renewed = createClient({ baseUrl: service.url, credential });
  expect((await renewed.identity.whoami()).principal.id).toBe(person.principalId);
  await renewed.sessions.sessionRevoke();
  await expect(client.sessions.sessionGet()).rejects.toMatchObject({ status: 401 });
});

test('a device shows a code, waits for a person’s word, and reads in that person’s name', async () => {
  const { deviceCode, userCode, verificationUri } = await nobody.sessions.operatorBeginDevice({ clientName: 'sdk' });
  expect(verificationUri).toBe(`${service.url}/agent/v1/operator/device`);
  const pending = await nobody.sessions.operatorDeviceToken({ deviceCode }).catch((error: unknown) => error);
  expect(pending).toBeInstanceOf(SvcError);
  const person = await peopleOf(service).operatorByMail();
  const credential = { headers: ({ path }: { readonly path: string }) => person.headers(path) };
  const approver = createClient({ baseUrl: service.url, credential });
  await approver.sessions.operatorDecideDevice({ userCode, decision: 'approve' });
  await service.control.sql(`update device_flows set polled_at = polled_at - interval '1 minute'`);
  const { operatorSessionToken, email } = await nobody.sessions.operatorDeviceToken({ deviceCode });
  const device = createClient({ baseUrl: service.url, credential: bearer(operatorSessionToken) });
  expect(email).toBe(person.email);
  expect((await device.identity.whoami()).principal.type).toBe('human');
});
