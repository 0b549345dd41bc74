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

  test.each([
    ['light', 1280],
    ['dark', 360],
    ['light', 390],
    ['dark', 820],
    ['dark', 3840],
  ] as const)(
    'every page can be used by everybody: %s, %i pixels wide',
    async (colorScheme, width) => {
      const { page, visit } = await world.open({ colorScheme, viewport: { width, height: 900 } });
      await visit('');
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      const found = await violations(page);
      const wide = [await overflow(page)];
      const { page: inside, visit: go } = await world.asOwner({ colorScheme, viewport: { width, height: 900 } });
      for (const [path, sign] of pages) {
        await go(path);
        await inside.getByText(sign).first().waitFor();
        await inside.getByText('Loading…').first().waitFor({ state: 'detached' });
        found.push(...(await violations(inside)), ...(await unreadable(inside)));
        wide.push(await overflow(inside));
      }
      expect(found).toEqual([]);
      expect(wide.filter((by) => by > 0)).toEqual([]);
      // Some ten pages, each loaded anew and looked at whole.
    },
    300_000,
  );
});
