import { escapeHtml } from '../../../core/escape-html.ts';
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
    `<title>${escapeHtml(pageName)}</title>`,
    ...(description === '' ? [] : [`<meta name="description" content="${escapeHtml(description)}">`]),
    `<link rel="canonical" href="${escapeHtml(url)}">`,
    ...tags.flatMap(([property, content]) =>
      content === undefined ? [] : [`<meta property="${property}" content="${escapeHtml(content)}">`],
    ),
    `<meta name="twitter:card" content="summary">`,
  ];
  return `${lines.join('\n')}\n`;
}
