import { getIntrospectionQuery } from 'graphql';
import { afterAll, expect, test } from 'vitest';
import { type Service, startService } from '../helpers/service.ts';

const development = await startService();
const production = await startService({
  env: {
    NODE_ENV: 'production',
    SVC_SECRET_KEY: '5c'.repeat(16) + '3a'.repeat(16),
    PUBLIC_BASE_URL: 'https://api.example.com',
    PLATFORM_DOMAIN: 'apps.example.com',
  },
});
afterAll(() => Promise.all([development.stop(), production.stop()]));

const openInBrowser = (service: Service) => fetch(`${service.url}/graphql`, { headers: { accept: 'text/html' } });
const introspect = (service: Service) => service.graphql(service.actors.nobody, getIntrospectionQuery());

test('in development GraphiQL and introspection are there, and the page names no script of another host', async () => {
  const page = await openInBrowser(development);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html']);
  const html = await page.text();
  expect(html).toContain('YogaGraphiQL.renderYogaGraphiQL(');
  expect(html).not.toMatch(/<(script|link|img|iframe)\b[^>]*\b(src|href)\s*=\s*["']?(https?:)?\/\//i);
  expect((await introspect(development)).data.__schema.subscriptionType).toMatchObject({ name: 'Subscription' });
});

test('in production neither is', async () => {
  const page = await openInBrowser(production);
  expect(page.status).toBeGreaterThanOrEqual(400);
  expect(page.headers.get('content-type')).not.toContain('html');
  expect(await page.text()).not.toContain('GraphiQL');

  const { data, errors } = await introspect(production);
  expect(data).toBeUndefined();
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'GRAPHQL_VALIDATION_FAILED' });
  // The schema's own documents still run.
  expect(await production.graphql(production.actors.nobody, '{ __typename }')).toEqual({
    data: { __typename: 'Query' },
  });
});

test('the console offers a key that its page makes for itself in development alone', async () => {
  const offers = async ({ url }: Service) => (await (await fetch(`${url}/console/config.json`)).json()).throw_away_keys;
  expect([await offers(development), await offers(production)]).toEqual([true, false]);
});
