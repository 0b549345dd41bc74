import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fits, robotsJudge, robotsSource } from '../../engines/site-audit/robots/judge-robots.ts';
import { comparable, parseRobots } from '../../engines/site-audit/robots/parse-robots.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const judge = (text: string, path: string, token = 'GPTBot') =>
  robotsJudge(
    robotsSource(200, () => parseRobots(bytes(text))),
    path,
  )(token);

test.each([
  ['nothing is said', '', '/x', true],
  ['everything is disallowed', 'User-agent: *\nDisallow: /', '/x', false],
  ['an empty rule', 'User-agent: *\nDisallow:', '/x', true],
  ['its own group', 'User-agent: *\nDisallow: /\n\nUser-agent: GPTBot\nAllow: /', '/x', true],
  ['its own group has other rules alone', 'User-agent: *\nDisallow: /\nUser-agent: gptbot\nDisallow: /a', '/b', true],
  ['a token in any case', 'user-AGENT: gPTbOT\ndisALLOW: /', '/x', false],
  ['a version behind the token', 'User-agent: GPTBot/1.2\nDisallow: /', '/x', false],
  ['a token that begins alike', 'User-agent: GPT\nDisallow: /', '/x', true],
  ['a longer token', 'User-agent: GPTBot-Extra\nDisallow: /', '/x', true],
  ['groups of one token', 'User-agent: GPTBot\nDisallow: /a\n\nUser-agent: GPTBot\nDisallow: /b', '/b', false],
  ['several names for a group', 'User-agent: A\nUser-agent: GPTBot\nDisallow: /', '/x', false],
  ['another record between names', 'User-agent: GPTBot\nCrawl-delay: 1\nUser-agent: B\nDisallow: /', '/x', false],
  ['a sitemap between rules', 'User-agent: GPTBot\nAllow: /a\nSitemap: https://x/s\nDisallow: /', '/x', false],
  ['a rule before any group', 'Disallow: /\nUser-agent: GPTBot\nAllow: /', '/x', true],
  ['the longest rule', 'User-agent: *\nDisallow: /a\nAllow: /a/b', '/a/b/c', true],
  ['the longest rule, in the other order', 'User-agent: *\nAllow: /a/b\nDisallow: /a', '/a/c', false],
  ['of two as long the one that allows', 'User-agent: *\nDisallow: /a\nAllow: /a', '/a', true],
  ['any run', 'User-agent: *\nDisallow: /*.pdf', '/a/b.pdf?x', false],
  ['the end of a path', 'User-agent: *\nDisallow: /*.pdf$', '/a/b.pdf?x', true],
  ['the end of a path, reached', 'User-agent: *\nDisallow: /*.pdf$', '/a/b.pdf', false],
  ['a query', 'User-agent: *\nDisallow: /a?b', '/a?bc', false],
  ['a comment', 'User-agent: * # all\nDisallow: /a # not this', '/a', false],
  ['line ends of old', 'User-agent: *\rDisallow: /a', '/a', false],
  ['a mark of byte order', '\ufeffUser-agent: *\nDisallow: /', '/a', false],
  ['an escaped letter', 'User-agent: *\nDisallow: /%61b', '/ab', false],
  ['an escaped slash is none', 'User-agent: *\nDisallow: /a%2fb', '/a/b', true],
  ['a letter that is no ASCII', 'User-agent: *\nDisallow: /ä', '/%C3%A4', false],
  ['robots.txt itself', 'User-agent: *\nDisallow: /', '/robots.txt', true],
  ['a path in another case', 'User-agent: *\nDisallow: /A', '/a', true],
])('%s', (_name, text, path, allowed) => {
  expect(judge(text, path).allowed).toBe(allowed);
});

test.each([
  [200, false],
  [206, false],
  [301, true],
  [403, true],
  [404, true],
  [410, true],
  [429, true],
  [500, false],
  [503, false],
  [undefined, false],
])('robots.txt that answers %s allows: %s', (status, allowed) => {
  const source = robotsSource(status, () => parseRobots(bytes('User-agent: *\nDisallow: /')));
  expect(robotsJudge(source, '/x')('GPTBot').allowed).toBe(allowed);
});

test('what decided is told', () => {
  expect(judge('User-agent: GPTBot\nDisallow: /a\nDisallow: /a/b', '/a/b')).toEqual({
    allowed: false,
    group: 'gptbot',
    rule: { text: '/a/b', line: 3 },
  });
});

test('patterns fit as regular expressions of the same meaning do', () => {
  const part = fc.constantFrom('a', 'b', '/', '*', '$', '.');
  const pattern = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));
  const path = fc.array(fc.constantFrom('a', 'b', '/', '.', '$'), { maxLength: 10 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(pattern, path, (rule, text) => {
      const anchored = rule.endsWith('$');
      const source = (anchored ? rule.slice(0, -1) : rule)
        .split('*')
        .map((each) => each.replace(/[.$/]/g, '\\$&'))
        .join('[^]*');
      expect(fits(rule, text)).toBe(new RegExp(`^${source}${anchored ? '$' : ''}`).test(text));
    }),
    { numRuns: 3_000 },
  );
});

test('no bytes make the parser fail, and the order of groups has no say', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), (any) => {
      expect(parseRobots(any).groups).toBeInstanceOf(Array);
    }),
  );
  const group = fc.record({
    agent: fc.constantFrom('*', 'GPTBot', 'Other'),
    rules: fc.array(fc.tuple(fc.constantFrom('Allow', 'Disallow'), fc.constantFrom('/', '/a', '/a/b', '/*b$')), {
      minLength: 1,
      maxLength: 4,
    }),
  });
  const written = (groups: readonly { agent: string; rules: [string, string][] }[]) =>
    groups
      .map(({ agent, rules }) => [`User-agent: ${agent}`, ...rules.map(([key, to]) => `${key}: ${to}`)].join('\n'))
      .join('\n\n');
  fc.assert(
    fc.property(fc.array(group, { maxLength: 5 }), fc.constantFrom('/', '/a', '/a/b', '/c'), (groups, path) => {
      const one = judge(written(groups), path);
      const other = judge(written(groups.toReversed()), path);
      expect([other.allowed, other.group]).toEqual([one.allowed, one.group]);
    }),
  );
});

test('comparing twice changes nothing more', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(comparable(comparable(text))).toBe(comparable(text));
    }),
  );
});
