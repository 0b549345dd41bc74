import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { PageConfig } from './page-config.ts';

const files: Readonly<Record<string, string>> = {
  '/': 'text/html; charset=utf-8',
  '/style.css': 'text/css; charset=utf-8',
  '/app.ts': 'text/javascript; charset=utf-8',
  '/gateway.ts': 'text/javascript; charset=utf-8',
  '/session-store.ts': 'text/javascript; charset=utf-8',
};

/** Serves the page on loopback. It is files and a few settings: any other web server would do. */
export async function servePage(config: PageConfig, port: number) {
  const server = createServer(async ({ url }, response) => {
    const path = new URL(url ?? '/', 'http://page').pathname;
    if (path === '/_svc/config.json')
      return response.setHeader('content-type', 'application/json').end(JSON.stringify(config));
    const type = files[path];
    if (type === undefined) return response.writeHead(404).end();
    const name = path === '/' ? '/index.html' : path;
    const text = await readFile(new URL(`page${name}`, import.meta.url), 'utf8');
    response.setHeader('content-type', type).end(name.endsWith('.ts') ? stripTypeScriptTypes(text) : text);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
