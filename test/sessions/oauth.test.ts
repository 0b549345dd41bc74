import { afterAll, expect, test } from 'vitest';
import { nobody, withHeaders } from '../helpers/actors.ts';
import { browse, oidcClient, startOidcServer } from '../helpers/oidc-server.ts';
import { startService } from '../helpers/service.ts';
import { freshEmail, peopleOf, plane } from './person.ts';

const oidc = await startOidcServer();
const providers = [{ id: 'google', issuer: oidc.issuer, ...oidcClient, display_name: 'Google' }];
const service = await startService({ env: { OIDC_PROVIDERS: JSON.stringify(providers) } });
await oidc.serve([`${service.url}${plane}/oauth/google/callback`]);
afterAll(async () => {
  await service.stop();
  await oidc.stop();
});
const people = peopleOf(service);
const { post } = people;

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(service.url + path, { redirect: 'manual', headers });
const cookieOf = (response: Response, name: string) =>
  response.headers
    .getSetCookie()
    .find((one) => one.startsWith(`${name}=`))
    ?.split(';')[0];

/** Goes to the provider as somebody. @returns where it sends the browser back to, and what the browser keeps */
async function go(sub: string) {
  const begun = await get(`${plane}/oauth/google/start`);
  expect(begun.status).toBe(302);
  const back = new URL(await browse(`${begun.headers.get('location')}&login_hint=${sub}`));
  return { back: back.pathname + back.search, cookie: cookieOf(begun, '__Host-svc_cp_oauth')! };
}

async function arrive(sub: string) {
  const { back, cookie } = await go(sub);
  const answer = await get(back, { cookie });
  const session = cookieOf(answer, '__Host-Http-svc_cp_session');
  return { answer, session, back, cookie };
}

const sessionOf = async (cookie: string) =>
  (
    await service.call<{ principal: { id: string }; amr: string[]; email: string }>(
      withHeaders({ cookie }),
      'GET',
      `${plane}/session`,
    )
  ).body;

test('a social account with a verified address signs in, the same person each time', async () => {
  const email = freshEmail();
  oidc.accounts.set('ada', { email, email_verified: true });
  const { wallet, orgId } = await service.owner();
  await post(wallet, `/orgs/v1/${orgId}/invites`, { email, role: 'viewer' });
  const first = await arrive('ada');
  expect([first.answer.status, first.answer.headers.get('refresh')]).toEqual([200, `0; url=${plane}/account`]);
  const session = await sessionOf(first.session!);
  expect(session).toMatchObject({ amr: ['oauth_google'], email, memberships: [{ org_id: orgId, role: 'viewer' }] });
  expect((await sessionOf((await arrive('ada')).session!)).principal.id).toBe(session.principal.id);
  expect((await people.byMail(email)).principalId).toBe(session.principal.id);
});

test('the way back is good once, and in the browser that began it alone', async () => {
  oidc.accounts.set('bob', { email: freshEmail(), email_verified: true });
  const stolen = await go('bob');
  const other = (await get(`${plane}/oauth/google/start`)).headers;
  for (const cookie of ['', other.getSetCookie()[0]!.split(';')[0]!]) {
    const refused = await get(stolen.back, { cookie });
    expect([refused.status, refused.headers.get('x-svc-error-code')]).toEqual([401, 'INVALID_AUTH']);
  }
  const { back, cookie, session } = await arrive('bob');
  expect(session).toBeDefined();
  const answers = await Promise.all(Array.from({ length: 5 }, () => get(back, { cookie })));
  expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(401));
});

test('an address that is somebody’s already is not merged with, until its person links the account', async () => {
  const person = await people.withPasskey();
  oidc.accounts.set('eve', { email: person.email, email_verified: true });
  const refused = await arrive('eve');
  expect(refused.answer.headers.get('x-svc-error-code')).toBe('account_exists_requires_link');
  expect(refused.session).toBeUndefined();

  const link = async () => {
    const linking = await fetch(`${service.url}${plane}/oauth/google/link`, {
      method: 'POST',
      headers: await person.headers('/'),
    });
    const { auth_url } = (await linking.json()) as { auth_url: string };
    const back = new URL(await browse(`${auth_url}&login_hint=eve`));
    return get(back.pathname + back.search, { cookie: cookieOf(linking, '__Host-svc_cp_oauth')! });
  };
  const linked = await link();
  expect([linked.status, linked.headers.get('refresh')]).toEqual([200, `0; url=${plane}/account`]);
  expect((await sessionOf((await arrive('eve')).session!)).principal.id).toBe(person.principalId);
  // Once more changes nothing, and the trail names what there is.
  expect((await link()).status).toBe(200);
  const trail = await service.control.sql<{ known: boolean }>(
    `select exists (select from authenticators a where a.id::text = object_id) as known
      from audit_events where action = 'authenticator.linked'`,
  );
  expect(trail).toEqual([{ known: true }, { known: true }]);
});

test('linking takes a fresh passkey', async () => {
  const { status, body } = await post(await people.byMail(), `${plane}/oauth/google/link`);
  expect([status, body.code]).toEqual([403, 'STEP_UP_REQUIRED']);
});

test('an address that the provider has not verified signs nobody in', async () => {
  oidc.accounts.set('mallory', { email: freshEmail(), email_verified: false });
  const { answer, session } = await arrive('mallory');
  expect([answer.status, session]).toEqual([401, undefined]);
});

test('a provider that is not set up is said to be so', async () => {
  const answer = await service.call(nobody, 'GET', `${plane}/oauth/github/start`);
  expect([answer.status, answer.headers.get('x-svc-error-code')]).toEqual([503, 'PROVIDER_NOT_CONFIGURED']);
});
