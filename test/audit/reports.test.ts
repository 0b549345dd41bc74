import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { findTextFault } from '../../core/text.ts';
import { type AuditReport, analyse } from '../../engines/site-audit/analyse.ts';
import { visitSite } from '../../engines/site-audit/fetch/visit.ts';
import { readLlms } from '../../engines/site-audit/llms/read-llms.ts';
import { llmsChecks } from '../../engines/site-audit/rubric/llms.ts';
import { schemaChecks } from '../../engines/site-audit/rubric/schema.ts';
import { weights } from '../../engines/site-audit/rubric/score.ts';
import type { SiteSnapshot } from '../../engines/site-audit/site-snapshot.ts';
import { isKnown, readStructured } from '../../engines/site-audit/structured/json-ld.ts';
import { parseTarget } from '../../engines/site-audit/target.ts';
import { type SiteDocuments, startSites } from '../helpers/site-server.ts';
import { docs, news, shop } from './fixture-sites.ts';

const sites = await startSites({
  'shop.audit-sites.net': shop,
  'docs.audit-sites.net': docs,
  'news.audit-sites.net': news,
});
afterAll(() => sites.close());

const fetched = async (target: string): Promise<SiteSnapshot> =>
  (await visitSite(parseTarget(target), { userAgent: 'SvcAudit/test', trial: sites.trial })).snapshot;

const bytes = (text: string) => new TextEncoder().encode(text);
const absent = { status: 404, contentType: '', bytes: new Uint8Array() };

/** A site whose page is this and that has nothing else. */
const siteOf = (html: string | Uint8Array, more: Partial<SiteSnapshot> = {}): SiteSnapshot => ({
  target: 'https://some-site.com/',
  finalUrl: 'https://some-site.com/',
  page: {
    status: 200,
    contentType: 'text/html; charset=utf-8',
    bytes: typeof html === 'string' ? bytes(html) : html,
    robotsTags: [],
    truncated: false,
  },
  robots: absent,
  llms: absent,
  llmsFullStatus: 404,
  sitemap: absent,
  ...more,
});

/** Points by check. */
const pointsOf = ({ checks }: AuditReport) => Object.fromEntries(checks.map(({ id, points }) => [id, points]));

test('a shop gets the points that were worked out by hand', async () => {
  const report = analyse(await fetched('shop.audit-sites.net/shoes'));
  expect(pointsOf(report)).toEqual({
    ...{ a1: 10, a2: 5, a3: 45, a4: 12, a5: 6, a6: 8, a7: 4, a8: 4 },
    ...{ m1: 15, m2: 15, m3: 15, m4: 10, m5: 20, m6: 5, m7: 10, m8: 0 },
    ...{ q1: 15, q2: 10, q3: 15, q4: 5, q5: 10, q6: 10, q7: 10, q8: 5, q9: 0, q10: 5, q11: 5 },
    ...{ s1: 20, s2: 15, s3: 10, s4: 15, s5: 15, s6: 0, s7: 10, s8: 5 },
    ...{ l1: 0, l2: 0, l3: 0, l4: 0, l5: 0, l6: 0, l7: 0, l8: 0 },
  });
  // (30·94 + 20·90 + 25·90 + 15·90 + 10·0 + 50) / 100
  expect(report.scores).toEqual({ access: 94, meta: 90, answerability: 90, schema: 90, llms_txt: 0, geo: 82 });
  expect(report).toMatchObject({ hasJsonLd: true, hasLlmsTxt: false, allowsAiBots: false, flags: [] });
  expect(report.bots.filter(({ allowed }) => !allowed).map(({ token }) => token)).toEqual(['GPTBot', 'ClaudeBot']);
});

test('a docs site gets the points that were worked out by hand', async () => {
  const report = analyse(await fetched('docs.audit-sites.net'));
  expect(pointsOf(report)).toMatchObject({
    ...{ a2: 3, a3: 45, a4: 12, a5: 12, a8: 0, m1: 10, m7: 5, q1: 15, q2: 0, q3: 8, q4: 5, q5: 0, q9: 5 },
    ...{ l1: 30, l2: 10, l3: 20, l4: 10, l5: 10, l6: 10, l7: 5, l8: 5 },
  });
  expect(report.scores).toMatchObject({ access: 94, meta: 15, schema: 0, llms_txt: 100 });
  expect(report).toMatchObject({ hasJsonLd: false, hasLlmsTxt: true, allowsAiBots: true });
});

test('a news site whose robots.txt fails is closed to all crawlers, and its broken element is pointed at', async () => {
  const report = analyse(await fetched('news.audit-sites.net'));
  expect(pointsOf(report)).toMatchObject({
    ...{ a1: 10, a2: 0, a3: 0, a4: 0, a5: 0, a6: 8, a7: 4, m8: 10, q3: 0 },
    ...{ s1: 20, s2: 7, s3: 5, s4: 15, s5: 5, s6: 0, s7: 10, s8: 5 },
  });
  expect(report.allowsAiBots).toBe(false);
  expect(report.checks.find(({ id }) => id === 's2')?.evidence).toBe('1 of 2 parse; element 2 fails at character 19');
});

test('every part has 100 points, every check says what it saw, and there are 43', () => {
  const { checks } = analyse(siteOf(''));
  for (const part of Object.keys(weights)) {
    const own = checks.filter((check) => check.part === part);
    expect([part, own.reduce((all, { max }) => all + max, 0)]).toEqual([part, 100]);
  }
  expect(checks).toHaveLength(43);
  for (const { evidence, points, max } of checks) {
    expect(evidence).not.toBe('');
    expect(points).toBeGreaterThanOrEqual(0);
    expect(points).toBeLessThanOrEqual(max);
  }
});

test.each(['shop.audit-sites.net/shoes', 'docs.audit-sites.net', 'news.audit-sites.net'])(
  'what docs/audit.md explains of %s is what is found',
  async (target) => {
    const page = await readFile(new URL('../../docs/audit.md', import.meta.url), 'utf8');
    const { checks, scores } = analyse(await fetched(target));
    for (const { id, points, max, title, evidence } of checks)
      expect(page).toContain(`| \`${id}\` | ${points} of ${max} | ${title} | ${evidence.replaceAll('|', '\\|')} |`);
    expect(page).toContain(`**${scores.geo}**`);
  },
);

test.each(['shop.audit-sites.net/shoes', 'docs.audit-sites.net', 'news.audit-sites.net'])(
  'two visits to %s that find the same bytes give the same report, to the byte',
  async (target) => {
    const [one, other] = [await fetched(target), await fetched(target)];
    expect(JSON.stringify(analyse(other))).toBe(JSON.stringify(analyse(one)));
  },
);

/** Pieces that pages are made of, well and badly. */
const piece = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    '<h1>',
    '</h1>',
    '<h2>How?</h2><p>',
    '<p>So it is.</p>',
    '<a href="/x">[x](y)</a>',
    '<a href="//[">',
    '<a href="https://github.com/x">`</a>',
    '<title># </title>',
    '<title>\u202e</title>',
    '<meta name="description" content="[a](b) \\">',
    '<html lang="de">',
    '<link rel=canonical href="https://some-site.com/a/b%20c/(d)">',
    '<link rel=icon href="data:,">',
    '<svg><p>',
    '<table><template>',
    '<base href="https://elsewhere.com/">',
    '<script type="application/ld+json">{"@context":"https://schema.org","@type":["Organization",1],"name":{"a":[null]}}</script>',
    '<script type="application/ld+json">[[[{"@type":"X","__proto__":{"name":1}}]]]</script>',
    '<script type="application/ld+json">{"@context":{"@vocab":"http://schema.org/"},"@type":"FAQPage","mainEntity":[1,{"name":"a"}]}</script>',
    '<script type="application/ld+json">{"@context":"https://schema.org","@type":"\\ud800\\u0000","name":"\\udc00"}</script>',
    '<script type="application/ld+json">{"@context":"https://schema.org","@type":"WebSite","name":"</scr\\u0069pt>\\u2028","url":"javascript:1"}</script>',
    '</p>\n- [',
    '```',
    '\u0000',
  ),
);
const anySite = fc
  .tuple(fc.array(piece, { maxLength: 25 }), fc.uint8Array({ maxLength: 200 }), fc.uint8Array({ maxLength: 200 }))
  .map(([pieces, robots, llms]) =>
    siteOf(pieces.join(''), {
      finalUrl: 'https://some-site.com/a/b%20c/%E0%A4%A/?q=(1)',
      robots: { status: 200, contentType: 'text/plain', bytes: robots },
      llms: { status: 200, contentType: 'text/plain', bytes: llms },
    }),
  );

/** Holds for whatever was generated. */
function expectToPass({ generatedJsonLd, generatedLlmsTxt }: AuditReport): void {
  expect(generatedJsonLd).not.toMatch(/[<\u2028\u2029]/);
  const data = readStructured([generatedJsonLd]);
  expect(data.nodes.every(isKnown)).toBe(true);
  const schema = Object.fromEntries(schemaChecks(data).map(({ id, points }) => [id, points]));
  expect(schema).toMatchObject({ s1: 20, s2: 15, s3: 10, s4: 15, s6: 10, s8: 5 });
  // A logo or profile is stated where the page has one.
  const { logo, sameAs } = data.nodes.find(({ types }) => types.includes('Organization'))!.properties;
  expect(schema.s5).toBe(logo === undefined && sameAs === undefined ? 10 : 15);
  const llms = llmsChecks(200, 'text/plain', readLlms(bytes(generatedLlmsTxt)));
  expect(llms.filter(({ points, max }) => points !== max)).toEqual([]);
}

test('whatever a page is, its report is the same twice, and what is generated for it passes the audit’s own checks', () => {
  fc.assert(
    fc.property(anySite, (site) => {
      const report = analyse(site);
      expect(JSON.stringify(analyse(site))).toBe(JSON.stringify(report));
      expect(findTextFault(report)).toBe(undefined);
      expectToPass(report);
    }),
    { numRuns: 400 },
  );
});

/** A site that has put what was generated for it into place: the script beside what its page has, and llms.txt. */
async function served(host: string, site: SiteDocuments, path: string, more = ''): Promise<AuditReport> {
  const page = site[path] as string;
  const before = await reportOf(host, { ...site, [path]: page.replace('</head>', `${more}</head>`) }, path);
  expectToPass(before);
  const script = `<script type="application/ld+json">${before.generatedJsonLd}</script>`;
  const after = {
    ...site,
    [path]: page.replace('</head>', `${more}${script}</head>`),
    '/llms.txt': before.generatedLlmsTxt,
  };
  const report = await reportOf(host, after, path);
  expect(report.scores.geo).toBeGreaterThan(before.scores.geo);
  return report;
}

async function reportOf(host: string, documents: SiteDocuments, path: string): Promise<AuditReport> {
  const own = await startSites({ [host]: documents });
  try {
    const visit = await visitSite(parseTarget(host + path), { userAgent: 'SvcAudit/test', trial: own.trial });
    return analyse(visit.snapshot);
  } finally {
    own.close();
  }
}

const icon = '<link rel="icon" href="/icon.png">';
test.each([
  // An icon, a path and questions: nothing is missing.
  ['a shop', 'shop', shop, '/shoes', '', { s1: 20, s2: 15, s3: 10, s4: 15, s5: 15, s6: 10, s7: 10, s8: 5 }, 100],
  // Neither an icon nor a profile, and nothing on its page that could be content.
  ['a docs site', 'docs', docs, '/', '', { s1: 20, s2: 15, s3: 10, s4: 15, s5: 10, s6: 10, s7: 0, s8: 5 }, 85],
  [
    'a docs site with an icon',
    'docs',
    docs,
    '/',
    icon,
    { s1: 20, s2: 15, s3: 10, s4: 15, s5: 15, s6: 10, s7: 0, s8: 5 },
    90,
  ],
  // One of its own two elements stays broken: two of three parse.
  ['a news site', 'news', news, '/', '', { s1: 20, s2: 10, s3: 6, s4: 15, s5: 10, s6: 10, s7: 10, s8: 5 }, 86],
  [
    'a news site with an icon',
    'news',
    news,
    '/',
    icon,
    { s1: 20, s2: 10, s3: 6, s4: 15, s5: 15, s6: 10, s7: 10, s8: 5 },
    91,
  ],
] as const)('what is generated for %s passes the audit’s own checks when the site serves it', async (...row) => {
  const [, name, site, path, more, points, schema] = row;
  const report = await served(`${name}.audit-sites.net`, site, path, more);
  expect(pointsOf(report)).toMatchObject(points);
  expect(report.scores).toMatchObject({ schema, llms_txt: 100 });
  expect(report).toMatchObject({ hasJsonLd: true, hasLlmsTxt: true });
});

test('whatever a site is written in, its report is of characters that can be kept', () => {
  const types = ['\\ud800', 'a\\u0000b', `${'x'.repeat(298)}😀😀`];
  const nodes = types.map((type) => `{"@context":"https://schema.org","@type":"${type}"}`);
  const robots = 'User-agent: *\nContent-Signal: search=\0yes\nDisallow: /\0';
  const report = analyse(
    siteOf(`<script type="application/ld+json">[${nodes.join(',')}]</script>`, {
      robots: { status: 200, contentType: 'text/plain', bytes: bytes(robots) },
      llms: { status: 200, contentType: 'text/\0plain', bytes: bytes('# a') },
    }),
  );
  expect(findTextFault(report)).toBe(undefined);
  expect(report.nodeTypes).toEqual(['\ufffd', 'a b', `${'x'.repeat(298)}\ufffd…`]);
  expect(report.contentSignals).toHaveLength(1);
});

test('text of a page cannot become markup of the generated files', () => {
  const page = `<title># [evil](https://evil.com) \u202e\`\`\`</title>
<meta name="description" content="## Section&#10;- [x](https://evil.com)"><a href="/a" title="](https://evil.com)">- [y](z)</a>`;
  const { generatedLlmsTxt } = analyse(siteOf(page));
  expect(generatedLlmsTxt).toMatch(/^# \\\[evil\\\]\\\(https:\/\/evil.com\\\)/);
  expect(generatedLlmsTxt).not.toContain('\u202e');
  expect(readLlms(bytes(generatedLlmsTxt))).toMatchObject({ titles: 1, sectionsWithList: 1, items: 1, linkItems: 1 });
});

/** Nodes of what is generated for a page with structured data of its own, by type. */
function generatedFor(own: readonly object[], more = ''): Record<string, Record<string, unknown>> {
  const script = JSON.stringify({ '@context': 'https://schema.org', '@graph': own });
  const html = `<html lang="en"><title>Other</title><meta name="description" content="Other."><link rel=icon href="/i.png">
<script type="application/ld+json">${script}</script>${more}`;
  const { generatedJsonLd } = analyse(siteOf(html, { finalUrl: 'https://some-site.com/a/b' }));
  const { '@graph': graph } = JSON.parse(generatedJsonLd) as { '@graph': Record<string, unknown>[] };
  return Object.fromEntries(graph.map((node) => [node['@type'] as string, node]));
}

test('what the page says of itself wins', () => {
  const organization = { '@type': 'Corporation', name: 'Own', url: 'http://own.com/', logo: 'https://own.com/l.png' };
  const profiles = ['https://x.com/own', 'https://github.com/own'];
  const site = { '@type': 'WebSite', name: 'Own site', url: 'https://own.com/home', inLanguage: 'de' };
  const self = { '@type': 'ItemPage', '@id': 'https://some-site.com/a/b#page', name: 'Own page', description: 'Own.' };
  const nodes = generatedFor([{ ...organization, sameAs: profiles }, site, self]);
  expect(nodes.Organization).toMatchObject({ ...organization, '@type': 'Organization', sameAs: profiles.toSorted() });
  expect(nodes.WebSite).toMatchObject(site);
  expect(nodes.WebPage).toMatchObject({ name: 'Own page', description: 'Own.', inLanguage: 'de' });
});

test('what the page says of another page, and what is no address, is not taken over', () => {
  const other = { '@type': 'WebPage', url: 'https://some-site.com/else', name: 'Else', description: 'Else.' };
  const organization = { '@type': 'Organization', name: 'Own', url: 'javascript:1', logo: 'data:,' };
  const nodes = generatedFor([other, organization]);
  expect(nodes.WebPage).toMatchObject({ name: 'Other', description: 'Other.', inLanguage: 'en' });
  expect(nodes.Organization).toMatchObject({
    name: 'Own',
    url: 'https://some-site.com/',
    logo: 'https://some-site.com/i.png',
  });
});

test.each([
  ['an address', 'https://own.com/l.png'],
  ['an image', { '@type': 'ImageObject', url: 'https://own.com/l.png' }],
  ['the content of an image', { '@type': 'ImageObject', contentUrl: 'https://own.com/l.png' }],
  ['several', [{ '@type': 'ImageObject' }, 'https://own.com/l.png', 'https://own.com/m.png']],
])('a logo that is stated as %s is taken over', (_name, logo) => {
  const nodes = generatedFor([{ '@type': 'Organization', name: 'Own', url: 'https://own.com/', logo }]);
  expect(nodes.Organization).toMatchObject({ logo: 'https://own.com/l.png' });
});

test('what the page describes already is not described again', () => {
  const asked = '<h2>What is it?</h2><p>This.</p><h2>Why so?</h2><p>Because.</p>';
  expect(Object.keys(generatedFor([], asked)).toSorted()).toEqual(
    ['BreadcrumbList', 'FAQPage', 'Organization', 'WebPage', 'WebSite'].toSorted(),
  );
  const own = [{ '@type': 'FAQPage' }, { '@type': 'BreadcrumbList' }];
  expect(Object.keys(generatedFor(own, asked)).toSorted()).toEqual(['Organization', 'WebPage', 'WebSite']);
});

test('a page that is no HTML has no points for content, and its site still has its own', () => {
  const site = siteOf('%PDF-1.7');
  const report = analyse({ ...site, page: { ...site.page, contentType: 'application/pdf' } });
  expect(report.flags).toEqual(['not_html']);
  expect(report.scores).toMatchObject({ meta: 0, answerability: 0, schema: 0 });
  expect(report.scores.access).toBeGreaterThan(0);
  expectToPass(report);
});

test('llms.txt that is a page, as of a site that answers everything alike, is none', () => {
  const html = bytes('<!doctype html><h1># Title</h1>');
  const report = analyse(siteOf('', { llms: { status: 200, contentType: 'text/html', bytes: html } }));
  expect(report.hasLlmsTxt).toBe(false);
  expect(pointsOf(report)).toMatchObject({ l1: 30, l2: 0, l3: 0 });
});
