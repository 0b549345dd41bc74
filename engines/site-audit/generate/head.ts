import type { SiteIdentity } from './site-identity.ts';

/** Lines for the head of the page: title, description, canonical link and Open Graph. Contract 00, section 5.2. */
export function generateHead({ pageName, description, url, siteName, logo }: SiteIdentity): string {
  const tags: readonly (readonly [string, string | undefined])[] = [
    ['og:type', 'website'],
    ['og:title', pageName],
    ['og:description', description === '' ? undefined : description],
    ['og:url', url],
    ['og:site_name', siteName],
    ['og:image', logo],
  ];
  const lines = [
    `<title>${escaped(pageName)}</title>`,
    ...(description === '' ? [] : [`<meta name="description" content="${escaped(description)}">`]),
    `<link rel="canonical" href="${escaped(url)}">`,
    ...tags.flatMap(([property, content]) =>
      content === undefined ? [] : [`<meta property="${property}" content="${escaped(content)}">`],
    ),
    `<meta name="twitter:card" content="summary">`,
  ];
  return `${lines.join('\n')}\n`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => entities[one]!);
