import type { PageFacts } from '../html/page-facts.ts';
import type { RobotsVerdict } from '../robots/judge-robots.ts';
import type { RobotsFile } from '../robots/parse-robots.ts';
import type { SiteSnapshot } from '../site-snapshot.ts';
import { type Check, checksOf } from './check.ts';

export interface AccessFacts {
  readonly site: SiteSnapshot;
  /** Undefined when the page is no HTML. */
  readonly page: PageFacts | undefined;
  /** Undefined when there was none to read. */
  readonly robots: RobotsFile | undefined;
  readonly judge: (token: string) => RobotsVerdict;
}

const check = checksOf('access');

/** Part A. Contract 00, section 3.8. */
export function accessChecks({ site, page, robots, judge }: AccessFacts): Check[] {
  const { status } = site.page;
  const robotsStatus = site.robots.status;
  const robotsPoints =
    robotsStatus === 200 && robots?.parseable === true ? 5 : robotsStatus === 404 || robotsStatus === 410 ? 3 : 0;
  const directives = robotsDirectives(site, page);
  const noIndex = directives.filter((one) => one === 'noindex' || one === 'none');
  const noSnippet = directives.filter((one) => one === 'nosnippet' || /^max-snippet:0+$/.test(one));
  const sitemap = sitemapEvidence(site, robots);
  return [
    check('a1', 'The page answers 200 over HTTPS', 10, status === 200 ? 10 : 0, `final status ${status}`),
    check(
      'a2',
      'robots.txt is there and readable',
      5,
      robotsPoints,
      robotsStatus === undefined
        ? 'robots.txt could not be fetched: crawlers take everything as disallowed'
        : `robots.txt answered ${robotsStatus}${robotsStatus === 200 && robotsPoints === 0 ? ', which is no robots file' : ''}`,
    ),
    allowed('a3', 'Search and answer crawlers are allowed', 9, searchTokens, judge),
    allowed('a4', 'Fetchers on a user’s request are allowed', 4, userTokens, judge),
    allowed('a5', 'Training crawlers are allowed', 3, trainingTokens, judge),
    check('a6', 'The page may be indexed', 8, noIndex.length === 0 ? 8 : 0, told(noIndex, 'no noindex')),
    check('a7', 'The page may be quoted', 4, noSnippet.length === 0 ? 4 : 0, told(noSnippet, 'no nosnippet')),
    check(
      'a8',
      'There is a sitemap',
      4,
      sitemap === undefined ? 0 : 4,
      sitemap ?? 'none is named, and /sitemap.xml is none',
    ),
  ];
}

const searchTokens = ['OAI-SearchBot', 'Claude-SearchBot', 'PerplexityBot', 'Googlebot', 'Bingbot'];
const userTokens = ['ChatGPT-User', 'Claude-User', 'Perplexity-User'];
const trainingTokens = ['GPTBot', 'ClaudeBot', 'Google-Extended', 'Applebot-Extended'];

function allowed(
  id: string,
  title: string,
  each: number,
  tokens: readonly string[],
  judge: AccessFacts['judge'],
): Check {
  const refused = tokens.filter((token) => !judge(token).allowed);
  const good = tokens.length - refused.length;
  const evidence = refused.length === 0 ? `all of ${tokens.join(', ')}` : `refused: ${refused.join(', ')}`;
  return check(id, title, each * tokens.length, each * good, evidence);
}

/** Directives for all crawlers, in lower case, of the page and of its header. */
function robotsDirectives(site: SiteSnapshot, page: PageFacts | undefined): string[] {
  // A tag that names a crawler first is for that one alone; directives with a value are no names.
  const general = site.page.robotsTags.filter((tag) => !/^\s*(?!max-|unavailable_after)[\w-]+\s*:/i.test(tag));
  return [...general, ...(page?.metas.get('robots') ?? [])]
    .flatMap((value) => value.split(','))
    .map((value) => value.replace(/\s+/g, '').toLowerCase());
}

const told = (found: readonly string[], otherwise: string) => (found.length === 0 ? otherwise : `found ${found[0]}`);

function sitemapEvidence({ sitemap }: SiteSnapshot, robots: RobotsFile | undefined): string | undefined {
  if (robots !== undefined && robots.sitemaps.length > 0) return 'named in robots.txt';
  const start = new TextDecoder().decode(sitemap.bytes.subarray(0, 1024));
  const isXml = /^\ufeff?\s*<(?:\?xml|urlset|sitemapindex)/i.test(start);
  return sitemap.status === 200 && isXml ? '/sitemap.xml is XML' : undefined;
}
