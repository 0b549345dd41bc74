import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startConsoleWorld, unreadable, violations } from './console-owner.ts';

describe.skipIf(chromiumProgram() === undefined)('the console in Chromium, for everybody', async () => {
  const world = await startConsoleWorld();
  const { projectId, run } = world;

  // Something to see on each page.
  beforeAll(async () => {
    await world.tables();
    await run("insert into notes (body) values ('a note')");
  });

  /** Every page, with what says that it has come. */
  const pages = [
    [`/projects/${projectId}`, 'Get the keys'],
    [`/projects/${projectId}/tables`, 'New table'],
    ['/audits', 'Recent audits'],
    ['/installation', 'Admin key'],
    ['/you', 'At a terminal'],
    ['/no/such/page', 'Go to the overview'],
  ] as const;

  const overflow = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

  const widths = [360, 390, 820, 1280, 1920, 3840];

  test.each(['light', 'dark'] as const)('every page can be used by everybody, in %s colors', async (colorScheme) => {
    const wide: string[] = [];
    const found: string[] = [];
    /** Looks at a page once: axe at one width, the layout at each. */
    const look = async (page: Page) => {
      found.push(...(await violations(page)));
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        const by = await overflow(page);
        if (by > 0) wide.push(`${page.url()} is ${by} px wider than ${width}`);
        found.push(...(await unreadable(page)).map((text) => `${width}: ${text}`));
      }
      await page.setViewportSize({ width: 1280, height: 900 });
    };
    const { page, visit } = await world.open({ colorScheme });
    await visit('');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await look(page);
    const { page: inside, visit: go } = await world.asOwner({ colorScheme });
    for (const [path, sign] of pages) {
      await go(path);
      await inside.getByText(sign).first().waitFor();
      await inside.getByText('Loading…').first().waitFor({ state: 'detached' });
      await look(inside);
    }
    expect(found).toEqual([]);
    expect(wide).toEqual([]);
  });
});
