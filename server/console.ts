import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ServiceError } from '../core/errors.ts';
import { hostsOfDeployments } from '../resolvers/hosts/shared/host-urls.ts';
import { originOfGateway, originOfHost } from '../resolvers/projects/shared/project-hosts.ts';
import { answerConsoleSession } from './console-session.ts';
import type { Exchange, HttpOptions } from './exchange.ts';
import { jsonType, sendAnswer } from './respond.ts';
import { type Entry, ownPath } from './routes/entry.ts';

const root = '/console';
const built = fileURLToPath(new URL('../clients/console/dist/', import.meta.url));

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

/**
 * Scripts and styles of its own alone, nothing inline, no frame around it, and no word to anybody but this server. Frames
 * show deployments, each of an origin of its own, and pictures may be assets of projects.
 */
const pageHeaders = (services: HttpOptions['services']): Readonly<Record<string, string>> => ({
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    // Pictures among a project's assets, at the host that it has from the start.
    `img-src 'self' data: ${originOfHost(services, `*.${services.settings.platformDomain}`)}`,
    "connect-src 'self'",
    `frame-src ${originOfHost(services, hostsOfDeployments(services))}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
});

const notBuilt = `The console is not built. \`npm run build:console\` builds it, and so does \`npm start\`.\n`;

/** The browser console: its document, its hashed files, and what it has to know of this installation. */
export function consoleEntries(options: HttpOptions): Entry[] {
  const { throwAwayKeys, version } = options;
  const { sendsMail } = options.services.settings;
  const settings = { throw_away_keys: throwAwayKeys, sends_mail: sendsMail, version };
  // Ids are in the addresses of pages: each would be a label of its own.
  const read = { ...ownPath, method: 'GET', label: root } as const;
  const below = { ...read, spelling: 'raw' } as const;
  return [
    {
      ...read,
      path: `${root}/config.json`,
      auth: 'none',
      async run({ response }) {
        const headers = { 'content-type': jsonType, 'cache-control': 'no-store' };
        const body = JSON.stringify({ ...settings, origin: originOfGateway(options.services) });
        sendAnswer(response, { status: 200, headers, body });
      },
    },
    {
      ...read,
      path: `${root}/session.json`,
      auth: 'operation',
      body: 'unread',
      run: ({ exchange, ctx }) => answerConsoleSession(ctx, exchange),
    },
    // The names of assets change with their content; the icon's does not.
    {
      ...below,
      path: `${root}/assets/*`,
      label: `${root}/assets/:file`,
      auth: 'none',
      run: answerFile('public, max-age=31536000, immutable'),
    },
    { ...read, path: `${root}/favicon.svg`, auth: 'none', run: answerFile('public, max-age=3600') },
    {
      ...read,
      path: `${root}/service-worker.js`,
      auth: 'none',
      // It also serves the console's root, which has no slash at its end.
      run: answerFile('no-cache', { 'service-worker-allowed': root }),
    },
    // Pages have addresses of their own, all answered by the one document.
    { ...read, path: root, auth: 'none', run: answerPage(options.services) },
    { ...below, path: `${root}/*`, auth: 'none', run: answerPage(options.services) },
  ];
}

const answerFile =
  (cacheControl: string, more: Readonly<Record<string, string>> = {}) =>
  async ({ request, response, path }: Exchange): Promise<void> => {
    const file = await assetOf(path.slice(root.length + 1));
    if (file === undefined) throw new ServiceError('ROUTE_NOT_FOUND');
    const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
    const { type, plain, packed } = file;
    const isPacked = takesGzip && packed !== undefined;
    const headers = {
      ...more,
      'content-type': type,
      'cache-control': cacheControl,
      vary: 'accept-encoding',
      ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
    };
    sendAnswer(response, { status: 200, headers, body: isPacked ? packed : plain });
  };

const answerPage =
  (services: HttpOptions['services']) =>
  async ({ response }: Exchange): Promise<void> => {
    // Read anew for each: it names the hashed files, and is small.
    const page = await readFile(`${built}index.html`).catch(() => undefined);
    const [status, type, body] =
      page === undefined ? [503, 'text/plain; charset=utf-8', notBuilt] : [200, 'text/html; charset=utf-8', page];
    const headers = { ...pageHeaders(services), 'cache-control': 'no-cache', 'content-type': type };
    sendAnswer(response, { status, headers, body });
  };

interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  /** Undefined for what is compressed by its own format, such as fonts. */
  readonly packed: Buffer | undefined;
}

/** Packed once. There are as many as the build has made, and their names say what they hold. */
const assets = new Map<string, Asset>();

/** @returns undefined for a name that the build has not made */
async function assetOf(inside: string): Promise<Asset | undefined> {
  const type = types[/^(?:assets\/)?[\w-]+(?:\.[\w-]+)*\.(js|css|svg|woff2)$/.exec(inside)?.[1] ?? ''];
  if (type === undefined) return undefined;
  const known = assets.get(inside);
  if (known !== undefined) return known;
  const plain = await readFile(built + inside).catch(() => undefined);
  if (plain === undefined) return undefined;
  const packed = type === types.woff2 ? undefined : await promisify(gzip)(plain, { level: 9 });
  const asset: Asset = { type, plain, packed };
  assets.set(inside, asset);
  return asset;
}
