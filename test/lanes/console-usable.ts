import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ConsolePage, OpenOptions } from '../helpers/console-page.ts';
import { unreadable, violations } from './console-owner.ts';

type Look = readonly [colours: 'light' | 'dark', width: number];

/** Colours and widths that every page is looked at in. */
export const looks: readonly Look[] = [
  ['light', 1280],
  ['dark', 360],
  ['dark', 3840],
];

interface Shown {
  readonly path: string;
  /** A text that shows that the page has loaded. */
  readonly sign: string;
}

/** How far the page is wider than its window, in pixels. */
const overflow = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

/**
 * Expects that pages can be used by everybody: axe finds nothing, no text is cut off or broken, and no page scrolls
 * sideways.
 */
export async function expectUsable(
  enter: (options: OpenOptions) => Promise<ConsolePage>,
  [colorScheme, width]: Look,
  pages: readonly Shown[],
): Promise<void> {
  const { page, visit } = await enter({ colorScheme, viewport: { width, height: 900 } });
  const found: string[] = [];
  const wide: string[] = [];
  for (const { path, sign } of pages) {
    await visit(path);
    await page.getByText(sign).first().waitFor();
    await page.getByText('Loading…').first().waitFor({ state: 'detached' });
    found.push(...(await violations(page)), ...(await unreadable(page)));
    if ((await overflow(page)) > 0) wide.push(path);
  }
  expect(found).toEqual([]);
  expect(wide).toEqual([]);
}
