import { describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startConsoleStage } from '../helpers/console-page.ts';
import { violations } from './console-owner.ts';

const program = chromiumProgram();

/** Texts that have run scripts in pages that show Markdown; each calls `hacked` if it succeeds. */
const attacks: readonly string[] = [
  '<script>hacked()</script>',
  '<img src=x onerror=hacked()>',
  '<svg onload=hacked()>',
  '<svg><script>hacked()</script></svg>',
  '<svg><animate onbegin=hacked() attributeName=x dur=1s>',
  '<svg><a xlink:href="javascript:hacked()"><text y=20>x</text></a></svg>',
  '<math><maction actiontype="statusline#http://x" xlink:href="javascript:hacked()">x</maction></math>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=hacked()&gt;">',
  '<noscript><p title="</noscript><img src=x onerror=hacked()>">',
  '<form><math><mtext></form><form><mglyph><style></math><img src onerror=hacked()>',
  '<details open ontoggle=hacked()>',
  '<iframe srcdoc="<script>parent.hacked()</script>"></iframe>',
  '<a href="javascript:hacked()">x</a>',
  '<base href="https://evil.example/">',
  '<meta http-equiv="refresh" content="0;url=javascript:hacked()">',
  '<style>@import "https://evil.example/x.css";</style>',
  '<!--><img src=x onerror=hacked()>-->',
  '<![CDATA[<img src=x onerror=hacked()>]]>',
  '&lt;img src=x onerror=hacked()&gt;',
  '&#60;script&#62;hacked()&#60;/script&#62;',
  '[x](javascript:hacked())',
  '[x](JaVaScRiPt:hacked())',
  '[x](java&#x0A;script:hacked())',
  '[x](&#x6A;&#x61;&#x76;&#x61;script:hacked())',
  '[x](&#0000106avascript:hacked())',
  '[x](<java\tscript:hacked()>)',
  '[x](<\u0001javascript:hacked()>)',
  '[x](javascript&colon;hacked())',
  '[x](javascript://%0ahacked())',
  '[x](vbscript:hacked())',
  '[x](data:text/html;base64,PHNjcmlwdD5oYWNrZWQoKTwvc2NyaXB0Pg==)',
  '[x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImhhY2tlZCgpIi8+)',
  '[x](data:image/png;base64,iVBORw0KGgo=)',
  '[x](blob:https://x/1)',
  '[x](file:///etc/passwd)',
  '[x](/console/outbox)',
  '[x](//evil.example/)',
  '<javascript:hacked()>',
  '[x]: javascript:hacked()\n\n[x]',
  '[x](https://a.example "onmouseover=hacked() x=\\"")',
  '[x](https://a.example/"onmouseover="hacked())',
  '[a](https://a.example/[b](javascript:hacked()))',
  '[![x](javascript:hacked())](javascript:hacked())',
  '[a [b](https://b.example/) ![c](https://evil.example/c.png) https://d.example](https://a.example/)',
  '![x](javascript:hacked())',
  '![x](https://evil.example/pixel.png)',
  '![x" onerror="hacked()](https://evil.example/pixel.png)',
  '![<img src=x onerror=hacked()>](x)',
  '`<img src=x onerror=hacked()>`',
  '```"><img/src=x/onerror=hacked()>\n<script>hacked()</script>\n```',
  '    <script>hacked()</script>',
  '| <img src=x onerror=hacked()> | [x](javascript:hacked()) |\n|---|---|\n| <script>hacked()</script> | ![x](https://evil.example/y.png) |',
  '# <img src=x onerror=hacked()>',
  '> <svg/onload=hacked()>',
  '1. <svg/onload=hacked()>',
  'https://a.example/"onmouseover=hacked()//',
  'https://a.example/\'"><script>hacked()</script>',
  'javascript:hacked()//https://a.example',
  '\u202ehttps://a.example/\u202c <img src=x onerror=hacked()>',
  '{{hacked()}} {hacked()}',
];

/** Texts that make parsers nest, or make more of them than was written. */
const heavy: readonly string[] = [
  '>'.repeat(32_000),
  '['.repeat(32_000),
  '![['.repeat(10_000),
  '**a*'.repeat(8_000),
  '1. '.repeat(10_000),
  Array.from({ length: 250 }, (_, depth) => `${' '.repeat(depth)}- a`).join('\n'),
  `|${'a|'.repeat(7_000)}\n|${'-|'.repeat(7_000)}\n${'|x\n'.repeat(100)}`,
];

interface FoundElement {
  readonly tag: string;
  readonly attributes: readonly string[];
  readonly href: string | null;
  /** How many links are inside of it. */
  readonly links: number;
}

describe.skipIf(program === undefined)('Markdown of messages in Chromium', async () => {
  const { service, open } = await startConsoleStage();

  /** A room in which these messages were sent, as one of its members sees it. */
  async function roomOf(messages: readonly string[]) {
    const { wallet, orgId } = await service.owner();
    const opened = await open();
    const asked: string[] = [];
    opened.page.on('request', (request) => asked.push(request.url()));
    await opened.page.addInitScript('globalThis.hacks = 0; globalThis.hacked = () => { hacks += 1; }');
    await opened.visit('');
    await opened.enter();
    const body = { wallet: await opened.address(), role: 'developer' };
    await service.call(wallet, 'POST', `/orgs/v1/${orgId}/members`, { body });
    for (const text of [...messages, 'The end.']) {
      const path = `/orgs/v1/${orgId}/rooms/standup/messages`;
      const { status } = await service.call(wallet, 'POST', path, { body: { body: text, session_key: 'one' } });
      expect(status).toBeLessThan(300);
    }
    await opened.visit(`/orgs/${orgId}/rooms/standup`);
    await opened.page.getByText('The end.').waitFor();
    return { ...opened, asked, bodies: opened.page.locator('.message .body') };
  }

  test('a message is shown as the Markdown that it is, and its links open elsewhere', async () => {
    const { page, bodies } = await roomOf([
      '# Release\n\n**Bold**, *slanted*, ~~gone~~ and `code`\nsecond line',
      '- one\n- two\n\n3. three\n\n> said before\n\n```sql\nselect 1;\n```\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |',
      'See https://a.example/x?y=1&z=2. Not main.rs, README.md or ada@b.example. [Words](https://b.example "t") mailto:a@b.example',
    ]);
    const inside = (at: number, selector: string) => bodies.nth(at).locator(selector).allTextContents();
    expect(await inside(0, 'p')).toEqual(['Release', 'Bold, slanted, gone and codesecond line']);
    expect(await inside(0, 'strong, em, s, code')).toEqual(['Release', 'Bold', 'slanted', 'gone', 'code']);
    expect(await inside(0, 'br')).toEqual(['']);
    expect(await inside(1, 'li, blockquote, pre code, th, td')).toEqual([
      'one',
      'two',
      'three',
      'said before',
      'select 1;',
      'a',
      'b',
      '1',
      '2',
    ]);
    expect(await bodies.nth(1).locator('ol').getAttribute('start')).toBe('3');
    const links = await page.evaluate(`[...document.querySelectorAll('.message .body a')]
      .map(({ textContent, href, rel, target }) => [textContent, href, rel, target])`);
    const apart = ['noopener noreferrer nofollow', '_blank'];
    expect(links).toEqual([
      ['https://a.example/x?y=1&z=2', 'https://a.example/x?y=1&z=2', ...apart],
      ['Words', 'https://b.example/', ...apart],
      ['mailto:a@b.example', 'mailto:a@b.example', ...apart],
    ]);
    expect(await violations(page)).toEqual([]);
  });

  test('no text of a message brings a script, an element, an address or an image of its own into the page', async () => {
    // A page of the room has fifty messages.
    const half = Math.ceil(attacks.length / 2);
    for (const some of [attacks.slice(0, half), attacks.slice(half)]) {
      const { page, bodies, asked } = await roomOf(some);
      await expect.poll(() => bodies.count()).toBe(some.length + 1);
      const found = await page.evaluate<readonly FoundElement[]>(`
        [...document.querySelectorAll('.message .body *')].map((one) => ({
          tag: one.tagName,
          attributes: one.getAttributeNames(),
          href: one.getAttribute('href'),
          links: one.querySelectorAll('a').length,
        }))`);
      const tags = new Set(found.map(({ tag }) => tag));
      const known = 'DIV P BR CODE PRE STRONG BLOCKQUOTE OL UL LI TABLE THEAD TBODY TR TH TD A'.split(' ');
      expect([...tags].filter((tag) => !known.includes(tag))).toEqual([]);
      const attributes = new Set(found.flatMap((one) => one.attributes));
      expect([...attributes].filter((name) => /^on|src|style|^id$|^name$/.test(name))).toEqual([]);
      for (const { tag, href, links } of found) {
        if (tag === 'A') expect([new URL(href!).protocol, links]).toEqual([expect.stringMatching(/^https?:$/), 0]);
      }
      for (const link of await bodies.locator('a').all()) await link.dispatchEvent('mouseover');
      expect(await page.evaluate('hacks')).toBe(0);
      expect(asked.filter((url) => !url.startsWith(service.url))).toEqual([]);
      // What was written can still be read.
      expect((await bodies.allTextContents()).join()).toContain('onerror=hacked()>');
    }
  });

  test('an image of another site is a link to it', async () => {
    const { bodies } = await roomOf(['![A chart](https://images.example/chart.png)']);
    const link = bodies.first().getByRole('link', { name: 'A chart' });
    expect(await link.getAttribute('href')).toBe('https://images.example/chart.png');
  });

  test('text that nests or grows without end is shown in bounded pieces', async () => {
    const { page, bodies } = await roomOf(heavy);
    await expect.poll(() => bodies.count()).toBe(heavy.length + 1);
    const largest = await page.evaluate<number>(
      `Math.max(...[...document.querySelectorAll('.message .body')].map((body) => body.querySelectorAll('*').length))`,
    );
    expect(largest).toBeLessThan(5_000);
    const depth = await page.evaluate<number>(`(() => {
      const depthOf = (node) => 1 + Math.max(0, ...[...node.children].map(depthOf));
      return Math.max(...[...document.querySelectorAll('.message .body')].map(depthOf));
    })()`);
    expect(depth).toBeLessThan(200);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  });
});
