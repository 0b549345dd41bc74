import { readdir, readFile, rename } from 'node:fs/promises';
import { get } from 'node:http';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildConsole } from '../../scripts/build-console.ts';
import { startService } from '../helpers/service.ts';

const dist = fileURLToPath(new URL('../../clients/console/dist', import.meta.url));

const service = await startService();
beforeAll(async () => void (await buildConsole()));
afterAll(() => service.stop());

interface Served {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** By Node's own client, which unpacks nothing and leaves paths as they are. */
const fetched = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Served> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.url);
    get({ hostname, port, path, headers, method }, async (response) => {
      const parts: Buffer[] = [];
      for await (const part of response) parts.push(part as Buffer);
      resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(parts) });
    }).on('error', reject);
  });

const scriptOf = (page: Buffer) => /src="(\/console\/assets\/[^"]+\.js)"/.exec(String(page))![1]!;

describe('the console as it is served', () => {
  test('a browser at the bare address is sent to it, and a program is told that there is no such path', async () => {
    const page = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await fetched('/', page, method);
      expect([status, headers.location, headers.vary]).toEqual([303, '/console', 'Accept']);
    }
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }, { accept: 'text/html;q=0, */*' }]) {
      const answer = await fetched('/', headers);
      expect([answer.status, answer.headers.vary, JSON.parse(String(answer.body)).code]).toEqual([
        404,
        'Accept',
        'ROUTE_NOT_FOUND',
      ]);
    }
    expect((await fetched('/', page, 'POST')).status).toBe(404);
  });

  test.each(['/console', '/console/', '/console/orgs/1234/rooms/standup'])(
    '%s is answered by the one document, which is asked for anew each time and runs nothing of anybody else’s',
    async (path) => {
      const { status, headers, body } = await fetched(path);
      expect({ status, type: headers['content-type'], cache: headers['cache-control'] }).toEqual({
        status: 200,
        type: 'text/html; charset=utf-8',
        cache: 'no-cache',
      });
      const policy = String(headers['content-security-policy']);
      for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"])
        expect(policy.split('; ')).toContain(rule);
      expect(policy).not.toContain('unsafe');
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      });
      // The policy would stop both; nobody should find out by an empty page.
      expect(String(body)).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son\w+=/);
    },
  );

  test('the service worker is looked at anew each time, and may serve the console alone', async () => {
    const { status, headers } = await fetched('/console/service-worker.js');
    expect([status, headers['content-type'], headers['cache-control'], headers['service-worker-allowed']]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      'no-cache',
      '/console',
    ]);
  });

  test('a hashed file is kept for ever, and packed for who takes it so', async () => {
    const path = scriptOf((await fetched('/console')).body);
    const plain = await fetched(path);
    const packed = await fetched(path, { 'accept-encoding': 'gzip, br' });
    for (const { status, headers } of [plain, packed]) {
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
      });
    }
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(packed.body.length).toBeLessThan(plain.body.length / 2);
    const head = await fetched(path, {}, 'HEAD');
    expect([head.status, head.body.length]).toEqual([200, 0]);
  });

  test('fonts come from the gateway, as they are: their format is packed already', async () => {
    const sheets = String((await fetched('/console')).body).matchAll(/href="(\/console\/assets\/[^"]+\.css)"/g);
    const styles = await Promise.all([...sheets].map(async ([, path]) => String((await fetched(path!)).body)));
    const fonts = [...styles.join('').matchAll(/url\(([^)]+\.woff2)\)/g)].map(([, url]) => url!);
    expect(fonts.length).toBeGreaterThan(5);
    for (const path of fonts) {
      const { status, headers, body } = await fetched(path, { 'accept-encoding': 'gzip' });
      expect([status, headers['content-type'], headers['content-encoding']]).toEqual([200, 'font/woff2', undefined]);
      expect(body.subarray(0, 4).toString('latin1')).toBe('wOF2');
    }
    expect(String((await fetched('/console')).headers['content-security-policy']).split('; ')).toContain(
      "font-src 'self'",
    );
  });

  test('it may frame the hosts of deployments, and nothing else', async () => {
    expect(String((await fetched('/console')).headers['content-security-policy']).split('; ')).toContain(
      `frame-src http://*.sites.localhost:${new URL(service.url).port}`,
    );
  });

  test.each([
    '/console/assets/none-12345678.js',
    '/console/assets/../index.html',
    '/console/assets/..%2f..%2fpackage.json',
    '/console/assets/%2e%2e/.vite/manifest.json',
    '/console/assets/',
  ])('there is nothing at %s', async (path) => {
    const { status, body } = await fetched(path);
    expect([status, JSON.parse(String(body)).code]).toEqual([404, 'ROUTE_NOT_FOUND']);
  });

  test('it is read, and nothing else', async () => {
    const { status, headers } = await fetched('/console', {}, 'POST');
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  test('it is told what it has to know of the gateway, and asks anew each time', async () => {
    const { headers, body } = await fetched('/console/config.json');
    expect(JSON.parse(String(body))).toEqual({
      throw_away_keys: true,
      sends_mail: false,
      version: '0.0.0-test',
      origin: `http://localhost:${new URL(service.url).port}`,
    });
    expect(headers['cache-control']).toBe('no-store');
  });

  test('paths of ids make no routes of their own in the metrics', async () => {
    await fetched('/console/orgs/of-nobody');
    await fetched('/console/orgs/of-nobody', {}, 'POST');
    const metrics = String((await fetched('/metrics')).body);
    expect(metrics).toContain('route="/console"');
    expect(metrics).not.toContain('of-nobody');
  });

  test('where it is not built the answer says how to build it', async () => {
    const kept = `${dist}/index.html`;
    await rename(kept, `${kept}.away`);
    try {
      const { status, body } = await fetched('/console');
      expect([status, String(body)]).toEqual([503, expect.stringContaining('npm run build:console')]);
    } finally {
      await rename(`${kept}.away`, kept);
    }
  });
});

describe('the build of the console', () => {
  test('what has not changed is not built again', async () => {
    expect(await buildConsole()).toBe(false);
  });

  test('a test runner builds what ships, and nothing that is for developers of the page', async () => {
    const scripts = (await readdir(`${dist}/assets`)).filter((name) => name.endsWith('.js'));
    expect(scripts.filter((name) => name.includes('dev'))).toEqual([]);
    const texts = await Promise.all(scripts.map((name) => readFile(`${dist}/assets/${name}`, 'utf8')));
    expect(texts.filter((text) => text.includes('React DevTools'))).toEqual([]);
  });

  test('what comes with the first page is less than 250 KB of packed script', async () => {
    interface Chunk {
      readonly file: string;
      readonly isEntry?: boolean;
      readonly imports?: readonly string[];
    }
    const manifest = JSON.parse(await readFile(`${dist}/.vite/manifest.json`, 'utf8')) as Record<string, Chunk>;
    const reached = new Set<string>();
    const reach = (name: string) => {
      if (reached.has(name)) return;
      reached.add(name);
      manifest[name]!.imports?.forEach(reach);
    };
    // What a newcomer loads: the entry, the key that is made for them, and the overview.
    const first = ['index.html', 'src/session/throw-away-key.ts', 'src/pages/overview/overview.tsx'];
    for (const name of first) reach(name);
    const sizes = await Promise.all(
      [...reached].map(async (name) => gzipSync(await readFile(`${dist}/${manifest[name]!.file}`)).length),
    );
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(30_000);
    expect(bytes).toBeLessThan(250_000);
    // Pages that nobody has gone to are files of their own.
    expect(reached.has('src/pages/audits/audits.tsx')).toBe(false);
    expect((await readdir(`${dist}/assets`)).length).toBeGreaterThan(reached.size);
  });
});
