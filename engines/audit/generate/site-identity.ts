import type { PageFacts } from '../html/page-facts.ts';
import { metaOf } from '../rubric/meta.ts';
import { isRecord, type SchemaNode } from '../structured/json-ld.ts';
import { typesAmong } from '../structured/required.ts';
import { cleanText } from './clean-text.ts';

/** What generated files say of a site; what its own structured data says wins. */
export interface SiteIdentity {
  readonly origin: string;
  /** The canonical address of the page, or where it was found. */
  readonly url: string;
  readonly siteName: string;
  readonly homeUrl: string;
  readonly logo: string | undefined;
  readonly sameAs: readonly string[];
  readonly pageName: string;
  readonly description: string;
  readonly language: string | undefined;
  readonly modified: string | undefined;
}

const profileHosts = new Set([
  'bsky.app',
  'crunchbase.com',
  'facebook.com',
  'github.com',
  'gitlab.com',
  'instagram.com',
  'linkedin.com',
  'mastodon.social',
  'npmjs.com',
  'pinterest.com',
  'tiktok.com',
  'wikidata.org',
  'wikipedia.org',
  'x.com',
  'twitter.com',
  'youtube.com',
]);

const nameMax = 120;
const sameAsMax = 10;

export function siteIdentity(
  page: PageFacts | undefined,
  finalUrl: string,
  nodes: readonly SchemaNode[],
): SiteIdentity {
  const found = new URL(finalUrl);
  const url = page === undefined ? found.href : canonicalOf(page, found);
  const { origin, hostname } = new URL(url);
  // A person may be the author of one page; an organization stands behind the site.
  const own = nodes.find((node) => typesAmong(node, ['Organization']).length > 0)?.properties;
  const site = nodes.find((node) => typesAmong(node, ['WebSite']).length > 0)?.properties;
  const title = cleanText(page?.title ?? '', nameMax);
  const siteName =
    stringOf(own?.name) ||
    stringOf(site?.name) ||
    cleanText(page === undefined ? '' : metaOf(page, 'og:site_name'), nameMax) ||
    lastPart(title) ||
    hostname;
  const language = page?.lang?.trim() ?? '';
  return {
    origin,
    url,
    siteName,
    homeUrl: httpsOf(own?.url) ?? `${origin}/`,
    logo: httpsOf(isRecord(own?.logo) ? own.logo.url : own?.logo) ?? page?.icons.map(httpsOf).find(Boolean),
    sameAs: profilesOf(own?.sameAs, page),
    pageName: title || siteName,
    description: cleanText(
      page === undefined ? '' : metaOf(page, 'description') || metaOf(page, 'og:description'),
      300,
    ),
    language: /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/i.test(language) ? language : undefined,
    modified: modifiedOf(page, nodes),
  };
}

/** The canonical link where it is one of the same host, else where the page was found. */
function canonicalOf({ canonicals }: PageFacts, found: URL): string {
  const href = canonicals.find((text) => text !== '');
  const url = href !== undefined && URL.canParse(href, found.href) ? new URL(href, found) : found;
  const fits = url.protocol === 'https:' && url.hostname === found.hostname && url.username === '' && url.port === '';
  const chosen = fits ? url : new URL(found);
  chosen.hash = '';
  return chosen.href;
}

const stringOf = (value: unknown): string => (typeof value === 'string' ? cleanText(value, nameMax) : '');

function httpsOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 2048 || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  return url.protocol === 'https:' && url.username === '' ? url.href : undefined;
}

/** Of `Shop shoes | The Shop`: `The Shop`. */
const lastPart = (title: string): string =>
  title
    .split(/\s[|–—·•:-]\s/u)
    .at(-1)!
    .trim();

function profilesOf(stated: unknown, page: PageFacts | undefined): string[] {
  const own = [stated].flat().flatMap((one) => httpsOf(one) ?? []);
  const linked = (page?.anchors ?? []).flatMap(({ url }) =>
    url !== undefined && url.pathname.length > 1 && profileHosts.has(url.hostname.replace(/^(?:www|[a-z]{2})\./, ''))
      ? (httpsOf(url.href) ?? [])
      : [],
  );
  // By code units, so that no locale has a say.
  return [...new Set(own.length > 0 ? own : linked)].sort().slice(0, sameAsMax);
}

function modifiedOf(page: PageFacts | undefined, nodes: readonly SchemaNode[]): string | undefined {
  const stated = [
    ...nodes.map(({ properties }) => properties.dateModified),
    ...(page === undefined ? [] : [metaOf(page, 'article:modified_time'), metaOf(page, 'article:updated_time')]),
  ];
  const isDate = (one: unknown): one is string =>
    typeof one === 'string' && one.length <= 40 && /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?$/.test(one);
  return stated.find(isDate);
}
