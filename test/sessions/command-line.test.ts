import { afterAll, expect, test } from 'vitest';
import { type Actor, nobody, withHeaders } from '../helpers/actors.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { type Body, peopleOf, pkce, plane } from './person.ts';

const service = await sharedService();
afterAll(() => service.stop());
const people = peopleOf(service);
const { control, call } = service;
const { post, browserOf } = people;

const waiting = 'http://127.0.0.1:43211/callback';

/** Opens the page of a loopback sign-in. @returns the sign-in's id, and what the client keeps to itself */
async function authorize(browser: Actor, more: Record<string, string> = {}) {
  const { verifier, challenge } = pkce();
  const query = new URLSearchParams({
    redirect_uri: waiting,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'state-of-the-client',
    nonce: 'n',
    ...more,
  });
  const page = await call(browser, 'GET', `${plane}/cli/authorize?${query}`);
  return { page, verifier, flow: /name="flow_id" value="([^"]+)"/.exec(page.text)?.[1] };
}

async function approved() {
  const person = await people.withPasskey();
  const browser = await browserOf(person);
  const { flow, verifier } = await authorize(browser);
  const { body } = await post(browser, `${plane}/cli/approve`, { flow_id: flow });
  const url = new URL(body.redirect_url);
  return { person, browser, flow, verifier, url, code: url.searchParams.get('code')! };
}

const token = (body: object) => post(nobody, `${plane}/cli/token`, body);

test('a command line signs in by the browser of its person', async () => {
  const { person, url, code, verifier } = await approved();
  expect([url.origin, url.pathname, url.searchParams.get('state')]).toEqual([
    'http://127.0.0.1:43211',
    '/callback',
    'state-of-the-client',
  ]);
  const { status, body } = await token({
    code,
    code_verifier: verifier,
    redirect_uri: waiting,
    state: 'state-of-the-client',
  });
  expect([status, body]).toEqual([
    200,
    {
      control_plane_session_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 900,
      provenance: 'loopback_pkce',
      principal_id: person.principalId,
      amr: ['passkey'],
    },
  ]);
  // Fresh by the passkey that approved it.
  const cli = withHeaders({ authorization: `Bearer ${body.control_plane_session_token}` });
  expect((await post(cli, '/orgs/v1')).status).toBe(201);
});

test('of twenty who trade one code at once, one has the session', async () => {
  const { code, verifier } = await approved();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => token({ code, code_verifier: verifier, redirect_uri: waiting })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(400)]);
  expect(answers.filter(({ body }) => body.code === 'INVALID_GRANT')).toHaveLength(19);
});

test.each<[string, (right: { code: string; code_verifier: string }) => object, string]>([
  ['another verifier', (right) => ({ ...right, code_verifier: pkce().verifier }), 'INVALID_PKCE'],
  ['another state', (right) => ({ ...right, state: 'other' }), 'INVALID_GRANT'],
  ['another port', (right) => ({ ...right, redirect_uri: 'http://127.0.0.1:1/callback' }), 'INVALID_REDIRECT_URI'],
])('a code with %s is refused, and is good no more', async (_case, wrong, expected) => {
  const { code, verifier } = await approved();
  const right = { code, code_verifier: verifier };
  const { status, body } = await token(wrong(right));
  expect([status, body.code]).toEqual([400, expected]);
  expect((await token(right)).body.code).toBe('INVALID_GRANT');
});

test('a code is over after five minutes of the database', async () => {
  const { code, verifier } = await approved();
  await control.sql('update loopback_flows set code_expires_at = now()');
  expect((await token({ code, code_verifier: verifier })).body.code).toBe('INVALID_GRANT');
});

test.each([
  'http://127.0.0.1:43211/callback',
  'http://[::1]:43211/callback',
  'http://localhost:43211/callback',
  'http://127.0.0.1/callback',
])('%s is an address of the machine itself', async (redirect_uri) => {
  const browser = await browserOf(await people.withPasskey());
  expect((await authorize(browser, { redirect_uri })).page.status).toBe(200);
});

test.each([
  'https://127.0.0.1:43211/callback',
  'http://127.0.0.1:43211/',
  'http://127.0.0.1:43211/callback?x=1',
  'http://127.0.0.1:43211/callback#x',
  'http://127.0.0.1:99999/callback',
  'http://127.0.0.1.evil.example/callback',
  'http://evil.example/callback',
  'http://user@127.0.0.1:1/callback',
  'http://127.1:1/callback',
  'http://localhost.evil.example:1/callback',
  'javascript:alert(1)',
])('%s is none, and nobody is sent there', async (redirect_uri) => {
  const { page } = await authorize(nobody, { redirect_uri });
  expect([page.status, page.headers.get('x-svc-error-code')]).toEqual([400, 'INVALID_REDIRECT_URI']);
  expect(page.headers.get('location')).toBeNull();
});

test('the page asks who comes without a session to sign in first, and to come back', async () => {
  const { page } = await authorize(nobody);
  expect(page.status).toBe(200);
  expect(page.text).toContain('Sign in');
});

test('approving takes a passkey of the last five minutes, and the browser’s own word', async () => {
  const person = await people.byMail();
  const key = await people.enrol(person);
  const browser = await browserOf(person);
  const { flow } = await authorize(browser);
  const stale = await post(browser, `${plane}/cli/approve`, { flow_id: flow });
  expect(stale.body).toMatchObject({ code: 'STEP_UP_REQUIRED', details: { op_class: 'cli.authorize' } });
  await people.stepUp(person, key);
  const given = await browser.headers('/');
  for (const headers of [
    { ...given, origin: 'https://evil.example' },
    { ...given, origin: 'null' },
    { cookie: given.cookie!, 'x-svc-csrf': given['x-svc-csrf']! },
    { ...given, 'x-svc-csrf': 'other' },
    { cookie: given.cookie!, origin: service.url },
  ]) {
    const refused = await post(withHeaders(headers), `${plane}/cli/approve`, { flow_id: flow });
    expect([refused.status, refused.body.code]).toEqual([403, 'CSRF_REFUSED']);
  }
  expect((await post(browser, `${plane}/cli/approve`, { flow_id: flow })).status).toBe(200);
  expect((await post(browser, `${plane}/cli/approve`, { flow_id: flow })).body.code).toBe('FLOW_NOT_PENDING');
  expect((await post(browser, `${plane}/cli/approve`, { flow_id: 'none' })).body.code).toBe('FLOW_NOT_FOUND');
});

test('the facts of a sign-in are for who is signed in', async () => {
  const { browser, flow } = await approved();
  const { body } = await call(browser, 'GET', `${plane}/cli/authorize/${flow}`);
  expect(body).toEqual({ flow_id: flow, redirect_uri: waiting, status: 'approved', expires_at: expect.any(String) });
  expect((await call(nobody, 'GET', `${plane}/cli/authorize/${flow}`)).status).toBe(401);
  const absent = await call<{ code: string }>(browser, 'GET', `${plane}/cli/authorize/none`);
  expect([absent.status, absent.body.code]).toEqual([404, 'FLOW_NOT_FOUND']);
});

test('a cookie is renewed and ended by its browser; an earlier one is good no more', async () => {
  const person = await people.byMail();
  const first = await browserOf(person);
  const renewed = await post(first, `${plane}/session/browser/refresh`);
  expect((await call(first, 'GET', `${plane}/session`)).status).toBe(401);
  expect(renewed.headers.get('set-cookie')).toMatch(
    /^__Host-Http-svc_cp_session=v1\.\S+; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
  );
  const second = withHeaders({
    cookie: renewed.headers.get('set-cookie')!.split(';')[0]!,
    origin: service.url,
    'x-svc-csrf': renewed.body.csrf_token,
  });
  expect((await call(second, 'GET', `${plane}/session`)).status).toBe(200);
  // To other paths it is nobody's, unless a page of this server shows the session's word.
  const bare = withHeaders({ cookie: renewed.headers.get('set-cookie')!.split(';')[0]!, origin: service.url });
  expect((await call(bare, 'GET', '/agent/v1/whoami')).status).toBe(401);
  expect((await call(second, 'GET', '/agent/v1/whoami')).status).toBe(200);
  expect((await post(second, `${plane}/session/browser/revoke`)).body).toEqual({ status: 'revoked' });
  expect((await call(second, 'GET', `${plane}/session`)).status).toBe(401);
  expect((await call(person, 'GET', `${plane}/session`)).status).toBe(401);
});

/** A person with an organization, in a session of a command line and in a browser. */
async function approver() {
  const person = await people.withPasskey();
  const { body } = await post(person, '/orgs/v1');
  const cli = people.personOf(person.email, (await people.byPasskey(person.email, person.key)).body);
  return { person, cli, browser: await browserOf(person), orgId: body.org_id as string };
}

async function ask(cli: Actor, more: object) {
  const { verifier, challenge } = pkce();
  const answer = await post(cli, `${plane}/write-auth/challenges`, {
    action: 'org.project.create',
    cli_redirect_uri: waiting,
    code_challenge: challenge,
    state: 's',
    ...more,
  });
  return { answer, verifier, id: answer.body.challenge_id as string };
}

async function confirm(browser: Actor, person: { key: Body }, challenge_id: string) {
  const asked = await post(browser, `${plane}/write-auth/options`, { challenge_id });
  if (asked.status !== 200) return asked;
  const { response } = person.key.get({ challenge_id: '', ...asked.body });
  return post(browser, `${plane}/write-auth/verify`, { challenge_id, response });
}

const fetchToken = (body: object) => post(nobody, `${plane}/write-auth/cli/token`, body);

async function approval() {
  const all = await approver();
  const { verifier, id } = await ask(all.cli, { org_id: all.orgId });
  const { body } = await confirm(all.browser, all.person, id);
  const code = new URL(body.redirect_url).searchParams.get('code')!;
  return { ...all, id, code, verifier };
}

const createProject = async (actor: Actor, orgId: string, write: string) =>
  post(withHeaders({ ...(await actor.headers('/')), 'x-svc-write-auth': `Bearer ${write}` }), '/projects/v1', {
    org_id: orgId,
  });

test('an approved action is done by the session that asked, and by no other', async () => {
  const { person, cli, orgId, code, verifier } = await approval();
  const { status, body } = await fetchToken({ code, code_verifier: verifier, state: 's' });
  expect([status, body]).toEqual([
    201,
    {
      write_auth_token: expect.any(String),
      token_type: 'write_auth',
      header: 'X-Svc-Write-Auth',
      session: {
        write_auth_session_id: expect.stringMatching(/^wap_/),
        expires_at: expect.any(String),
        absolute_expires_at: expect.any(String),
        amr: ['passkey'],
      },
    },
  ]);
  const write: string = body.write_auth_token;
  expect((await createProject(person, orgId, write)).body.code).toBe('WRITE_AUTH_BINDING_MISMATCH');
  const other = (await post(person, '/orgs/v1')).body.org_id as string;
  expect((await createProject(cli, other, write)).body.code).toBe('WRITE_AUTH_BINDING_MISMATCH');
  expect((await createProject(cli, orgId, write)).status).toBe(201);

  const { body: listed } = await call<Body>(cli, 'GET', `${plane}/write-auth/sessions`);
  expect(listed.sessions).toEqual([
    expect.objectContaining({ action: 'org.project.create', org_id: orgId, project_id: null }),
  ]);
  const id: string = listed.sessions[0].write_auth_session_id;
  const stranger = await people.byMail();
  expect((await post(stranger, `${plane}/write-auth/sessions/${id}/revoke`)).status).toBe(404);
  expect((await post(cli, `${plane}/write-auth/sessions/${id}/revoke`)).body).toEqual({
    write_auth_session_id: id,
    revoked: true,
  });
  expect((await createProject(cli, orgId, write)).body.code).toBe('WRITE_AUTH_SESSION_INVALID');
});

test('a code of an approval is good once, also when twenty trade it at once', async () => {
  const { code, verifier } = await approval();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => fetchToken({ code, code_verifier: verifier, state: 's' })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(401)]);
});

test.each<[string, object, number, string]>([
  ['another verifier', { code_verifier: pkce().verifier }, 400, 'INVALID_PKCE'],
  ['another state', { state: 'x' }, 400, 'INVALID_GRANT'],
  ['another code', { code: 'x' }, 401, 'INVALID_AUTH'],
])('an approval with %s is refused', async (_case, wrong, status, expected) => {
  const { code, verifier } = await approval();
  const answer = await fetchToken({ code, code_verifier: verifier, state: 's', ...wrong });
  expect([answer.status, answer.body.code]).toEqual([status, expected]);
});

test('an approval dies with its session', async () => {
  const { cli, orgId, code, verifier } = await approval();
  const { body } = await fetchToken({ code, code_verifier: verifier, state: 's' });
  await post(cli, `${plane}/session/revoke`);
  expect((await createProject(cli, orgId, body.write_auth_token)).status).toBe(401);
});

test('an approval idles out after half an hour and ends after four', async () => {
  const { cli, orgId, code, verifier } = await approval();
  const { body } = await fetchToken({ code, code_verifier: verifier, state: 's' });
  const { expires_at, absolute_expires_at } = body.session;
  expect(Date.parse(absolute_expires_at) - Date.parse(expires_at)).toBe(3.5 * 3_600_000);
  await control.sql(`update write_approvals set last_used_at = now() - interval '31 minutes'`);
  expect((await createProject(cli, orgId, body.write_auth_token)).body.code).toBe('WRITE_AUTH_SESSION_INVALID');
  await control.sql(`update write_approvals set last_used_at = now(), absolute_expires_at = now()`);
  expect((await createProject(cli, orgId, body.write_auth_token)).body.code).toBe('WRITE_AUTH_SESSION_INVALID');
});

test('all approvals of a person are taken back at once', async () => {
  const { cli, code, verifier } = await approval();
  await fetchToken({ code, code_verifier: verifier, state: 's' });
  expect((await post(cli, `${plane}/write-auth/sessions/revoke-all`)).body).toEqual({ revoked_count: 1 });
  expect((await post(cli, `${plane}/write-auth/sessions/revoke-all`)).body).toEqual({ revoked_count: 0 });
  expect((await call<Body>(cli, 'GET', `${plane}/write-auth/sessions`)).body.sessions).toEqual([]);
});

test('what is asked names the target of its action and no other, and is confirmed by its own person', async () => {
  const { cli, orgId } = await approver();
  const { answer, id } = await ask(cli, { org_id: orgId });
  expect([answer.status, answer.body]).toEqual([
    201,
    {
      challenge_id: id,
      confirm_url: `${service.url}${plane}/write-auth/confirm/${id}`,
      expires_at: expect.any(String),
      action: 'org.project.create',
      org_id: orgId,
      project_id: null,
      delivery: 'cli_loopback',
    },
  ]);
  expect((await ask(cli, {})).answer.body.details).toMatchObject({ field: 'org_id' });
  expect((await ask(cli, { org_id: orgId, project_id: 'prj_x' })).answer.body.details.field).toBe('project_id');
  expect((await ask(cli, { action: 'org.delete', org_id: orgId })).answer.status).toBe(400);
  expect((await ask(cli, { org_id: orgId, cli_redirect_uri: 'http://evil.example/callback' })).answer.body.code).toBe(
    'INVALID_REDIRECT_URI',
  );
  const stranger = await people.withPasskey();
  const refused = await confirm(await browserOf(stranger), stranger, id);
  expect([refused.status, refused.body.code]).toEqual([404, 'FLOW_NOT_FOUND']);
});

test('the page of an approval names its target to a member, and to nobody else', async () => {
  const { cli, person, browser, orgId } = await approver();
  await call(person, 'PATCH', `/orgs/v1/${orgId}`, { body: { display_name: 'Ada & Co' } });
  const { id } = await ask(cli, { org_id: orgId });
  const named = await call(browser, 'GET', `${plane}/write-auth/confirm/${id}`);
  expect([named.status, named.text]).toEqual([200, expect.stringContaining('<dd>Ada &amp; Co</dd>')]);
  const other = await approver();
  const foreign = await ask(other.cli, { org_id: orgId });
  const unnamed = await call(other.browser, 'GET', `${plane}/write-auth/confirm/${foreign.id}`);
  expect([unnamed.status, unnamed.text]).toEqual([200, expect.not.stringContaining('Ada')]);
});

test('the answer of one approval confirms no other', async () => {
  const { cli, person, browser, orgId } = await approver();
  const [one, other] = [await ask(cli, { org_id: orgId }), await ask(cli, { org_id: orgId })];
  const asked = await post(browser, `${plane}/write-auth/options`, { challenge_id: one.id });
  const { response } = person.key.get({ challenge_id: '', ...asked.body });
  const { status } = await post(browser, `${plane}/write-auth/verify`, { challenge_id: other.id, response });
  expect(status).toBe(401);
});

test('the sign-in pages forbid frames, foreign scripts and being kept', async () => {
  const browser = await browserOf(await people.withPasskey());
  const pages = [
    await call(nobody, 'GET', `${plane}/sign-in`),
    await call(browser, 'GET', `${plane}/account`),
    (await authorize(browser)).page,
  ];
  for (const { status, headers, text } of pages) {
    expect(status).toBe(200);
    const policy = headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain(`script-src ${service.url}${plane}/pages.js`);
    expect(policy).not.toContain('unsafe');
    expect(headers.get('cache-control')).toContain('no-store');
    expect(text).toContain('<html lang="en">');
  }
});
