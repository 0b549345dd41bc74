import { ServiceError } from '../../../core/errors.ts';
import { addressOf } from '../address.ts';
import { judgeTarget, targetLengthMax } from '../target.ts';
import { type DocumentRequest, type FetchedDocument, fetchDocument } from './document.ts';

const redirectsMax = 5;
const moved: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** What the requests of one audit have in common. */
export interface Budget {
  /** How many more it may make. */
  requests: number;
  /** Resolves when a host may be fetched from. @throws when it may not */
  readonly admitted: (host: string) => Promise<void>;
}

/** A document and where it was found in the end. */
export interface Followed extends FetchedDocument {
  readonly url: URL;
  readonly redirects: number;
}

/**
 * Fetches a document and follows where it leads, judging every step anew.
 *
 * @throws ServiceError as {@link fetchDocument}, and REDIRECT_NOT_HTTPS, RESTRICTED_REDIRECT, TOO_MANY_REDIRECTS
 */
export async function fetchFollowing(request: DocumentRequest, budget: Budget): Promise<Followed> {
  const trusted = (host: string) => request.trial?.hosts.has(host) === true;
  let { url } = request;
  for (let redirects = 0; ; redirects += 1) {
    if (budget.requests <= 0) throw new ServiceError('TOO_MANY_REDIRECTS');
    budget.requests -= 1;
    await budget.admitted(url.hostname);
    let answer: FetchedDocument;
    try {
      answer = await fetchDocument({ ...request, url });
    } catch (error) {
      throw redirects > 0 && error instanceof ServiceError && error.code === 'RESTRICTED_ADDRESS'
        ? new ServiceError('RESTRICTED_REDIRECT')
        : error;
    }
    const { location } = answer.headers;
    if (!moved.has(answer.status) || location === undefined) return { ...answer, url, redirects };
    if (redirects === redirectsMax) throw new ServiceError('TOO_MANY_REDIRECTS');
    url = nextUrl(location, url, trusted);
  }
}

function nextUrl(location: string, from: URL, trusted: (host: string) => boolean): URL {
  const url = addressOf(location, from.href);
  // No longer than a target that a caller names may be.
  if (url === undefined || url.href.length > targetLengthMax) throw new ServiceError('RESTRICTED_REDIRECT');
  if (url.protocol === 'http:') throw new ServiceError('REDIRECT_NOT_HTTPS');
  try {
    return judgeTarget(url, trusted);
  } catch {
    throw new ServiceError('RESTRICTED_REDIRECT');
  }
}
