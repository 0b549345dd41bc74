import { expect, test } from 'vitest';
import { analyse } from '../../engines/audit/analyse.ts';
import { readPage } from '../../engines/audit/html/page-facts.ts';
import { readLlms } from '../../engines/audit/llms/read-llms.ts';
import { readStructured } from '../../engines/audit/structured/json-ld.ts';

const half = 500_000;
const filled = (piece: string) => piece.repeat(Math.floor(half / piece.length));
const bytes = (text: string) => new TextEncoder().encode(text);
const read = (html: string) => readPage(bytes(html), 'text/html', 'https://some-site.com/');

/** Half a megabyte each, made to be slow: nested, quadratic or overflowing for parsers that are careless. */
test.each([
  ['nested elements', filled('<div>')],
  ['nested formatting', filled('<b>')],
  ['formatting that is adopted again and again', filled('<a><b><p>')],
  ['nested tables', filled('<table><tr><td>')],
  ['nested lists', filled('<ul><li>')],
  ['nested headings and paragraphs', filled('<object><h2>x<p>y')],
  ['nested templates', filled('<template>')],
  ['nested svg', filled('<svg><g>')],
  ['nested selects', filled('<select><option>')],
  ['unclosed anchors', filled('<a href=x>')],
  ['flat elements', filled('<i></i>')],
  ['text alone', filled('x ')],
  ['unfinished markup', filled('<')],
  ['comments', filled('<!--')],
  ['entities', filled('&amp;')],
])('%s cost as many visits as there are nodes', (_name, html) => {
  const { visits } = read(html);
  // Each element is come to and left once, and stands for three characters at least.
  expect(visits).toBeLessThanOrEqual(2 * html.length);
  expect(visits).toBeGreaterThan(0);
});

test('half a megabyte of nested elements is looked into to a bounded depth', () => {
  const page = read(filled('<div>'));
  expect(page.cut).toBe(true);
  expect(page.visits).toBeLessThan(2_000);
});

test('of very many elements a bounded number is looked at', () => {
  const page = read('<i></i>'.repeat(140_000));
  expect(page.cut).toBe(true);
  expect(page.visits).toBeLessThanOrEqual(100_000 + 240_000);
});

test('structured data as deep as a page is long is walked without recursion', () => {
  const deep = `${'{"@context":"https://schema.org","@type":"Thing","about":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
  expect(readStructured([deep]).nodes).toHaveLength(5_000);
  const arrays = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  expect(readStructured([arrays]).blocks).toHaveLength(1);
});

test('lines that nearly are links cost no more than their length', () => {
  const text = `# T\n\n## S\n\n- [${filled('\\[')}`;
  expect(readLlms(bytes(text))).toMatchObject({ items: 1, linkItems: 0 });
});

test('a whole report of a hostile page is made', () => {
  const absent = { status: 404, contentType: '', bytes: new Uint8Array() };
  const report = analyse({
    target: 'https://some-site.com/',
    finalUrl: 'https://some-site.com/',
    page: { status: 200, contentType: 'text/html', bytes: bytes(filled('<div>')), robotsTags: [], truncated: false },
    robots: {
      status: 200,
      contentType: 'text/plain',
      bytes: bytes(`User-agent: *\n${filled('Disallow: /*a*b*c*d\n')}`),
    },
    llms: absent,
    llmsFullStatus: undefined,
    sitemap: absent,
  });
  expect(report.flags).toEqual(['cut']);
  expect(report.checks).toHaveLength(43);
});

test('a report stays small, however long the texts are that a site made for it', () => {
  const long = 'ж'.repeat(100_000);
  const node = { '@context': 'https://schema.org', '@type': ['Organization', long], name: long };
  const signals = Array.from({ length: 100 }, () => `Content-Signal: ${'x'.repeat(2_000)}`).join('\n');
  const absent = { status: 404, contentType: '', bytes: new Uint8Array() };
  const html = `<title>${long}</title><script type="application/ld+json">${JSON.stringify(node)}</script><h1>${long}</h1>`;
  const report = analyse({
    target: 'https://some-site.com/',
    finalUrl: 'https://some-site.com/',
    page: { status: 200, contentType: 'text/html', bytes: bytes(html), robotsTags: [long], truncated: false },
    robots: {
      status: 200,
      contentType: 'text/plain',
      bytes: bytes(`User-agent: *\nDisallow: /${'*a'.repeat(100_000)}\n${signals}`),
    },
    llms: {
      status: 200,
      contentType: 'text/plain',
      bytes: bytes(`# ${long}\n\n> ${long}\n\n## ${long}\n\n- [${long}](https://a.com/${long})`),
    },
    llmsFullStatus: undefined,
    sitemap: absent,
  });
  expect(report.nodeTypes[0]).toMatch(/^Organization, ж+…$/);
  expect(JSON.stringify(report).length).toBeLessThan(100_000);
});
