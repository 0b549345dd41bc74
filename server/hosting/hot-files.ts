import type { IncomingMessage } from 'node:http';
import { Lru } from '../../core/lru.ts';
import { networkOf } from '../../core/network-of.ts';
import { isRecording, newTraceId } from '../../core/tracing.ts';
import type { Conditions } from '../../engines/hosting/conditional.ts';
import { acceptedCodings, type Coding } from '../../engines/hosting/encoding.ts';
import type { StaticFile } from '../../engines/release/model.ts';
import { projectTargetsVersion } from '../../kernel/access/project-target.ts';
import { addressRate } from '../../kernel/limits/limits.ts';
import type { Services } from '../../kernel/run/context.ts';
import type { Site } from '../../resolvers/deploys/live-sites.ts';
import { hostNamesVersion } from '../../resolvers/hosts/shared/find-host.ts';
import type { Host } from '../../rest-compat/hosted/call.ts';
import { clientAddress } from '../client-address.ts';
import type { HttpOptions } from '../exchange.ts';
import { refuseDuplicateHeaders } from '../request-context.ts';
import type { Answer } from '../respond.ts';
import type { ReadyFile } from './ready-file.ts';

/** Largest file that is answered at once, in bytes: what a connection takes without waiting for its reader, about. */
export const hotBytesMax = 256 * 1024;

/** For how long a host is known to be a project's, in milliseconds. */
const knownMs = 1_000;

/** The name that metrics give to what releases answer. */
export const siteLabel = 'site';

interface KnownHost {
  readonly projectId: string;
  /** The release of one deployment's own host; undefined: the live one. */
  readonly preview: Site | undefined;
  readonly until: number;
  readonly version: number;
}

interface Kept {
  readonly host: Host;
  readonly site: Site;
  readonly path: string;
  readonly file: StaticFile;
  readonly ready: ReadyFile;
  /** How many bytes were made ready since the last time. */
  readonly added: number;
}

/**
 * Files that were asked for lately, by release and path: a request for one of them is answered by a few look-ups and one
 * write, before anything is made for it. Whatever is not at hand, or has to be refused, takes the long way.
 */
export class HotFiles {
  readonly #options: HttpOptions;
  readonly #hosts = new Lru<KnownHost>({ entries: 10_000, bytes: 10_000 });
  readonly #files = new Lru<ReadyFile>({ entries: 50_000, bytes: 64 * 1024 * 1024 });
  /** Which of them answers a path of a release: one may answer any number of paths. */
  readonly #paths = new Lru<string>({ entries: 100_000, bytes: 16 * 1024 * 1024 });

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  find(site: Site, file: StaticFile): ReadyFile | undefined {
    return this.#files.get(fileKeyOf(site, file));
  }

  /** To be told of every file that was answered. */
  keep(request: IncomingMessage, { host: { target, releaseId }, site, path, file, ready, added }: Kept): void {
    if (ready.file.size > hotBytesMax) return;
    const { services, tenantName } = this.#options;
    const key = fileKeyOf(site, file);
    if (this.#files.get(key) === ready) this.#files.grow(key, added);
    else this.#files.set(key, ready, added);
    const pathKey = pathKeyOf(site, path);
    if (this.#paths.get(pathKey) !== key) this.#paths.set(pathKey, key, (pathKey.length + key.length) * 2);
    const name = tenantName(request)?.name;
    if (name === undefined) return;
    this.#hosts.set(
      name,
      {
        projectId: target.projectId,
        preview: releaseId === undefined ? undefined : site,
        until: performance.now() + knownMs,
        version: versionOf(services),
      },
      1,
    );
  }

  /** Answers a request if everything that it needs is at hand. @returns whether it did */
  answer(request: IncomingMessage, response: Answer, startedAt: number): boolean {
    const { services, metrics, trustedProxies } = this.#options;
    const { method, url = '', headers } = request;
    if (this.#hosts.size === 0 || (method !== 'GET' && method !== 'HEAD') || !url.startsWith('/')) return false;
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return false;
    const site = this.#siteOf(request, startedAt);
    if (site === undefined) return false;
    const mark = url.indexOf('?');
    const path = mark === -1 ? url : url.slice(0, mark);
    const key = this.#paths.get(pathKeyOf(site, path));
    const ready = key === undefined ? undefined : this.#files.get(key);
    if (ready === undefined) return false;
    const coding = codingOf(ready, request);
    if (!ready.has(coding) || isRecording() || services.log.isLevelEnabled('debug')) return false;
    const bucket = `address:${networkOf(clientAddress(request, trustedProxies))}`;
    if (services.rateLimiter.take(bucket, addressRate) > 0) return false;
    response.traceId = newTraceId();
    ready.send(response, method, conditionsOf(request), coding);
    const { traceId: requestId, statusCode: status, bytes } = response;
    const ms = performance.now() - startedAt;
    metrics.httpRequest({ route: siteLabel, method, status }, ms / 1_000);
    services.traffic.note({
      projectId: ready.projectId,
      isKnown: true,
      calledAs: 'anon',
      requestId,
      causedBy: undefined,
      method,
      route: siteLabel,
      path,
      status,
      code: undefined,
      ms,
      bytes,
    });
    return true;
  }

  /** The release that a request is for, as far as that is known. */
  #siteOf(request: IncomingMessage, now: number): Site | undefined {
    const { services, tenantName } = this.#options;
    let name: string | undefined;
    try {
      name = tenantName(request)?.name;
      refuseDuplicateHeaders(request);
    } catch {
      return undefined;
    }
    const host = name === undefined ? undefined : this.#hosts.get(name);
    if (host === undefined || host.until <= now || host.version !== versionOf(services)) return undefined;
    return host.preview ?? services.sites.known(host.projectId) ?? undefined;
  }
}

const pathKeyOf = ({ releaseId, generation }: Site, path: string): string => `${releaseId} ${generation} ${path}`;

/** What the headers of a file depend on. */
const fileKeyOf = ({ releaseId, generation }: Site, { sha256, contentType, cacheClass }: StaticFile): string =>
  `${releaseId} ${generation} ${sha256} ${cacheClass} ${contentType}`;

/** Changes whenever this node forgets whose hosts are, or how projects are. */
const versionOf = (services: Services): number => hostNamesVersion(services) + projectTargetsVersion(services);

/** Most clients send one of a few headers. */
const codingLists = new Lru<readonly Coding[]>({ entries: 256, bytes: 64 * 1024 });

/** The coding in which a file is sent to a client. Parts are of the file as it is. */
export function codingOf(ready: ReadyFile, { headers }: IncomingMessage): Coding | undefined {
  const header = headers['accept-encoding'];
  if (!ready.isPacked || typeof header !== 'string' || headers.range !== undefined) return undefined;
  let accepted = codingLists.get(header);
  if (accepted === undefined) {
    accepted = acceptedCodings(header);
    codingLists.set(header, accepted, header.length * 2);
  }
  return accepted[0];
}

export const conditionsOf = ({ headers }: IncomingMessage): Conditions => headers as Conditions & typeof headers;
