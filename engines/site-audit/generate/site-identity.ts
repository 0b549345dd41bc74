import { addressOf } from '../address.ts';
import type { PageFacts } from '../html/page-facts.ts';
import { metaOf } from '../rubric/meta.ts';
import { isRecord, type Properties, type SchemaNode } from '../structured/json-ld.ts';
import { typesAmong } from '../structured/required.ts';
import { cleanText } from './clean-text.ts';

/** What generated files say of a site; what its own structured data says wins. */
export interface SiteIdentity {
  readonly origin: string;
  /** The canonical address of the page, or where it was found. */
  readonly url: string;
  /** Of the organization, and of its site: the same unless the page tells them apart. */
  readonly organizationName: string;
  readonly siteName: string;
  readonly homeUrl: string;
  readonly siteUrl: string;
  readonly logo: string | undefined;
  readonly sameAs: readonly string[];
  readonly pageName: string;
  readonly description: string;
  readonly language: string | undefined;
  readonly modified: string | undefined;
  /** What the page describes itself, and need not be repeated. */
  readonly described: ReadonlySet<(typeof describable)[number]>;
}

const describable = ['BreadcrumbList', 'FAQPage'] as const;

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
const descriptionMax = 300;
const sameAsMax = 10;

export function siteIdentity(
  page: PageFacts | undefined,
  finalUrl: string,
  nodes: readonly SchemaNode[],
): SiteIdentity {
  const found = new URL(finalUrl);
  const url = page === undefined ? found.href : canonicalOf(page, found);
  const { origin, hostname } = new URL(url);
  const stated = (type: string) => nodes.filter((node) => typesAmong(node, [type]).length > 0);
  // A person may be the author of one page; an organization is behind the site.
  const own = stated('Organization')[0]?.properties;
  const site = stated('WebSite')[0]?.properties;
  const self = stated('WebPage').find(({ properties }) => isAbout(properties, url))?.properties;
  const title = cleanText(page?.title ?? '', nameMax);
  const name =
    cleanText(page === undefined ? '' : metaOf(page, 'og:site_name'), nameMax) || lastPart(title) || hostname;
  const siteName = stringOf(site?.name) || stringOf(own?.name) || name;
  const language = [self?.inLanguage, site?.inLanguage, page?.lang].find(isLanguage);
  return {
    origin,
    url,
    organizationName: stringOf(own?.name) || siteName,
    siteName,
    homeUrl: webOf(own?.url) ?? `${origin}/`,
    siteUrl: webOf(site?.url) ?? `${origin}/`,
    logo: logoOf(own?.logo) ?? page?.icons.map(httpsOf).find(Boolean),
    sameAs: profilesOf(own?.sameAs, page),
    pageName: stringOf(self?.name) || title || siteName,
    description:
      stringOf(self?.description, descriptionMax) ||
      cleanText(
        page === undefined ? '' : metaOf(page, 'description') || metaOf(page, 'og:description'),
        descriptionMax,
      ),
    language: language?.trim(),
    modified: modifiedOf(page, nodes),
    described: new Set(describable.filter((type) => stated(type).length > 0)),
  };
}

/** Whether a node is about a page: it names that one, or none. */
function isAbout({ url, '@id': id }: Properties, page: string): boolean {
  const named = [url, id]
    .filter((one) => typeof one === 'string')
    .map((one) => addressOf(one, page)?.href.split('#')[0]);
  return named.every((one) => one === page);
}

const isLanguage = (value: unknown): value is string =>
  typeof value === 'string' && /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/i.test(value.trim());

/** The canonical link where it is one of the same host, else where the page was found. */
function canonicalOf({ canonicals }: PageFacts, found: URL): string {
  const href = canonicals.find((text) => text !== '');
  const url = (href === undefined ? undefined : addressOf(href, found.href)) ?? found;
  const fits = url.protocol === 'https:' && url.hostname === found.hostname && url.username === '' && url.port === '';
  const chosen = fits ? url : new URL(found);
  chosen.hash = '';
  return chosen.href;
}

const stringOf = (value: unknown, charactersMax = nameMax): string =>
  typeof value === 'string' ? cleanText(value, charactersMax) : '';

/** An absolute address of the web without credentials. */
function webOf(value: unknown): string | undefined {
  const url = typeof value === 'string' ? addressOf(value) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' ? url.href : undefined;
}

function httpsOf(value: unknown): string | undefined {
  const href = webOf(value);
  return href?.startsWith('https:') ? href : undefined;
}

/** A logo as structured data states it: an address, an image, or several of either. */
const logoOf = (stated: unknown): string | undefined =>
  [stated]
    .flat()
    .map((one) => (isRecord(one) ? (webOf(one.url) ?? webOf(one.contentUrl)) : webOf(one)))
    .find(Boolean);

/** Of `Shop shoes | The Shop`: `The Shop`. */
const lastPart = (title: string): string =>
  title
    .split(/\s[|–—·•:-]\s/u)
    .at(-1)!
    .trim();

function profilesOf(stated: unknown, page: PageFacts | undefined): string[] {
  const own = [stated].flat().flatMap((one) => webOf(one) ?? []);
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
