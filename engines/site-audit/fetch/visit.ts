import type { lookup as systemLookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { ServiceError } from '../../../core/errors.ts';
import { addressOf } from '../address.ts';
import { parseRobots } from '../robots/parse-robots.ts';
import type { FetchFacts, SideDocument, SiteSnapshot } from '../site-snapshot.ts';
import type { DocumentRequest, Patience, TrialNetwork } from './document.ts';
import { type Budget, type Followed, fetchFollowing } from './follow.ts';

/** The documents that are read of a site. */
export type SiteDocumentName = 'page' | 'robots' | 'llms' | 'llms_full' | 'sitemap';

/** How far a visit has come. */
export type VisitStep =
  /** The name of the host that has the page was resolved; a connection to it was made. Each redirect may lead to another. */
  | { readonly stage: 'resolved' | 'connected'; readonly host: string }
  /** A document was read, or could not be: its status is undefined then. */
  | {
      readonly stage: 'fetched';
      readonly document: SiteDocumentName;
      readonly status: number | undefined;
      readonly bytes: number;
    };

export interface VisitOptions {
  readonly userAgent: string;
  /**
   * Asked once for each host beside the target's own that is about to be fetched from, which is where redirects lead.
   * What it throws ends the visit.
   */
  readonly admit?: ((host: string) => void | Promise<void>) | undefined;
  readonly onStep?: ((step: VisitStep) => void) | undefined;
  readonly resolve?: typeof systemLookup | undefined;
  readonly trial?: TrialNetwork | undefined;
  readonly patience?: Partial<Patience> | undefined;
  /** Ends it before its time. */
  readonly signal?: AbortSignal | undefined;
}

/** Longest that reading a site may take, in milliseconds. */
const visitMs = 20_000;
const requestsMax = 8;
const kib = 1024;

const nothing: SideDocument = { status: undefined, contentType: '', bytes: new Uint8Array() };

/**
 * Reads what an audit looks at: the page, then the files beside it on the host where the page was found. Contract
 * 00, section 3.3.
 *
 * @param target as `parseTarget` gives it
 * @throws ServiceError when the page cannot be had; what fails beside it is a fact of the site
 */
export async function visitSite(
  target: URL,
  { userAgent, admit = () => undefined, onStep = () => undefined, resolve, trial, patience, signal }: VisitOptions,
): Promise<{ readonly snapshot: SiteSnapshot; readonly facts: FetchFacts }> {
  const budget: Budget = { requests: requestsMax, admitted: admittedOnce(target.hostname, admit) };
  const request: Omit<DocumentRequest, 'url' | 'bytesMax'> = {
    userAgent,
    signal: AbortSignal.any([AbortSignal.timeout(visitMs), ...(signal === undefined ? [] : [signal])]),
    resolve: resolveOnce(resolve ?? (trial === undefined ? askNameServers : trialLookup(trial))),
    trial,
    patience,
  };
  let fetchedBytes = 0;
  const read = async (document: SiteDocumentName, wanted: Pick<DocumentRequest, 'url' | 'bytesMax' | 'onStage'>) => {
    const answer = await fetchFollowing({ ...request, ...wanted }, budget);
    fetchedBytes += answer.bytes.length;
    onStep({ stage: 'fetched', document, status: answer.status, bytes: answer.bytes.length });
    return answer;
  };
  const side = async (document: SiteDocumentName, url: URL, bytesMax: number): Promise<SideDocument> => {
    try {
      return asSide(await read(document, { url, bytesMax }));
    } catch (error) {
      // How much others ask for is no fact of the site.
      if (error instanceof ServiceError && error.code === 'RATE_LIMITED') throw error;
      onStep({ stage: 'fetched', document, status: undefined, bytes: 0 });
      return nothing;
    }
  };

  const page = await read('page', {
    url: target,
    bytesMax: 1024 * kib,
    onStage: (stage, { hostname }) => {
      if (stage !== 'secured') onStep({ stage, host: hostname });
    },
  });
  const at = (path: string) => new URL(path, page.url.origin);
  // Two at a time; robots.txt says where the sitemap is.
  const [[robots, sitemap], [llms, full]] = await Promise.all([
    side('robots', at('/robots.txt'), 500 * kib).then(
      async (found) => [found, await side('sitemap', sitemapOf(found, page.url), 64 * kib)] as const,
    ),
    side('llms', at('/llms.txt'), 256 * kib).then(
      async (found) => [found, await side('llms_full', at('/llms-full.txt'), 0)] as const,
    ),
  ]);
  return {
    snapshot: {
      target: target.href,
      finalUrl: page.url.href,
      page: { ...asSide(page), status: page.status, robotsTags: tagsOf(page), truncated: page.truncated },
      robots,
      llms,
      llmsFullStatus: full.status,
      sitemap,
    },
    facts: {
      redirects: page.redirects,
      fetchedBytes,
      requests: requestsMax - budget.requests,
      timings: page.timings,
    },
  };
}

const asSide = ({ status, headers, bytes }: Followed): SideDocument => ({
  status,
  contentType: headers['content-type'] ?? '',
  bytes,
});

function tagsOf({ headers }: Followed): string[] {
  const tags = headers['x-robots-tag'];
  return tags === undefined ? [] : [tags].flat();
}

/** Where in a robots.txt a sitemap is looked for before anything is fetched, in bytes: this runs beside all requests. */
const sitemapsWithin = 64 * 1024;

/** The first sitemap on the same host that robots.txt names, else where one is expected. */
function sitemapOf(robots: SideDocument, page: URL): URL {
  const named = robots.status === 200 ? parseRobots(robots.bytes.subarray(0, sitemapsWithin)).sitemaps : [];
  for (const text of named) {
    const url = addressOf(text);
    if (url?.origin === page.origin && url.username === '' && url.password === '') return url;
  }
  return new URL('/sitemap.xml', page.origin);
}

/** Asks for each host once: two documents may lead to one at the same time. */
function admittedOnce(own: string, admit: (host: string) => void | Promise<void>): Budget['admitted'] {
  const asked = new Map<string, void | Promise<void>>([[own, undefined]]);
  return async (host) => {
    if (!asked.has(host)) asked.set(host, admit(host));
    await asked.get(host);
  };
}

/** A name is looked up once for all that is asked of it: what was judged is what every connection goes to. */
function resolveOnce(resolve: typeof systemLookup): typeof systemLookup {
  type Found = [Error | null, { address: string; family: number }[]];
  const known = new Map<string, Promise<Found>>();
  const once = (host: string, options: object, done: (...found: Found) => void) => {
    const found =
      known.get(host) ??
      new Promise<Found>((settled) => {
        resolve(host, { ...options, all: true }, (error, addresses) => settled([error, addresses]));
      });
    known.set(host, found);
    found.then((answer) => done(...answer));
  };
  return once as unknown as typeof systemLookup;
}

/**
 * Asks the name servers. The system's resolver would hold one of the few threads that files and cryptography share for
 * as long as a name takes, and whose names are asked for is up to strangers.
 */
const askNameServers = ((host: string, _options: object, done: (error: Error | null, found: object[]) => void) => {
  const resolver = new Resolver({ timeout: 1_000, tries: 2 });
  Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]).then(([four, six]) => {
    const found = [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (found.length === 0 && four.status === 'rejected') done(four.reason, []);
    else done(null, found);
  });
}) as unknown as typeof systemLookup;

/** Names of a trial are on this machine; every other is unknown there. */
function trialLookup({ hosts }: TrialNetwork): typeof systemLookup {
  const look = (host: string, _options: object, done: (error: Error | null, found: object[]) => void) =>
    hosts.has(host)
      ? done(null, [{ address: '127.0.0.1', family: 4 }])
      : done(Object.assign(new Error(`No such host in this trial: ${host}`), { code: 'ENOTFOUND' }), []);
  return look as unknown as typeof systemLookup;
}
