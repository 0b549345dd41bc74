import { afterAll, describe, expect, test } from 'vitest';
import { nobody } from '../helpers/actors.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { type Body, peopleOf, plane } from '../sessions/person.ts';

const service = await sharedService();
const people = peopleOf(service);
afterAll(() => service.stop());

/** What a browser has of a person who is signed in: a cookie, and the word that pages of the gateway alone know. */
// With a fresh passkey: nothing but the cookie’s own rules is in the way.
const person = await people.withPasskey();
const opened = await people.post(person, `${plane}/session/browser`);
const cookie = opened.headers.get('set-cookie')!.split(';')[0]!;
const csrf: string = opened.body.csrf_token;

const send = async (method: string, path: string, headers: Record<string, string>, body?: string) => {
  const sent = await fetch(service.url + path, {
    method,
    headers: { cookie, ...headers },
    ...(body === undefined ? {} : { body }),
    redirect: 'manual',
  });
  return { status: sent.status, headers: sent.headers, text: await sent.text() };
};

const organizations = async (): Promise<number> => {
  const [row] = await service.control.sql<{ count: number }>(
    'select count(*)::int as count from memberships where principal_id = $1',
    [person.principalId],
  );
  return row!.count;
};
const create = 'mutation { createOrganization(input: { displayName: "Forged" }) { orgId } }';
const graphql = JSON.stringify({ query: create });

const port = new URL(service.url).port;
const places: readonly [string, Record<string, string>][] = [
  ['that names no origin', {}],
  ['of another site', { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }],
  ['of a sandboxed frame', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ['of a frame that says it is of the same origin', { origin: 'null', 'sec-fetch-site': 'same-origin' }],
  ['of another port', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
  ['of the same port by another scheme', { origin: `https://127.0.0.1:${port}`, 'sec-fetch-site': 'same-site' }],
  ['of a name below', { origin: `http://p-one.localhost:${port}`, 'sec-fetch-site': 'same-site' }],
  ['that is no page of a site', { 'sec-fetch-site': 'none' }],
  ['of the same site', { 'sec-fetch-site': 'same-site' }],
  ['of a site, in other words', { 'sec-fetch-site': 'Same-Origin' }],
];
const kinds: readonly [string, string, string][] = [
  ['JSON', 'application/json', graphql],
  ['a text', 'text/plain', graphql],
  ['a form', 'application/x-www-form-urlencoded', `query=${encodeURIComponent(create)}`],
  [
    'a form of parts',
    'multipart/form-data; boundary=x',
    `--x\r\nContent-Disposition: form-data; name="operations"\r\n\r\n${graphql}\r\n--x--\r\n`,
  ],
  ['a document', 'application/graphql', create],
];

describe.each(places)('a page %s changes nothing with the cookie of whoever looks at it', (_which, headers) => {
  test.each(kinds)('by %s', async (_kind, type, body) => {
    const before = await organizations();
    const further: Record<string, string>[] = [{}, { 'x-svc-csrf': 'guessed' }, { 'x-svc-csrf': csrf }];
    for (const word of further) {
      const sent = { 'content-type': type, ...headers, ...word };
      await send('POST', '/graphql', sent, body);
      const rest = await send('POST', '/orgs/v1', sent, type === 'application/json' ? '{}' : body);
      expect(rest.status).toBeGreaterThanOrEqual(400);
    }
    expect(await organizations()).toBe(before);
  });
});

test('a page of the gateway itself changes nothing without the word of the session, either', async () => {
  const before = await organizations();
  for (const word of [{}, { 'x-svc-csrf': '' }, { 'x-svc-csrf': csrf.slice(0, -1) }, { 'x-svc-csrf': `${csrf}0` }]) {
    const headers = { origin: service.url, 'content-type': 'application/json', ...(word as Record<string, string>) };
    await send('POST', '/graphql', headers, graphql);
    expect((await send('POST', '/orgs/v1', headers, '{}')).status).toBeGreaterThanOrEqual(400);
  }
  expect(await organizations()).toBe(before);
});

test('what only reads changes nothing, whatever method it says it means', async () => {
  const own = { origin: service.url, 'x-svc-csrf': csrf };
  const before = await organizations();
  await send('GET', `/graphql?query=${encodeURIComponent(create)}`, own);
  for (const name of ['x-http-method-override', 'x-http-method', 'x-method-override'])
    for (const path of ['/orgs/v1', '/orgs/v1?_method=POST']) await send('GET', path, { ...own, [name]: 'POST' });
  expect(await organizations()).toBe(before);
  // A link to the end of the session is none.
  await send('GET', `${plane}/session/browser/revoke`, own);
  const { body } = await service.call<Body>(nobody, 'GET', '/console/session.json', { headers: { cookie } });
  expect(body.person.principal_id).toBe(person.principalId);
});

test('no page of elsewhere reads who is signed in', async () => {
  for (const site of ['cross-site', 'same-site', 'none', 'Same-Origin', '']) {
    const { text, headers } = await send('GET', '/console/session.json', {
      origin: 'https://elsewhere.example',
      'sec-fetch-site': site,
    });
    expect([site, JSON.parse(text)]).toEqual([site, { person: null }]);
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  }
});

test('a page of the gateway makes an organization: what is refused above is not refused to all', async () => {
  const before = await organizations();
  const { text } = await send(
    'POST',
    '/graphql',
    { origin: service.url, 'x-svc-csrf': csrf, 'content-type': 'application/json' },
    graphql,
  );
  expect(JSON.parse(text).errors).toBeUndefined();
  expect(await organizations()).toBe(before + 1);
});
