import { afterAll, expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../auth/passkeys/software-authenticator.ts';
import { nobody, withHeaders } from '../helpers/actors.ts';
import { startService } from '../helpers/service.ts';
import { hostCall } from '../hosted/host-call.ts';
import { operator, peopleOf, plane } from './person.ts';

const outside = 'https://gateway.example';
// Nobody listens there: what matters is that mail is meant to go out.
const service = await startService({ env: { PUBLIC_BASE_URL: outside, SMTP_URL: 'smtp://127.0.0.1:9' }, jobs: false });
afterAll(() => service.stop());
const people = peopleOf(service);
const { post } = people;

test('behind a proxy passkeys, pages and links belong to the public address, not to the one that was asked', async () => {
  const person = await people.byMail();
  expect(await people.mailTo(person.email)).toContain(`${outside}${plane}/sign-in/link?token=`);
  const device = await post(nobody, `${operator}/session/device`);
  expect(device.body.verification_uri).toBe(`${outside}${operator}/device`);

  const asked = await post(person, `${plane}/passkey/enroll/options`);
  expect(asked.body.options.rp.id).toBe('gateway.example');
  const { response } = new SoftwareAuthenticator(service.url).create({ challenge_id: '', ...asked.body });
  expect((await post(person, `${plane}/passkey/enroll/verify`, { response })).body.code).toBe('VALIDATION_FAILED');
  const key = await people.enrol(person, new SoftwareAuthenticator(outside));
  expect((await people.stepUp(person, key)).status).toBe(200);

  const opened = await post(person, `${plane}/session/browser`);
  const cookie = opened.headers.get('set-cookie')!.split(';')[0]!;
  const from = (origin: string) => withHeaders({ cookie, origin, 'x-svc-csrf': opened.body.csrf_token });
  expect((await post(from(service.url), `${plane}/step-up/options`)).body.code).toBe('CSRF_REFUSED');
  expect((await post(from(outside), `${plane}/step-up/options`)).status).toBe(200);
  const page = await service.call(from(outside), 'GET', `${plane}/account`);
  expect(page.headers.get('content-security-policy')).toContain(`script-src ${outside}${plane}/pages.js`);
});

test('who asks for a link is told where it is, if the installation sends no mail', async () => {
  const mailless = await startService({ jobs: false });
  const said = async (one: typeof service, origin: string) => {
    const headers = { origin, 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams({ email: 'ada@example.com' });
    const answer = await fetch(`${one.url}${plane}/sign-in`, { method: 'POST', headers, body });
    return [answer.status, await answer.text()];
  };
  expect(await said(mailless, mailless.url)).toEqual([200, expect.stringContaining('/console/outbox')]);
  expect(await said(service, outside)).toEqual([200, expect.not.stringContaining('outbox')]);
  await mailless.stop();
});

test('in development the page shows the link to who asks for this machine by name, and to nobody else', async () => {
  const local = await startService({ env: { ALLOWED_HOSTS: 'gateway.internal' }, jobs: false });
  const email = 'ada@example.com';
  const ask = (host: string) => hostCall(local, host)('POST', `${plane}/sign-in`, { form: { email } });
  const { host } = new URL(local.url);
  const here = await ask(host);
  const link = here.headers.get('x-svc-unsent-link')!;
  expect(await peopleOf(local).mailTo(email)).toContain(link);
  expect(here.text).toContain(`href="${link}"`);
  const elsewhere = await ask('gateway.internal');
  expect([elsewhere.status, elsewhere.headers.get('x-svc-unsent-link')]).toEqual([200, null]);
  expect(elsewhere.text).not.toContain('token=');
  await local.stop();
});

test('without a public address links of mails lead to this machine, whatever host the request names', async () => {
  const local = await startService({ env: { ALLOWED_HOSTS: 'gateway.internal' }, jobs: false });
  const { port } = new URL(local.url);
  const email = 'ada@example.com';
  const sent = await hostCall(local, 'gateway.internal')('POST', `${plane}/session/email`, { json: { email } });
  expect(sent.body.message).toContain(`http://localhost:${port}/console/outbox`);
  expect(await peopleOf(local).mailTo(email)).toContain(`http://localhost:${port}${plane}/sign-in/link?token=`);
  await local.stop();
});
