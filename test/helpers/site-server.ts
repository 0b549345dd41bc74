import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TrialNetwork } from '../../engines/site-audit/fetch/document.ts';

/** Of names below `audit-sites.net` and of `example.com`, that nobody trusts unasked; good until 2126. */
const certificate = `-----BEGIN CERTIFICATE-----
MIIBtjCCAVygAwIBAgIUeQMiKhUBdI+Nrolb4sNvONHutfowCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPYXVkaXQtc2l0ZXMubmV0MCAXDTI2MTEyMDIyMjA0NFoYDzIx
MjYxMDI3MjIyMDQ0WjAaMRgwFgYDVQQDDA9hdWRpdC1zaXRlcy5uZXQwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAASt7YpHr+fsPzxjYoW4SIWjtZvV7oiI3psTimKd
QWORpa4oFnlAYZac3Geg9IAnxt9x9Biro7p/6O6Pf5034FNKo34wfDAdBgNVHQ4E
FgQUqmd9VKtCNDeG9fmiQUWRIoXTPu0wHwYDVR0jBBgwFoAUqmd9VKtCNDeG9fmi
QUWRIoXTPu0wDwYDVR0TAQH/BAUwAwEB/zApBgNVHREEIjAgghEqLmF1ZGl0LXNp
dGVzLm5ldIILZXhhbXBsZS5jb20wCgYIKoZIzj0EAwIDSAAwRQIgQiQPfbHdN3re
icBxnkp7aqY/FNojFswG2DJoL7YBAqUCIQDywcO440x7c+IhU9EFGkfQGBdbDaGb
SA+BKl2WpOyyBA==
-----END CERTIFICATE-----`;

const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgJdBtr+mHdBxa1SU8
VS+lZsmc+2w4p1zBNIpDs4gZ5POhRANCAASt7YpHr+fsPzxjYoW4SIWjtZvV7oiI
3psTimKdQWORpa4oFnlAYZac3Geg9IAnxt9x9Biro7p/6O6Pf5034FNK
-----END PRIVATE KEY-----`;

export type Answerer = (request: IncomingMessage, response: ServerResponse) => void;

/** A document of a site, with its status and headers. */
export interface SiteDocument {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** No page is left for being slow where the machine is: tests of slowness say how long they wait. */
const patience = { connect: 18_000, headers: 18_000, idle: 18_000, whole: 19_000 };

/** Documents by path, with their query; whatever is not there is 404. */
export type SiteDocuments = Readonly<Record<string, SiteDocument | string>>;

export interface Sites {
  /** What lets audits find these sites on this machine. */
  readonly trial: TrialNetwork;
  /** Requests so far, as `host path`. */
  readonly reached: string[];
  readonly close: () => void;
}

const types: readonly (readonly [RegExp, string])[] = [
  [/\.txt$/, 'text/plain; charset=utf-8'],
  [/\.xml$/, 'application/xml'],
];

/** Serves sites by their host names, over TLS on loopback. */
export async function startSites(sites: Readonly<Record<string, SiteDocuments | Answerer>>): Promise<Sites> {
  const reached: string[] = [];
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const host = request.headers.host!;
    reached.push(`${host} ${request.url}`);
    const site = sites[host];
    if (typeof site === 'function') return site(request, response);
    const found = site?.[request.url!];
    const document: SiteDocument = typeof found === 'string' ? { body: found } : (found ?? { status: 404 });
    const path = request.url!.split('?')[0]!;
    const type = types.find(([pattern]) => pattern.test(path))?.[1] ?? 'text/html; charset=utf-8';
    response.writeHead(document.status ?? 200, { 'content-type': type, ...document.headers });
    response.end(document.body ?? '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    trial: { hosts: new Map(Object.keys(sites).map((host) => [host, port])), ca: certificate, patience },
    reached,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
