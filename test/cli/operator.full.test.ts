import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Actor, withHeaders } from '../helpers/actors.ts';
import { startService } from '../helpers/service.ts';
import { peopleOf, plane } from '../sessions/person.ts';
import { type Streaming, type Terminal, terminal } from './command.ts';

const service = await startService();
const people = peopleOf(service);
const { call } = service;
const { post } = people;
const terminals: Terminal[] = [];
afterAll(async () => {
  await Promise.all(terminals.map((one) => one.remove()));
  await service.stop();
});

async function person(): Promise<Terminal> {
  const one = await terminal(service.url);
  terminals.push(one);
  return one;
}

/** The address that a command asks to be opened, once it does. */
async function pageOf(command: Streaming): Promise<URL> {
  await expect.poll(() => command.stderr()).toMatch(/^ {2}http/m);
  return new URL(/^ {2}(http\S+)/m.exec(command.stderr())![1]!);
}

async function browserOf(actor: Actor): Promise<Actor> {
  const answer = await post(actor, `${plane}/session/browser`);
  const cookie = answer.headers.get('set-cookie')!.split(';')[0]!;
  return withHeaders({ cookie, origin: service.url, 'x-svc-csrf': answer.body.csrf_token });
}

/** Signs a person in at a terminal by loopback, as their browser would. */
async function signIn(ada: Terminal, who: Awaited<ReturnType<typeof people.withPasskey>>, ...more: string[]) {
  const login = ada.stream('operator', 'login', ...(more.length === 0 ? ['--loopback'] : more));
  const page = await pageOf(login);
  const browser = await browserOf(who);
  const { text } = await call(browser, 'GET', page.pathname + page.search);
  const flow_id = /name="flow_id" value="([^"]+)"/.exec(text)![1];
  const { body } = await post(browser, `${plane}/cli/approve`, { flow_id });
  // Whatever else knocks meanwhile is shown the door, and stops nobody.
  const { origin } = new URL(body.redirect_url);
  for (const path of ['//', `/callback?state=${'%C3%A9'.repeat(22)}`])
    expect((await fetch(origin + path)).status).toBe(404);
  await fetch(body.redirect_url);
  return login.ended;
}

test('a person signs in by a code, reads, and signs out; the token is printed by nothing', async () => {
  const ada = await person();
  expect((await ada.svc('operator', 'whoami')).error.code).toBe('OPERATOR_LOGIN_REQUIRED');
  const who = await people.operatorByMail();
  const login = ada.stream('operator', 'login');
  const page = await pageOf(login);
  const user_code = /enter the code (\S+)/.exec(login.stderr())![1]!;
  expect(page.origin).toBe(service.url);
  await post(who, '/agent/v1/operator/session/device/approve', { user_code, decision: 'approve' });
  const done = await login.ended;
  expect(done.json).toMatchObject({ email: who.email, provenance: 'device_flow' });
  const file = join(ada.config, 'operator-session.json');
  expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600');
  const { token } = JSON.parse(await readFile(file, 'utf8'));
  const said = [
    done,
    await ada.svc('operator', 'whoami'),
    await ada.svc('operator', 'status'),
    await ada.svc('operator', 'overview'),
  ];
  for (const { code, stdout, stderr } of said) {
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain(token);
  }
  expect(said[3]!.json).toMatchObject({ scope: { kind: 'email' } });
  // It reads, and that is all.
  expect((await ada.svc('org', 'create')).error.http).toBe(403);
  expect((await ada.svc('operator', 'logout')).json).toEqual({ logged_out: true, revoked: ['operator'] });
  await expect(stat(file)).rejects.toThrow('ENOENT');
  expect((await ada.svc('operator', 'logout')).json).toEqual({ logged_out: true, revoked: [] });
});

test('a code that is refused in the browser signs nobody in', async () => {
  const ada = await person();
  const login = ada.stream('operator', 'login', '--device', '--no-open');
  await pageOf(login);
  const user_code = /enter the code (\S+)/.exec(login.stderr())![1]!;
  await post(await people.operatorByMail(), '/agent/v1/operator/session/device/approve', {
    user_code,
    decision: 'deny',
  });
  const { code, stderr } = await login.ended;
  expect(code).toBe(1);
  expect(stderr).toContain('OPERATOR_LOGIN_DENIED');
});

test('a person signs in by a browser on this machine, and changes things with an approval', async () => {
  const ada = await person();
  const who = await people.withPasskey();
  const done = await signIn(ada, who);
  expect(done.json).toMatchObject({
    principal_id: who.principalId,
    provenance: 'loopback_pkce',
    amr: ['passkey'],
    memberships: expect.any(Array),
  });
  const org = (await ada.svc('org', 'create', '--name', 'By hand')).json.org_id;
  const refused = await ada.svc('projects', 'provision', '--org', org);
  expect(refused.error).toMatchObject({ http: 403, code: 'WRITE_AUTH_REQUIRED' });
  expect(refused.error.next_actions[0].command).toBe(`svc operator approve --action org.project.create --org ${org}`);

  const elsewhere = {
    api_base: 'http://127.0.0.1:9',
    action: 'project.deploy',
    project_id: 'prj_0kz3m',
    token: 'theirs',
  };
  const kept = join(ada.config, 'write-auth-session.json');
  await writeFile(kept, JSON.stringify({ approvals: [{ ...elsewhere, expires_at: '2999-01-01T00:00:00Z' }] }), {
    mode: 0o600,
  });
  const approve = ada.stream('operator', 'approve', '--action', 'org.project.create', '--org', org);
  const page = await pageOf(approve);
  const challenge_id = page.pathname.split('/').at(-1);
  const browser = await browserOf(who);
  const asked = await post(browser, `${plane}/write-auth/options`, { challenge_id });
  const response = who.key.get({ challenge_id: '', ...asked.body }).response;
  const verified = await post(browser, `${plane}/write-auth/verify`, { challenge_id, response });
  await fetch(
    verified.body.redirect_url ??
      verified.body.redirect_target ??
      Object.values(verified.body).find((one) => String(one).startsWith('http://127')),
  );
  expect((await approve.ended).json).toMatchObject({ approved: true, action: 'org.project.create', org_id: org });
  expect((await ada.svc('operator', 'status')).json).toMatchObject({
    operator_login: { active: true, provenance: 'loopback_pkce' },
    approvals: [{ action: 'org.project.create', org_id: org, project_id: null }],
  });
  expect((await ada.with({ SVC_API_BASE: elsewhere.api_base })('operator', 'status')).json).toMatchObject({
    approvals: [{ action: 'project.deploy', project_id: 'prj_0kz3m' }],
  });
  expect((await ada.svc('projects', 'provision', '--org', org)).json.project_id).toMatch(/^prj_/);
  expect((await ada.svc('operator', 'logout')).json.revoked).toEqual(['control-plane']);
});

test('what is in a project is named to the wallet that answers for it', async () => {
  const ada = await person();
  await ada.svc('init');
  const project = (await ada.svc('projects', 'provision', '--name', 'Notes')).json.project_id;
  await ada.svc('projects', 'sql', 'create table notes (id int)');
  const told = await ada.svc('operator', 'contents');
  expect(told.json).toMatchObject({ project_id: project, tables: ['notes'], domains: [] });
  const bob = await person();
  await bob.svc('init');
  expect((await bob.svc('operator', 'contents', project)).error).toMatchObject({ http: 403, code: 'NOT_AUTHORIZED' });
});

test('a person claims what a wallet owns, and both prove it', async () => {
  const ada = await person();
  const who = await people.withPasskey();
  await signIn(ada, who, '--step-up', '--no-open');
  const missing = await ada.svc('operator', 'claim-wallet-org');
  expect(missing.error.code).toBe('NO_WALLET');
  await ada.svc('init');
  const org = (await ada.svc('org', 'create')).json.org_id;
  const claimed = await ada.svc('operator', 'claim-wallet-org', '--org', org, '--name', 'Ours');
  expect(claimed.json).toMatchObject({ status: 'claimed', org_id: org, display_name: 'Ours', role: 'owner' });
});

test('a stranger who comes to the waiting port is sent away, and time is up in the end', async () => {
  const ada = await person();
  const login = ada.stream('operator', 'login', '--loopback', '--timeout-seconds', '10');
  const back = new URL((await pageOf(login)).searchParams.get('redirect_uri')!);
  back.search = '?code=stolen&state=guessed';
  expect((await fetch(back)).status).toBe(404);
  const { code, stderr } = await login.ended;
  expect(code).toBe(1);
  expect(stderr).toContain('OPERATOR_LOGIN_TIMEOUT');
});
