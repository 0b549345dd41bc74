import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deploying, refOf } from '../deploys/deploying.ts';
import { withHeaders } from '../helpers/actors.ts';
import { startService } from '../helpers/service.ts';

// The registry that npm is set up for, wherever it lies: the gateway asks this machine, which asks on.
const upstream = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim().replace(/\/$/, '');
const proxy = createServer(async (request, response) => {
  const answer = await fetch(upstream + request.url!, { headers: { accept: request.headers.accept ?? '*/*' } });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const isText = answer.headers.get('content-type')?.includes('json') === true;
  response.writeHead(answer.status);
  response.end(isText ? bytes.toString().replaceAll(upstream, url) : bytes);
});
await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
const service = await startService({ env: { NPM_REGISTRY: url } });
afterAll(async () => {
  await service.stop();
  proxy.close().closeAllConnections();
});

/** What people use, the way they use it, and what comes of it. */
const uses = [
  ['zod', ['zod'], `import { z } from 'zod'; export default () => z.coerce.number().parse('7');`, 7],
  [
    'jose',
    ['jose'],
    `import { SignJWT, jwtVerify } from 'jose';
      const key = new TextEncoder().encode('a secret of thirty-two characters');
      export default async () => (await jwtVerify(
        await new SignJWT({ a: 1 }).setProtectedHeader({ alg: 'HS256' }).sign(key), key)).payload;`,
    { a: 1 },
  ],
  [
    'viem',
    ['viem'],
    `import { keccak256, toHex } from 'viem'; import { privateKeyToAccount } from 'viem/accounts'; import { mainnet } from 'viem/chains';
      export default () => [keccak256(toHex('x')).slice(0, 10), mainnet.id, privateKeyToAccount('0x' + '1'.repeat(64)).address];`,
    ['0x7521d1ca', 1, '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A'],
  ],
  [
    'stripe',
    ['stripe'],
    `import Stripe from 'stripe'; const stripe = new Stripe('sk_test_x');
      export default () => {
        const payload = JSON.stringify({ id: 'evt_1', object: 'event' });
        const header = stripe.webhooks.generateTestHeaderString({ payload, secret: 'whsec_x' });
        return stripe.webhooks.constructEvent(payload, header, 'whsec_x').id;
      };`,
    'evt_1',
  ],
  [
    'pg and drizzle-orm',
    ['pg', 'drizzle-orm'],
    `import pg from 'pg'; import { drizzle } from 'drizzle-orm/node-postgres'; import { pgTable, text } from 'drizzle-orm/pg-core'; import { eq } from 'drizzle-orm';
      const notes = pgTable('notes', { text: text('text') });
      const db = drizzle(new pg.Pool({ connectionString: 'postgres://a:b@db.example.com/c' }));
      export default () => db.select().from(notes).where(eq(notes.text, 'x')).toSQL();`,
    { sql: 'select "text" from "notes" where "notes"."text" = $1', params: ['x'] },
  ],
  [
    'hono',
    ['hono@^4'],
    `import { Hono } from 'hono'; const app = new Hono(); app.get('/x', (c) => c.json({ ok: true }));
      export default async () => (await app.fetch(new Request('http://x/x'))).json();`,
    { ok: true },
  ],
  [
    'openai',
    ['openai'],
    `import OpenAI from 'openai'; const ai = new OpenAI({ apiKey: 'x', fetch: async () => Response.json({ data: [{ id: 'm' }] }) });
      export default async () => (await ai.models.list()).data[0].id;`,
    'm',
  ],
  [
    'resend',
    ['resend'],
    `import { Resend } from 'resend'; export default () => typeof new Resend('re_x').emails.send;`,
    'function',
  ],
  [
    'date-fns',
    ['date-fns'],
    `import { addDays, formatISO } from 'date-fns'; export default () => formatISO(addDays(new Date('2026-01-31T12:00:00Z'), 1)).slice(0, 10);`,
    '2026-02-01',
  ],
  [
    'react-dom',
    ['react', 'react-dom'],
    `import { createElement } from 'react'; import { renderToString } from 'react-dom/server';
      export default () => renderToString(createElement('b', { title: 'a&b' }, 'x'));`,
    '<b title="a&amp;b">x</b>',
  ],
  ['express', ['express'], `import express from 'express'; export default () => typeof express().listen;`, 'function'],
  [
    '@aws-sdk/client-s3',
    ['@aws-sdk/client-s3'],
    `import { S3Client } from '@aws-sdk/client-s3'; export default () => new S3Client({ region: 'eu-central-1' }).config.region();`,
    'eu-central-1',
  ],
] as const;

/** The same as a function of the platform. */
const answering = (text: string) => `${text.replace('export default', 'const answer =')}
export default async () => Response.json(await answer());`;

const project = await service.project();
const { wallet, anonKey } = project;
const theirs = deploying(service, wallet, project);
beforeAll(async () => {
  await service.control.sql(`update orgs set tier = 'team'`);
});

test.each(uses)('%s runs as its authors publish it', async (_name, deps, text, expected) => {
  const code = answering(text);
  const spec = { functions: { replace: { use: { source: refOf(code), deps, config: { memory_mb: 256 } } } } };
  expect(await theirs.deploy(spec, [code])).toMatchObject({ status: 'ready' });
  const { status, body } = await service.call(withHeaders({ apikey: anonKey }), 'POST', '/functions/v1/use');
  expect([status, body]).toEqual([200, expected]);
});
