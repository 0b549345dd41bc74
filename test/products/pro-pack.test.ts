import { expect, test } from 'vitest';
import { sha256Of } from '../../engines/bundles/bundle-file.ts';
import { packPaths, proPack } from '../../engines/bundles/pro-pack.ts';
import { robotsAdditions } from '../../engines/bundles/robots-additions.ts';
import { zip } from '../../engines/bundles/zip.ts';
import { adviceOn } from '../../engines/site-audit/advice.ts';
import { analyse } from '../../engines/site-audit/analyse.ts';
import { reportMarkdown } from '../../engines/site-audit/report-markdown.ts';
import { robotsJudge } from '../../engines/site-audit/robots/judge-robots.ts';
import { parseRobots } from '../../engines/site-audit/robots/parse-robots.ts';
import { userAgents } from '../../engines/site-audit/robots/user-agents.ts';
import { criteria } from '../../engines/site-audit/rubric/rubric-text.ts';
import type { SiteSnapshot } from '../../engines/site-audit/site-snapshot.ts';

const nothing = { status: 404, contentType: '', bytes: new Uint8Array() };

const site = ({ html = '<title>A site</title>', robots = '', path = '/shop/shoes?size=9' } = {}): SiteSnapshot => ({
  target: `https://shop.example.com${path}`,
  finalUrl: `https://shop.example.com${path}`,
  page: {
    status: 200,
    contentType: 'text/html; charset=utf-8',
    bytes: Buffer.from(html),
    robotsTags: [],
    truncated: false,
  },
  robots: robots === '' ? nothing : { status: 200, contentType: 'text/plain', bytes: Buffer.from(robots) },
  llms: nothing,
  llmsFullStatus: 404,
  sitemap: nothing,
});

const order = {
  id: 'ord_1',
  transaction: `0x${'ab'.repeat(32)}`,
  network: 'base',
  payer: '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
  domain: 'shop.example.com',
  priceUsd: '1.00',
  paidAt: new Date('2026-11-20T10:00:00Z'),
};
const packOf = (snapshot: SiteSnapshot) =>
  proPack({ report: analyse(snapshot), order, keyId: 'kid', signature: 'a.b.c', rubric: '# Rubric\n' });

test('the rubric that is sold has every check of the engine, with its points', () => {
  const { checks } = analyse(site());
  expect(Object.entries(criteria).flatMap(([part, rows]) => rows.map(([id, max]) => ({ part, id, max })))).toEqual(
    checks.map(({ part, id, max }) => ({ part, id, max })),
  );
  for (const { id } of checks) expect(adviceOn(id)).not.toBe('See the rubric.');
});

test('the same order of the same site is the same pack, with the files of the contract', () => {
  const files = packOf(site());
  expect(files.map(({ path }) => path)).toEqual(packPaths);
  expect(sha256Of(zip(packOf(site())))).toBe(sha256Of(zip(files)));
});

test.each([
  ['everything refused to everybody', 'User-agent: *\nDisallow: /\n'],
  ['a longer pattern than the root', 'User-agent: *\nDisallow: /shop/\nAllow: /\n'],
  ['a pattern with wildcards', 'User-agent: *\nDisallow: /*?size=*$\n'],
  [
    'groups of their own',
    'User-agent: GPTBot\nDisallow: /shop\nDisallow: /shop/shoes\n\nUser-agent: CCBot\nDisallow: /\n',
  ],
  ['a pattern longer than a report shows', `User-agent: *\nDisallow: /shop/shoes${'*'.repeat(400)}\n`],
])('with the lines of the pack every crawler is let in: %s', (_case, robots) => {
  const { bots, finalUrl } = analyse(site({ robots }));
  expect(bots.some(({ allowed }) => !allowed)).toBe(true);
  const lines = robotsAdditions({ bots, finalUrl });
  for (const whole of [`${robots}\n${lines}`, `${lines}\n${robots}`]) {
    const judge = robotsJudge({ kind: 'file', file: parseRobots(Buffer.from(whole)) }, '/shop/shoes?size=9');
    expect(userAgents.filter(({ token }) => !judge(token).allowed)).toEqual([]);
  }
});

test('a report for people shows a hostile page as text', () => {
  const html =
    '<title>| x | <script>alert(1)</script> [a](javascript:b) `c` # d</title><link rel=canonical href="`|x">';
  const report = reportMarkdown(analyse(site({ html, path: '/a`b|c' })));
  expect(report).not.toMatch(/(?<!\\)(?:<script|\[a\]\()/);
  const rows = report.split('\n').filter((line) => line.startsWith('| m') || line.startsWith('| q'));
  expect(rows.length).toBeGreaterThan(15);
  // Four cells each, whatever is in them.
  for (const row of rows) expect(row.match(/(?<!\\)\|/g)).toHaveLength(5);
});
