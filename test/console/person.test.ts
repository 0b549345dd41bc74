import { createClient } from 'graphql-ws';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import WebSocket, { type CloseEvent } from 'ws';
import { type Actor, nobody, withHeaders } from '../helpers/actors.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { type Body, freshEmail, peopleOf, plane } from '../sessions/person.ts';

const service = await sharedService();
const people = peopleOf(service);
afterAll(() => service.stop());

const origin = service.url;
const whoami = '{ whoami { principal { principalId } } }';

/** A person whose session lives in a cookie, with what a page of the gateway knows of it. */
async function withCookie(signedIn?: Awaited<ReturnType<typeof people.byMail>>) {
  const person = signedIn ?? (await people.byMail());
  const opened = await people.post(person, `${plane}/session/browser`);
  const [cookie] = opened.headers.get('set-cookie')!.split(';');
  return { ...person, cookie: cookie!, csrf: opened.body.csrf_token as string };
}

type Shown = Awaited<ReturnType<typeof withCookie>>;
const pageOf = ({ cookie, csrf }: Shown, more: Record<string, string> = {}) =>
  withHeaders({ cookie, origin, 'x-svc-csrf': csrf, ...more });

/** Who GraphQL takes somebody for, or why it does not. */
async function taken(actor: Actor): Promise<string> {
  const { data, errors } = await service.graphql(actor, whoami);
  return errors === undefined ? data.whoami.principal.principalId : String(errors[0]!.extensions.code);
}

const sessionOf = async (headers: Record<string, string>) =>
  (await service.call<Body>(withHeaders(headers), 'GET', '/console/session.json')).body.person;

describe('a person’s session in the cookie of a browser', () => {
  test('is good for GraphQL where a page of the gateway sends it', async () => {
    const person = await withCookie();
    expect(await taken(pageOf(person))).toBe(person.principalId);
    const path = '/agent/v1/whoami';
    const { status, body } = await service.call<Body>(pageOf(person), 'GET', path);
    expect([status, body.principal?.id]).toEqual([200, person.principalId]);
  });

  test('is nobody’s without the word of the session, which a page of another site does not know', async () => {
    const { cookie } = await withCookie();
    expect(await taken(withHeaders({ cookie, origin }))).toBe('AUTH_REQUIRED');
  });

  test.each<[string, Record<string, string>]>([
    ['another site', { origin: 'https://elsewhere.example' }],
    ['a host of a project', { origin: origin.replace('127.0.0.1', 'p-one.localhost') }],
    ['a page without an origin', { origin: 'null' }],
    ['another port', { origin: 'http://127.0.0.1:1' }],
    ['a page that guesses the word', { 'x-svc-csrf': '0'.repeat(32) }],
  ])('is refused to %s', async (_who, headers) => {
    expect(await taken(pageOf(await withCookie(), headers))).toBe('CSRF_REFUSED');
  });

  test('is good where a page reads: browsers name no origin then, but say that it is the same one', async () => {
    const { cookie, csrf, principalId } = await withCookie();
    const read = (headers: Record<string, string>) =>
      service.call<Body>(withHeaders({ cookie, 'x-svc-csrf': csrf, ...headers }), 'GET', '/agent/v1/whoami');
    expect((await read({ 'sec-fetch-site': 'same-origin' })).body.principal.id).toBe(principalId);
    for (const headers of [{}, { 'sec-fetch-site': 'same-site' }, { origin: 'null', 'sec-fetch-site': 'same-origin' }])
      expect((await read(headers)).body.code).toBe('CSRF_REFUSED');
  });

  test('gives way to any other credential', async () => {
    const person = await withCookie();
    const other = await people.byMail();
    expect(await taken(pageOf(person, { authorization: `Bearer ${other.token}` }))).toBe(other.principalId);
    expect(await taken(pageOf(person, { authorization: 'Bearer none' }))).toBe('INVALID_AUTH');
  });

  test('opens a socket, which ends with it', async () => {
    const person = await withCookie();
    const { client } = socketOf(person);
    const ask = async () => (await client.iterate<Body>({ query: whoami }).next()).value;
    expect((await ask()).data.whoami.principal.principalId).toBe(person.principalId);
    const revoked = await service.call(pageOf(person), 'POST', `${plane}/session/browser/revoke`, { body: {} });
    expect([revoked.status, revoked.headers.get('set-cookie')]).toEqual([200, expect.stringContaining('Max-Age=0')]);
    expect((await ask()).errors[0].extensions.code).toBe('INVALID_AUTH');
    expect(await socketOf(person).closed).toBe(4403);
    expect(await taken(pageOf(person))).toBe('INVALID_AUTH');
  });

  test('ends what a socket follows, too, with half an hour without use', async () => {
    const person = await withCookie(await people.withPasskey());
    const { body } = await people.post(person, '/orgs/v1');
    await people.post(person, `/orgs/v1/${body.org_id}/rooms/general/messages`, { body: 'before' });
    const query = `subscription { roomMessages(org: "${body.org_id}", room: "general") { message { body } } }`;
    const events = socketOf(person).client.iterate<Body>({ query });
    expect((await events.next()).value.data.roomMessages.message.body).toBe('before');
    await service.control.sql(`update sessions set last_used_at = now() - interval '32 minutes' where email = $1`, [
      person.email,
    ]);
    expect((await events.next()).value.errors[0].extensions.code).toBe('NOT_AUTHORIZED');
  });

  test('opens no socket for a page of another site, whatever the browser sends along', async () => {
    const person = await withCookie();
    expect(await socketOf(person, { origin: 'https://elsewhere.example' }).closed).toBe(4403);
    expect(await socketOf({ ...person, csrf: 'guessed' }).closed).toBe(4403);
  });

  test('asks for what a session has to prove, and is let through with it', async () => {
    const { key, ...person } = await people.withPasskey();
    const opened = await people.post(person, `${plane}/session/browser`);
    const [cookie] = opened.headers.get('set-cookie')!.split(';');
    const page = pageOf({ ...person, cookie: cookie!, csrf: opened.body.csrf_token });
    const made = await service.graphql(
      page,
      'mutation { createOrganization(input: { displayName: "By hand" }) { orgId } }',
    );
    expect(made.errors).toBeUndefined();
    const create = `mutation { createProject(input: { org: "${made.data.createOrganization.orgId}", name: "One" }) { projectId } }`;
    const refused = await service.graphql(page, create);
    expect(refused.errors![0]!.extensions.code).toBe('WRITE_AUTH_REQUIRED');
  });
});

describe('what the console is told of who is signed in', () => {
  test('the person, and the word that goes with the cookie', async () => {
    const person = await withCookie();
    expect(await sessionOf({ cookie: person.cookie })).toEqual({
      csrf_token: person.csrf,
      principal_id: person.principalId,
      display_name: null,
      email: person.email,
      reads_only: false,
      expires_at: expect.any(String),
      waiting_for_passkey: [],
    });
  });

  test('what waits for a passkey: until it is there, and only what it is the last thing for', async () => {
    const { wallet, orgId } = await service.owner();
    const email = freshEmail();
    const invite = (org: string, actor: Actor, body: object) =>
      service.call(actor, 'POST', `/orgs/v1/${org}/invites`, { body: { email, ...body } });
    const expired = await service.owner();
    const taken = await service.owner();
    const below = await service.owner();
    await invite(orgId, wallet, { role: 'owner' });
    await invite(expired.orgId, expired.wallet, { role: 'owner' });
    await invite(taken.orgId, taken.wallet, { role: 'admin' });
    await invite(below.orgId, below.wallet, { role: 'developer' });
    const person = await withCookie(await people.byMail(email));
    await service.control.sql(
      `update memberships set invite_expires_at = now() - interval '1 second' where org_id = $1`,
      [expired.orgId],
    );
    await service.call(taken.wallet, 'DELETE', `/orgs/v1/${taken.orgId}/invites/${person.principalId}`);
    const waiting = async () => (await sessionOf({ cookie: person.cookie })).waiting_for_passkey;
    const told = { org_id: orgId, role: 'owner', display_name: null, expires_at: expect.any(String) };
    expect(await waiting()).toEqual([told]);
    await people.enrol(service.actors.bearer(person.token));
    expect(await waiting()).toEqual([]);
    const { body } = await service.call<Body>(pageOf(person), 'GET', '/agent/v1/whoami');
    expect(JSON.stringify(body)).toContain(orgId);
  });

  test('nobody, where nobody is signed in, and for whoever asks from elsewhere', async () => {
    const { cookie } = await withCookie();
    expect(await sessionOf({})).toBeNull();
    expect(await sessionOf({ cookie: `${cookie.slice(0, -1)}${cookie.endsWith('A') ? 'B' : 'A'}` })).toBeNull();
    for (const site of ['same-site', 'cross-site', 'none'])
      expect(await sessionOf({ cookie, 'sec-fetch-site': site })).toBeNull();
    const { headers } = await service.call(nobody, 'GET', '/console/session.json');
    // Read with a cookie by nobody but this origin, and kept by nobody.
    expect([headers.get('access-control-allow-credentials'), headers.get('cache-control')]).toEqual([null, 'no-store']);
  });

  test('that an operator only reads', async () => {
    const reader = await people.operatorByMail();
    const opened = await people.post(reader, `${plane}/session/browser`);
    const [cookie] = opened.headers.get('set-cookie')!.split(';');
    const told = await sessionOf({ cookie: cookie! });
    expect(told).toMatchObject({ email: reader.email, reads_only: true });
  });
});

/** A socket as a browser opens it from a page: the cookie and the origin go with the upgrade. */
function socketOf({ cookie, csrf }: Shown, more: Record<string, string> = {}) {
  const closed = Promise.withResolvers<number>();
  const client = createClient({
    url: `${service.url.replace(/^http/, 'ws')}/graphql`,
    // It stays open between operations, as the console's does.
    lazy: false,
    retryAttempts: 0,
    connectionParams: { 'x-svc-csrf': csrf },
    webSocketImpl: class extends WebSocket {
      constructor(address: string, protocol: string) {
        super(address, protocol, { headers: { cookie, origin, ...more } });
      }
    },
    on: { closed: (event) => closed.resolve((event as CloseEvent).code) },
    onNonLazyError: () => undefined,
  });
  onTestFinished(async () => client.dispose());
  return { client, closed: closed.promise };
}
