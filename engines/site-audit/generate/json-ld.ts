import type { PageFacts } from '../html/page-facts.ts';
import { questionHeadings } from '../rubric/answerability.ts';
import { cleanText } from './clean-text.ts';
import type { SiteIdentity } from './site-identity.ts';

const pairsMax = 10;
const answerMax = 300;
const segmentsMax = 10;

/** One document that describes the site and the page, ready for a script element. Contract 00, section 3.9. */
export function generateJsonLd(site: SiteIdentity, page: PageFacts | undefined): string {
  const organization = `${site.origin}/#organization`;
  const website = `${site.origin}/#website`;
  const graph = [
    {
      '@type': 'Organization',
      '@id': organization,
      name: site.organizationName,
      url: site.homeUrl,
      logo: site.logo,
      sameAs: site.sameAs.length > 0 ? site.sameAs : undefined,
    },
    {
      '@type': 'WebSite',
      '@id': website,
      name: site.siteName,
      url: site.siteUrl,
      publisher: { '@id': organization },
      inLanguage: site.language,
    },
    {
      '@type': 'WebPage',
      '@id': `${site.url}#webpage`,
      url: site.url,
      name: site.pageName,
      description: site.description === '' ? undefined : site.description,
      isPartOf: { '@id': website },
      inLanguage: site.language,
      dateModified: site.modified,
    },
    ...(site.described.has('BreadcrumbList') ? [] : breadcrumbs(site)),
    ...(site.described.has('FAQPage') ? [] : questions(site, page)),
  ];
  const text = JSON.stringify({ '@context': 'https://schema.org', '@graph': graph }, null, 2);
  const escaped = text.replace(/[<\u2028\u2029]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `${escaped}\n`;
}

function breadcrumbs({ url, siteName, origin, pageName }: SiteIdentity): object[] {
  const segments = new URL(url).pathname.split('/').filter((segment) => segment !== '');
  if (segments.length === 0 || segments.length > segmentsMax) return [];
  const items = segments.map((segment, index) => {
    const isLast = index === segments.length - 1;
    const words = cleanText(
      decoded(segment)
        .replace(/\.html?$/i, '')
        .replace(/[-_]+/g, ' '),
      80,
    );
    return {
      '@type': 'ListItem',
      position: index + 2,
      name: isLast ? pageName : words || segment,
      item: isLast ? url : `${origin}/${segments.slice(0, index + 1).join('/')}/`,
    };
  });
  const home = { '@type': 'ListItem', position: 1, name: siteName, item: `${origin}/` };
  return [{ '@type': 'BreadcrumbList', '@id': `${url}#breadcrumb`, itemListElement: [home, ...items] }];
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function questions({ url }: SiteIdentity, page: PageFacts | undefined): object[] {
  if (page === undefined) return [];
  const pairs = questionHeadings(page)
    .map(({ text, paragraph }) => ({ name: cleanText(text, answerMax), text: cleanText(paragraph, answerMax) }))
    .filter(({ name, text }) => name !== '' && text !== '')
    .slice(0, pairsMax);
  if (pairs.length < 2) return [];
  const mainEntity = pairs.map(({ name, text }) => ({
    '@type': 'Question',
    name,
    acceptedAnswer: { '@type': 'Answer', text },
  }));
  return [{ '@type': 'FAQPage', '@id': `${url}#faq`, mainEntity }];
}
