import { type HostedRelease, notFoundPage, type Resolution, resolve } from '../../engines/hosting/resolve.ts';
import type { Services } from '../../kernel/run/context.ts';
import type { Site } from '../../resolvers/deploys/live-sites.ts';
import { originOfGateway } from '../../resolvers/projects/shared/project-hosts.ts';
import { openHost } from '../../rest-compat/hosted/answer.ts';
import type { Host } from '../../rest-compat/hosted/call.ts';
import type { Exchange, HttpOptions } from '../exchange.ts';
import { contextOf } from '../exchange-context.ts';
import { answerRouted } from '../functions/routed-call.ts';
import { send } from '../respond.ts';
import { cachedBytesMax } from './file-cache.ts';
import { HotFiles } from './hot-files.ts';
import { releaseHeaders, type Shown, siteFile } from './ready-file.ts';
import { refuse } from './refuse.ts';
import type { FileSender } from './send-file.ts';

/** Where a site is asked for. */
export interface Place {
  readonly host: Host;
  /** In the site, as it was sent. */
  readonly path: string;
  /** What stands before the paths of the site in addresses: not empty where it shares an origin. */
  readonly base: string;
}

/** Serves the releases of projects under their hosts. Contract 03, section 2.21. */
export class SiteServer {
  readonly hot: HotFiles;
  readonly #options: HttpOptions;
  readonly #sender: FileSender;

  constructor(options: HttpOptions, sender: FileSender) {
    this.#options = options;
    this.#sender = sender;
    this.hot = new HotFiles(options);
  }

  /**
   * Answers a request from the release of a project, which is looked up once.
   *
   * @throws ROUTE_NOT_FOUND, ROUTE_METHOD_NOT_ALLOWED, ROUTE_MANIFEST_LOAD_FAILED, VALIDATION_FAILED,
   * STORAGE_UNAVAILABLE, RATE_LIMITED, and what a function comes to
   */
  async serve(exchange: Exchange, place: Place): Promise<void> {
    const { host, path, base } = place;
    const { request, subject } = exchange;
    const { services } = this.#options;
    const site = await siteOf(services, host);
    if (site === null) {
      openHost(contextOf(this.#options, exchange), host);
      if (host.target.branch !== null) exchange.response.setHeader('x-robots-tag', 'noindex');
      return refuse(exchange, resolve(null, request.method!, path));
    }
    const release = await services.sites.filesFor(site, path);
    const found = resolve(release, request.method!, path);
    const shown = this.#shown(site, place);
    const file = found.status === 200 ? found.file : undefined;
    if (found.functionName !== null) return this.#byFunction(exchange, place, shown, found);
    if (file == null) return this.#without(exchange, place, shown, release, found);
    // What a file answers costs its address alone: the calls of a project are for what it works out.
    contextOf(this.#options, exchange).chargeAddress();
    subject.admit(host.target.projectId, 'anon');
    const ready = (base === '' ? this.hot.find(site, file) : undefined) ?? siteFile(shown, file);
    const added = await this.#sender.send(exchange, ready, 200);
    if (base === '') this.hot.keep(exchange.request, { host, site, path, file, ready, added });
  }

  #byFunction(exchange: Exchange, { host, path, base }: Place, shown: Shown, found: Resolution): Promise<void> {
    const ctx = contextOf(this.#options, exchange);
    openHost(ctx, host);
    const { site } = shown;
    return answerRouted(exchange, {
      ctx,
      host,
      site,
      found,
      path,
      headers: releaseHeaders(shown),
      isShared: base !== '',
    });
  }

  #shown(site: Site, { host, base }: Place): Shown {
    const { services } = this.#options;
    const { embeddingOrigins } = services.settings;
    const isPreview = host.releaseId !== undefined;
    const named = (site.frameAncestors ?? []).flatMap((key) => embeddingOrigins.get(key) ?? []);
    return {
      site,
      // The console shows what a deployment looks like. No other host of the project lets it in.
      embedders: isPreview ? [...named, originOfGateway(services)] : named,
      isPreview,
      isBranch: host.target.branch !== null,
      isShared: base !== '',
    };
  }

  /** Answers what no file answers. It counts like any other request of the project. */
  async #without(
    exchange: Exchange,
    { host, base }: Place,
    shown: Shown,
    { files }: HostedRelease,
    found: Resolution,
  ): Promise<void> {
    openHost(contextOf(this.#options, exchange), host);
    const { request, response } = exchange;
    if (found.location !== null) return redirect(exchange, base + found.location, shown);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const page = found.status === 404 && isRead ? files.get(notFoundPage) : undefined;
    if (page?.direct === true && page.size <= cachedBytesMax)
      return void (await this.#sender.send(exchange, siteFile(shown, { ...page, cacheClass: 'html' }), 404));
    for (const [name, value] of Object.entries(releaseHeaders(shown))) response.setHeader(name, value);
    refuse(exchange, found);
  }
}

/** The release that a host is for: the live one, unless it is one deployment's own. */
const siteOf = ({ sites }: Services, { target: { orgId, projectId }, releaseId }: Host): Promise<Site | null> =>
  releaseId === undefined ? sites.live(projectId) : sites.release(orgId, releaseId);

function redirect({ response, search }: Exchange, path: string, shown: Shown): void {
  const location = path.split('/').map(encodeURIComponent).join('/');
  send(response, 308, 'text/plain; charset=utf-8', '', {
    ...releaseHeaders(shown),
    location: search === '' ? location : `${location}?${search}`,
    'cache-control': 'public, max-age=0, must-revalidate',
  });
}
