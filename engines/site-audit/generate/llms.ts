import type { PageFacts } from '../html/page-facts.ts';
import { cleanMarkdown } from './clean-text.ts';
import type { SiteIdentity } from './site-identity.ts';

const linksMax = 20;
const textMax = 80;

/** Pages that a reader short of room may leave out. */
const optionalPath = /privacy|terms|legal|imprint|cookie|careers/i;

interface Link {
  readonly href: string;
  readonly text: string;
  readonly notes: string;
}

/** An llms.txt for the site. Contract 00, section 3.10. */
export function generateLlms(site: SiteIdentity, page: PageFacts | undefined): string {
  const links = linksOf(site, page);
  const own: Link = {
    href: hrefOf(new URL(site.url)),
    text: cleanMarkdown(site.pageName, textMax) || new URL(site.url).hostname,
    notes: '',
  };
  const optional = links.filter(({ href }) => optionalPath.test(new URL(href).pathname)).slice(0, linksMax);
  const pages = links.filter((link) => !optional.includes(link)).slice(0, linksMax);
  const name = cleanMarkdown(site.siteName, 120) || new URL(site.url).hostname;
  const summary = cleanMarkdown(site.description, 300) || `Pages of ${new URL(site.url).hostname}.`;
  const lines = [`# ${name}`, '', `> ${summary}`, '', '## Pages', '', ...(pages.length > 0 ? pages : [own]).map(item)];
  if (optional.length > 0) lines.push('', '## Optional', '', ...optional.map(item));
  return `${lines.join('\n')}\n`;
}

const item = ({ href, text, notes }: Link): string => `- [${text}](${href})${notes === '' ? '' : `: ${notes}`}`;

/** An address without fragment, in which nothing ends a Markdown link. */
function hrefOf(url: URL): string {
  const plain = new URL(url);
  plain.hash = '';
  return plain.href.replace(/[()[\]\\]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Links within the site in document order, each page once. */
function linksOf(site: SiteIdentity, page: PageFacts | undefined): Link[] {
  const { host } = new URL(site.url);
  const found = new Map<string, Link>();
  for (const { url, text, title } of page?.anchors ?? []) {
    if (url === undefined || url.protocol !== 'https:' || url.host !== host || url.username !== '') continue;
    const href = hrefOf(url);
    const shown = cleanMarkdown(text, textMax);
    if (shown === '' || href.length > 2048 || found.has(href)) continue;
    found.set(href, { href, text: shown, notes: cleanMarkdown(title, textMax) });
  }
  return [...found.values()];
}
