import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { escalationsOf } from './own-org.ts';
import { newChallenge, tokenOfPage } from './planted.ts';

const service = await sharedService();
afterAll(() => service.stop());
const { get } = escalationsOf(service);
const { control } = service;
const { nobody } = service.actors;

const open = (path: string) => service.call(nobody, 'GET', path, { headers: { accept: 'text/html' } });
const press = (path: string, token: string) =>
  service.call(nobody, 'POST', `${path}/form`, {
    body: new URLSearchParams({ token }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'null' },
  });

/** The form of a page, as a browser without scripts would send it. */
function formOf(text: string) {
  const [, action] = /<form method="post" action="([^"]+)">/.exec(text)!;
  const [, token] = /<input type="hidden" name="token" value="([^"]*)">/.exec(text)!;
  return { action: action!, token: token! };
}

const ack = '/escalations/v1/ack';
const confirm = '/agent/v1/contact/verify-email/confirm';

test('whoever follows the link of a page changes nothing; the button acknowledges, without a script', async () => {
  const { wallet, orgId } = await service.owner();
  const { escalationId, token, email } = await tokenOfPage(control, orgId);
  // A scanner of mail follows it, more than once, and by HEAD.
  for (let turn = 0; turn < 3; turn++) expect((await open(`${ack}?token=${token}`)).status).toBe(200);
  expect((await service.call(nobody, 'HEAD', `${ack}?token=${token}`)).status).toBe(200);
  expect((await get(wallet, orgId, escalationId)).body.status).toBe('open');
  const { text } = await open(`${ack}?token=${token}`);
  expect(text).not.toMatch(/<script/i);
  const form = formOf(text);
  expect(form).toEqual({ action: `${ack}/form`, token });
  const pressed = await press(ack, form.token);
  expect([pressed.status, pressed.text.includes('it is acknowledged')]).toEqual([200, true]);
  expect((await get(wallet, orgId, escalationId)).body.acknowledged).toMatchObject({
    by_email: email,
    channel: 'token',
  });
  const again = await press(ack, token);
  expect([again.status, again.text.includes(`acknowledged before by ${email}`)]).toEqual([200, true]);
});

test('what was raised is shown as text, whatever it looks like', async () => {
  const { orgId } = await service.owner();
  const { escalationId, token } = await tokenOfPage(control, orgId);
  await control.sql('update escalations set reason = $2 where id = $1', [
    escalationId,
    '<script>alert("x")</script>&amp;',
  ]);
  const { text } = await press(ack, token);
  expect(text).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&amp;amp;');
  expect(text).not.toContain('<script');
});

test.each([ack, confirm])(
  '%s is kept by nobody, framed by nobody, and leads nowhere with its address',
  async (path) => {
    const { headers } = await open(`${path}?token=x`);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect([headers.get('cache-control'), headers.get('referrer-policy'), headers.get('x-frame-options')]).toEqual([
      'private, no-store',
      'no-referrer',
      'DENY',
    ]);
  },
);

test.each(['"><script>alert(1)</script>', "'", '</form>', 'x'.repeat(5_000)])(
  'a token like %s stays where it is put',
  async (token) => {
    const { status, text } = await open(`${ack}?token=${encodeURIComponent(token)}`);
    expect(status).toBe(200);
    expect(text).not.toMatch(/<script|<\/form>.*<\/form>/s);
  },
);

test('a link that is good no more says so on a page', async () => {
  for (const path of [ack, confirm]) {
    const { status, headers, text } = await press(path, 'unknown');
    expect([status, headers.get('x-svc-error-code')]).toEqual([404, 'RESOURCE_NOT_FOUND']);
    expect(text).toMatch(/<p role="alert"[^>]*>This link is good no more\.<\/p>/);
    expect((await press(path, '')).status).toBe(400);
  }
});

test('an address is verified by its button, once', async () => {
  const token = await newChallenge(control);
  const { text } = await open(`${confirm}?token=${token}`);
  expect(formOf(text)).toEqual({ action: `${confirm}/form`, token });
  const pressed = await press(confirm, token);
  expect([pressed.status, pressed.text.includes('Thank you')]).toEqual([200, true]);
  expect((await press(confirm, token)).status).toBe(404);
});

test('no token is logged, neither where a page is opened nor where it is sent', async () => {
  const { orgId } = await service.owner();
  const { token } = await tokenOfPage(control, orgId);
  const challenge = await newChallenge(control);
  await open(`${ack}?token=${token}`);
  await press(ack, token);
  await service.call(nobody, 'POST', ack, { body: { token } });
  await open(`${confirm}?token=${challenge}`);
  await press(confirm, challenge);
  const logged = JSON.stringify(service.logged());
  expect(logged).toContain('/escalations/v1/ack');
  for (const one of [token, challenge]) expect(logged).not.toContain(one);
});
