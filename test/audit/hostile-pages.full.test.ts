import { expect, test } from 'vitest';
import { analyse } from '../../engines/site-audit/analyse.ts';
import { readPage } from '../../engines/site-audit/html/page-facts.ts';
import { readLlms } from '../../engines/site-audit/llms/read-llms.ts';
import { robotsJudge, robotsSource } from '../../engines/site-audit/robots/judge-robots.ts';
import { parseRobots } from '../../engines/site-audit/robots/parse-robots.ts';
import { userAgents } from '../../engines/site-audit/robots/user-agents.ts';
import type { SiteSnapshot } from '../../engines/site-audit/site-snapshot.ts';
import { readStructured } from '../../engines/site-audit/structured/json-ld.ts';

const half = 500_000;
const filled = (piece: string) => piece.repeat(Math.floor(half / piece.length));
const bytes = (text: string) => new TextEncoder().encode(text);
const read = (html: string) => readPage(bytes(html), 'text/html', 'https://some-site.com/');
/** Pieces that differ, up to a length. */
function numbered(piece: (number: number) => string, length = half): string {
  let text = '';
  for (let number = 0; text.length < length; number += 1) text += piece(number);
  return text;
}

/** Elements that are made of a page, and steps that are taken to make them: see `parseBounded`. */
const elementsMax = 100_000;
const stepsMax = 1_000_000;

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
  ['formatting in paragraphs', filled('<p><b>')],
  ['formatting of many kinds', numbered((number) => `<b id=${number}>`)],
  [
    'formatting of many kinds, opened again in each paragraph',
    numbered((n) => `<b id=${n}>`, half / 2) + '<p>x'.repeat(60_000),
  ],
  [
    'formatting around blocks, closed again and again',
    numbered((n) => `<b id=${n}><div>`, half / 2) + '</b>'.repeat(60_000),
  ],
  ['formatting around many children', `<b><div>${'<br>'.repeat(20_000)}${'</b><b><div></b>'.repeat(20_000)}`],
  ['anchors around blocks', filled('<a href=x><div>')],
  ['one tag with many attributes', `<a ${numbered((n) => `a${n} `)}>`],
  ['a tag with many attributes, opened again', `<b ${numbered((n) => `a${n} `, 100_000)}>${'<p>x'.repeat(100_000)}`],
  ['bodies that each add an attribute', numbered((n) => `<body a${n}=1>`)],
  ['what is moved out of a table', `<table>${'<br>'.repeat(120_000)}`],
  ['text that is moved out of a table', `<table>${'x<tr>'.repeat(100_000)}`],
  ['formatting that is moved out of tables', filled('<table><b>x')],
  ['annotations of formulas', filled('<math><annotation-xml>')],
  ['buttons', filled('<button><p>')],
  ['tags of many names', numbered((n) => `<x${n}>`, half / 2) + numbered((n) => `</x${n}>`, half / 2)],
  ['ends of what was never begun', filled('</p></br>')],
  ['ends below much that is open', `${'<div>'.repeat(50_000)}${'</span>'.repeat(30_000)}`],
  ['headings in headings, with much in them', filled(`${'<h2><i>'.repeat(200)}${'x<!---->'.repeat(500)}`)],
  ['unclosed anchors', filled('<a href=x>')],
  ['flat elements', filled('<i></i>')],
  ['text alone', filled('x ')],
  ['unfinished markup', filled('<')],
  ['comments', filled('<!--')],
  ['entities', filled('&amp;')],
])('%s cost no more steps and visits than any page may', (_name, html) => {
  const { visits, steps } = read(html);
  // One more is what ended it. Each element is come to and left once; texts stand for a character at least.
  expect(steps).toBeLessThanOrEqual(stepsMax + html.length);
  expect(visits).toBeLessThanOrEqual(2 * elementsMax + html.length);
  expect(visits).toBeGreaterThan(0);
});

test('twice as much of it takes no more steps than twice as many, or the bound', () => {
  const shapes: readonly ((count: number) => string)[] = [
    (count) => '<table>'.concat('<br>'.repeat(count)),
    (count) => `<b><div>${'</b><b><div></b>'.repeat(count)}`,
    (count) => '<p><b>'.repeat(count),
    (count) => '<a href=x><div>'.repeat(count),
    (count) => '<i></i>'.repeat(count),
  ];
  for (const shape of shapes) {
    const [one, twice] = [read(shape(10_000)).steps, read(shape(20_000)).steps];
    expect(twice).toBeLessThanOrEqual(Math.min(2.1 * one, stepsMax));
  }
});

test('a page that is cut keeps what was read of it, and is judged by that', () => {
  const page = read(
    `<title>Held</title><h1>First</h1><p>Said before.</p>${numbered((n) => `<b id=${n}>`, 20_000)}${'<p>x'.repeat(50_000)}`,
  );
  expect(page).toMatchObject({ cut: true, title: 'Held' });
  expect(page.headings[0]).toEqual({ level: 1, text: 'First', paragraph: 'Said before.' });
});

test('an honest page of a megabyte is read to its end', () => {
  const row =
    '<section><h2>What is it?</h2><p>It is <a href="/x">a <b>link</b></a> and <i>more</i>.</p><ul><li>One</li></ul></section>';
  const page = read(`<main>${row.repeat(Math.floor(1_000_000 / row.length))}</main><p id=last>The end`);
  expect(page.cut).toBe(false);
  expect(page.visibleText).toMatch(/The end$/);
  expect(page.steps).toBeLessThan(stepsMax / 5);
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

/** Half a megabyte each, for whatever reads it: quadratic ones would take hours. */
const site = (more: Partial<SiteSnapshot>): SiteSnapshot => ({
  target: 'https://some-site.com/',
  finalUrl: 'https://some-site.com/',
  page: page(''),
  robots: absent,
  llms: absent,
  llmsFullStatus: undefined,
  sitemap: absent,
  ...more,
});
const absent = { status: 404, contentType: '', bytes: new Uint8Array() };
const page = (html: string) => ({
  status: 200,
  contentType: 'text/html',
  bytes: bytes(html),
  robotsTags: [],
  truncated: false,
});
const plain = (text: string) => ({ status: 200, contentType: 'text/plain', bytes: bytes(text) });
const script = (json: string) => page(`<script type="application/ld+json">${json}</script>`);
const longPath = { finalUrl: `https://some-site.com/${'a'.repeat(2_000)}` };
const everyAgent = userAgents.map(({ token }) => `User-agent: ${token}`).join('\n');
const context = '"@context":"https://schema.org"';

test.each<[string, Partial<SiteSnapshot>]>([
  [
    'a group of rules that all crawlers share',
    { ...longPath, robots: plain(`${everyAgent}\n${filled('Disallow: /*ab\n')}`) },
  ],
  [
    'rules that nearly fit',
    { ...longPath, robots: plain(`${everyAgent}\n${filled(`Disallow: /*${'a'.repeat(900)}b${'a'.repeat(900)}\n`)}`) },
  ],
  ['rules of many runs', { ...longPath, robots: plain(`${everyAgent}\n${filled('Disallow: /*a*a*a*a*a*b\n')}`) }],
  ['one rule of nothing but runs', { ...longPath, robots: plain(`${everyAgent}\nDisallow: /${'*a'.repeat(250_000)}`) }],
  ['groups of one crawler', { robots: plain(filled('User-agent: GPTBot\nAllow: /\n')) }],
  ['names of one group', { robots: plain(filled('User-agent: x\n')) }],
  ['escaped rules', { robots: plain(`${everyAgent}\nDisallow: /${filled('%61')}`) }],
  ['a sitemap without end', { robots: plain(`Sitemap: https://${filled('ü')}`) }],
  ['a link of backslashes', { llms: plain(`# T\n\n## S\n\n- [${filled('\\[')}`) }],
  ['a link of letters', { llms: plain(`# T\n## S\n- [${filled('a')}](${filled('b')}`) }],
  ['a link to a host without end', { llms: plain(`# T\n## S\n- [a](https://${filled('ü')}.com)`) }],
  ['lines of space', { llms: plain(filled(`${' '.repeat(1_000)}x`)) }],
  [
    'a node of many types',
    {
      page: script(
        `{${context},"@type":[${filled('"a",')}"Person"],${numbered((n) => `"p${n}":1,`, 90_000)}"name":"x"}`,
      ),
    },
  ],
  ['many nodes', { page: script(`{${context},"@graph":[${filled('{"@type":"Product","name":"x","url":"y"},')}{}]}`) }],
  ['many contexts', { page: script(`{"@context":[${filled('"http://x.y",')}"https://schema.org"],"@type":"Thing"}`) }],
  ['many elements of structured data', { page: page(filled('<script type="application/ld+json">{,}</script>')) }],
  ['links to hosts of many labels', { page: page(numbered(() => `<a href="https://${'a.'.repeat(900)}com">x</a>`)) }],
  [
    'links from a base without end',
    { page: page(`<base href="https://a.com/${'a'.repeat(400_000)}">${'<a href=x>'.repeat(5_000)}`) },
  ],
  ['a canonical link without end', { page: page(`<link rel=canonical href="https://${filled('ü')}.com">`) }],
  ['a title of parts', { page: page(`<title>${filled('a | b ')}</title>`) }],
  ['headings that ask', { page: page(filled('<h2>What?</h2><p>x</p>')) }],
  ['words of one letter', { page: page(filled('a ')) }],
  ['characters that are words', { page: page(filled('漢')) }],
])('%s: a report is made, and is small', (_name, more) => {
  const report = analyse(site(more));
  expect(report.checks).toHaveLength(43);
  expect(JSON.stringify(report).length).toBeLessThan(100_000);
});

test('of a rule that all crawlers share is compared once what has to be compared', () => {
  // A path that counts how often something is looked for in it.
  let looks = 0;
  const indexOf = String.prototype.indexOf;
  const rules = 5_000;
  const file = plain(`${everyAgent}\n${'Disallow: /*zz\n'.repeat(rules)}`);
  const judge = robotsJudge(
    robotsSource(200, () => parseRobots(file.bytes)),
    longPath.finalUrl.slice('https://some-site.com'.length),
  );
  String.prototype.indexOf = function counted(...given) {
    if (given[0] === 'zz') looks += 1;
    return indexOf.apply(this, given);
  };
  try {
    for (const { token } of userAgents) judge(token);
  } finally {
    String.prototype.indexOf = indexOf;
  }
  expect(looks).toBe(rules);
});

test('lines that nearly are links cost no more than their length', () => {
  const text = `# T\n\n## S\n\n- [${filled('\\[')}`;
  expect(readLlms(bytes(text))).toMatchObject({ items: 1, linkItems: 0 });
});

test('a whole report of a hostile page is made', () => {
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
