import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ServiceError } from '../core/errors.ts';
import { answerConsoleSession } from './console-session.ts';
import { type Exchange, type HttpOptions, requireMethod } from './exchange.ts';
import { jsonType, sendAnswer } from './respond.ts';

const root = '/console';
const built = fileURLToPath(new URL('../clients/console/dist/', import.meta.url));

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Scripts and styles of its own alone, nothing inline, no frame around it, and no word to anybody but this server. */
const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

const notBuilt = `The console is not built. \`npm run build:console\` builds it, and so does \`npm start\`.\n`;

/** Whether a path is the console's: its pages have addresses of their own, all answered by the one document. */
export const isConsolePath = (path: string): boolean => path === root || path.startsWith(`${root}/`);

/** Answers the browser console: its document, its hashed files, and what it has to know of this installation. */
export function consoleHandler(options: HttpOptions): (exchange: Exchange) => Promise<void> {
  const { throwAwayKeys, version } = options;
  const { sendsMail } = options.services.settings;
  const settings = JSON.stringify({ throw_away_keys: throwAwayKeys, sends_mail: sendsMail, version });
  return async (exchange) => {
    const { request, response, path } = exchange;
    requireMethod(exchange, 'GET');
    const inside = path.slice(root.length + 1);
    // Ids stand in the addresses of pages, so the path itself would make as many routes as there are projects.
    exchange.route = inside.startsWith('assets/') ? `${root}/assets/:file` : root;
    if (inside === 'config.json') {
      const headers = { 'content-type': jsonType, 'cache-control': 'no-store' };
      return sendAnswer(response, { status: 200, headers, body: settings });
    }
    if (inside === 'session.json') return answerConsoleSession(options, exchange);
    const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
    if (inside.startsWith('assets/') || inside === 'favicon.svg') {
      const file = await assetOf(inside);
      if (file === undefined) throw new ServiceError('ROUTE_NOT_FOUND');
      const headers = {
        'content-type': file.type,
        // Their names change with what they hold; the icon's does not.
        'cache-control': inside.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
        vary: 'accept-encoding',
        ...(takesGzip ? { 'content-encoding': 'gzip' } : {}),
      };
      return sendAnswer(response, { status: 200, headers, body: takesGzip ? file.packed : file.plain });
    }
    // Read anew for each: it names the hashed files, and is small.
    const page = await readFile(`${built}index.html`).catch(() => undefined);
    const headers = { ...pageHeaders, 'cache-control': 'no-cache' };
    if (page === undefined)
      return sendAnswer(response, {
        status: 503,
        headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' },
        body: notBuilt,
      });
    sendAnswer(response, {
      status: 200,
      headers: { ...headers, 'content-type': 'text/html; charset=utf-8' },
      body: page,
    });
  };
}

interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  readonly packed: Buffer;
}

/** Packed once. There are as many as the build has made, and their names say what they hold. */
const assets = new Map<string, Asset>();

/** @returns undefined for a name that the build has not made */
async function assetOf(inside: string): Promise<Asset | undefined> {
  const type = types[/^(?:assets\/)?[\w-]+(?:\.[\w-]+)*\.(js|css|svg)$/.exec(inside)?.[1] ?? ''];
  if (type === undefined) return undefined;
  const known = assets.get(inside);
  if (known !== undefined) return known;
  const plain = await readFile(built + inside).catch(() => undefined);
  if (plain === undefined) return undefined;
  const asset: Asset = { type, plain, packed: await promisify(gzip)(plain, { level: 9 }) };
  assets.set(inside, asset);
  return asset;
}
