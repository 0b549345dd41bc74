import type { SiteDocuments } from '../helpers/site-server.ts';

const words = (count: number, from: string) => Array.from({ length: count }, (_one, at) => `${from}${at}`).join(' ');

const shopPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Trail running shoes | Fell &amp; Ridge</title>
<meta name="description" content="Light trail running shoes for wet rock and mud, with free returns for thirty days and a size guide.">
<link rel="canonical" href="https://shop.audit-sites.net/shoes">
<link rel="icon" href="/icon.png">
<meta property="og:title" content="Trail running shoes"><meta property="og:description" content="For wet rock.">
<meta property="og:image" content="https://shop.audit-sites.net/shoe.jpg"><meta property="og:url" content="https://shop.audit-sites.net/shoes">
<meta property="og:type" content="product"><meta name="twitter:card" content="summary">
<script type="application/ld+json">{"@context":"https://schema.org","@graph":[
{"@type":"Organization","name":"Fell & Ridge","url":"https://shop.audit-sites.net/","logo":"https://shop.audit-sites.net/logo.png"},
{"@type":"Product","name":"Ridge 3","offers":{"@type":"Offer","price":"129.00","priceCurrency":"EUR"}}]}</script>
</head><body><header><a href="/">Home</a></header><main><h1>Trail running shoes</h1>
<p>Our trail running shoes grip on wet rock, drain within minutes and last for a thousand kilometres of fell.</p>
<h2>How do they fit?</h2><p>They run half a size small: take one half more than in your road shoes.</p>
<h2>Can I return them?</h2><p>Yes, within thirty days, also when you have run in them on wet ground.</p>
<table><tr><td>Weight</td><td>240 g</td></tr></table><ul><li>Grip</li></ul>
<img src="/shoe.jpg" alt="A shoe"><img src="/line.png">
<p>${words(320, 'fell')}</p>
<a href="/shoes/men">For men</a> <a href="/shoes/women" title="Women’s models">For women</a>
<a href="/privacy">Privacy</a> <a href="https://github.com/fell-ridge">Code</a>
</main></body></html>`;

/** A shop: most is there, robots.txt keeps training crawlers out, and it has no llms.txt. */
export const shop: SiteDocuments = {
  '/shoes': shopPage,
  '/robots.txt': `User-agent: GPTBot
User-agent: ClaudeBot
Disallow: /

User-agent: *
Disallow: /cart
Sitemap: https://shop.audit-sites.net/map.xml
`,
  '/map.xml': '<?xml version="1.0"?><urlset></urlset>',
};

/** A docs site: an llms.txt, little else. */
export const docs: SiteDocuments = {
  '/': `<!doctype html><html><head><title>Docs</title></head><body><h1>Wire protocol</h1><h3>Frames</h3>
<p>${words(120, 'frame')}</p><pre>code</pre></body></html>`,
  '/robots.txt': { status: 404 },
  '/llms.txt': `# Wire protocol

> How clients and servers of the wire protocol talk.

## Guides

- [Start](https://docs.audit-sites.net/start): in five minutes
- [Frames](/frames)

## Optional

- [History](https://docs.audit-sites.net/history)
`,
};

/** A news site whose robots.txt cannot be had, with structured data that is broken in part. */
export const news: SiteDocuments = {
  '/': `<!doctype html><html lang="en-GB"><head><meta charset="utf-8"><title>The Daily Fell – news from the hills</title>
<meta name="robots" content="max-image-preview:large"><meta property="article:published_time" content="2026-11-01T08:00:00Z">
<script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle","headline":"Fog","author":{"@type":"Person","name":"A. Hill"},"datePublished":"2026-11-01"}</script>
<script type="application/ld+json">{"@type":"WebSite",}</script></head>
<body><article><h1>Fog on the ridge</h1><p>Short.</p><time datetime="2026-11-01">1 November</time></article></body></html>`,
  '/robots.txt': { status: 503 },
};
