import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pixelmatch from 'pixelmatch';
import type { Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startConsoleWorld, violations } from './console-owner.ts';

const parts = ['type', 'buttons', 'fields', 'forms', 'editors', 'lists', 'overlays', 'data', 'status'] as const;
const themes = ['light', 'dark'] as const;
const pictures = fileURLToPath(new URL('pictures/', import.meta.url));

/** Share of pixels that another build of Chromium may draw otherwise. */
const tolerated = 0.01;

/** Rows of pixels that are compared together, and how far another font or border may move them. */
const bandRows = 40;
const shiftedMax = 4;

/** Pixels of a band that differ where the other picture fits best: a part that is one pixel higher moves all below it. */
function differenceOfBand(accepted: PNG, shown: PNG, top: number): number {
  const rows = Math.min(bandRows, accepted.height - top);
  const bytesOf = (picture: PNG, from: number) =>
    picture.data.subarray(from * picture.width * 4, (from + rows) * picture.width * 4);
  const band = bytesOf(accepted, top);
  let least = accepted.width * rows;
  for (let shift = -shiftedMax; shift <= shiftedMax && least > 0; shift++) {
    if (top + shift < 0 || top + shift + rows > shown.height) continue;
    const other = bytesOf(shown, top + shift);
    least = Math.min(least, pixelmatch(band, other, null, accepted.width, rows, { threshold: 0.2 }));
  }
  return least;
}

/**
 * Compares what `main` looks like with the picture that was accepted last. `SVC_ACCEPT_PICTURES=1` accepts what there is
 * now; look at it first.
 *
 * @returns the share of pixels that differ; 1 when the widths do
 */
async function differenceOf(page: Page, name: string): Promise<number> {
  // Scripts that the bundled font lacks are drawn with fonts of the machine.
  await page.evaluate(`for (const one of document.querySelectorAll('[data-system-font], [data-changes], .grid-cell[aria-colindex="2"]'))
    one.style.visibility = 'hidden'`);
  const now = await page.locator('main').screenshot({ animations: 'disabled', caret: 'hide' });
  const file = `${pictures}${name}.png`;
  if (process.env.SVC_ACCEPT_PICTURES === '1') {
    await mkdir(pictures, { recursive: true });
    await writeFile(file, now);
  }
  const [accepted, shown] = [PNG.sync.read(await readFile(file)), PNG.sync.read(now)];
  const { width, height } = accepted;
  if (shown.width !== width) return 1;
  let differing = Math.abs(shown.height - height) * width;
  for (let top = 0; top < height; top += bandRows) differing += differenceOfBand(accepted, shown, top);
  return differing / (width * height);
}

/** The contrast of each text colour with each ground that it may be on, as WCAG 2 defines it. */
const contrastsOnPage = `(() => {
  const channels = (colour) => {
    const canvas = document.createElement('canvas').getContext('2d');
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (colour) => {
    const [r, g, b] = channels(colour).map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  return [...document.querySelectorAll('[data-ink]')].map((one) => {
    const [ink, ground] = [getComputedStyle(one).color, getComputedStyle(one.parentElement).backgroundColor].map(luminance);
    const [bright, dark] = [Math.max(ink, ground), Math.min(ink, ground)];
    return [one.dataset.ink + ' on ' + one.dataset.ground, (bright + 0.05) / (dark + 0.05)];
  });
})()`;

describe.skipIf(chromiumProgram() === undefined)('the design of the console in Chromium', async () => {
  const { asOwner } = await startConsoleWorld();

  /** The page of the design. Nothing on it moves: what turns for ever never comes to rest. */
  async function designAt(part: string, colorScheme: (typeof themes)[number] = 'light') {
    const opened = await asOwner({ colorScheme, reducedMotion: 'reduce' });
    await opened.visit(part === 'type' ? '/design' : `/design?part=${part}`);
    await opened.page.getByRole('tabpanel').waitFor();
    await opened.page.evaluate('document.fonts.ready');
    return opened;
  }

  for (const theme of themes) {
    for (const part of parts)
      test(`${part} in ${theme} looks as it was accepted, and stands in nobody’s way`, async () => {
        const { page } = await designAt(part, theme);
        if (part === 'data') await page.locator('.u-over').nth(2).waitFor();
        if (part === 'editors') await page.locator('.editor').nth(5).waitFor();
        expect(await violations(page)).toEqual([]);
        expect(await differenceOf(page, `${part}-${theme}`)).toBeLessThan(tolerated);
      });

    test(`text can be read on every ground in ${theme}`, async () => {
      const { page } = await designAt('type', theme);
      const contrasts = await page.evaluate<[string, number][]>(contrastsOnPage);
      expect(contrasts).toHaveLength(48);
      expect(contrasts.filter(([, contrast]) => contrast < 4.5)).toEqual([]);
    });
  }

  test('the address holds the tab and the dialog: a reload keeps them, the back button returns', async () => {
    const { page } = await designAt('type');
    await page.getByRole('tab', { name: 'Menus and dialogs' }).click();
    await page.getByRole('button', { name: 'Open a dialog' }).click();
    expect(page.url()).toContain('part=overlays&dialog=dialog');
    await page.reload();
    await page.getByRole('dialog', { name: 'New project' }).waitFor();
    await page.goBack();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(await page.getByRole('tab', { selected: true }).textContent()).toBe('Menus and dialogs');
    await page.goBack();
    await expect.poll(() => page.getByRole('tab', { selected: true }).textContent()).toBe('Type and color');
  });

  test('a dialog keeps the focus and gives it back, and a question is not closed by a press beside it', async () => {
    const { page } = await designAt('overlays');
    const opener = page.getByRole('button', { name: 'Open a dialog' });
    await opener.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New project' });
    await dialog.waitFor();
    for (let presses = 0; presses < 6; presses++) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.closest("[role=dialog]") !== null')).toBe(true);
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => opener.evaluate('document.activeElement.textContent')).toBe('Open a dialog');

    await page.getByRole('button', { name: 'Ask a question' }).click();
    const question = page.getByRole('alertdialog', { name: 'Delete the row?' });
    await question.waitFor();
    await page.mouse.click(5, 5);
    expect(await question.isVisible()).toBe(true);
    await expect.poll(() => page.evaluate('document.activeElement.closest("[role=alertdialog]") !== null')).toBe(true);
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
  });

  // Whatever the page's policy refuses is a complaint in the browser's console, and fails the test.
  test('an editor completes, runs and is left by keys, and the page’s policy refuses nothing of it', async () => {
    const { page } = await designAt('editors');
    const sql = page.getByRole('textbox', { name: 'SQL', exact: true });
    await page.locator('.editor').first().waitFor();
    await sql.click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.type('select * from peo');
    await page.locator('.cm-tooltip-autocomplete').getByText('people').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.locator('.cm-tooltip-autocomplete').waitFor({ state: 'detached' });
    await page.keyboard.press('ControlOrMeta+Enter');
    await page.getByText('All of it was run.').waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Go to the number');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.evaluate('document.activeElement.shadowRoot?.activeElement?.getAttribute("aria-label")'))
      .toBe('SQL');
    expect(await page.getByRole('textbox', { name: 'Refused SQL' }).getAttribute('aria-invalid')).toBe('true');
  });

  test('a form is sent once however often it is pressed, and keeps what was refused', async () => {
    const { page } = await designAt('forms');
    const form = page.getByRole('form', { name: 'New project' });
    await form.getByLabel('Name').fill('Engines');
    await form.getByLabel('Address').fill('taken');
    await form.evaluate((one) => {
      for (let press = 0; press < 10; press++) (one as HTMLFormElement).requestSubmit();
    });
    await form.getByRole('alert').getByText('Address: Another project has it.').waitFor();
    await form.getByText('Sent 1 times').waitFor();
    expect(await form.getByLabel('Name').inputValue()).toBe('Engines');
    await form.getByLabel('Address').fill('free');
    await page.keyboard.press('Enter');
    await page.getByText('The project was made.').waitFor();
    await form.getByText('Sent 2 times').waitFor();
    await expect.poll(() => form.getByLabel('Name').inputValue()).toBe('');
  });

  test('a menu is used by keys alone, and what it did is said in the corner', async () => {
    const { page } = await designAt('overlays');
    await page.getByRole('button', { name: 'Actions' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('menuitem', { name: 'Edit' }).waitFor();
    await page.keyboard.press('c');
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').getByText('The row was copied.').waitFor();
  });

  test('a table of 100,000 rows and 200 columns has a page’s worth of cells, and keys lead to all of them', async () => {
    const { page } = await designAt('data');
    const grid = page.getByRole('grid', { name: 'Orders', exact: true });
    expect(await grid.getAttribute('aria-rowcount')).toBe('100001');
    expect(await grid.getByRole('gridcell').count()).toBeLessThan(1_000);
    const active = () =>
      grid.evaluate((one) => document.getElementById(one.getAttribute('aria-activedescendant')!)?.textContent);
    await grid.focus();
    expect(await active()).toBe('1');
    await page.keyboard.press('Control+End');
    await expect.poll(active).toBe('99999·199');
    await page.keyboard.press('Home');
    await expect.poll(active).toBe('100000');
    await page.keyboard.press('Enter');
    await page.getByText('Row 100000 was opened.').waitFor();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await expect.poll(active).toBe('Grace');
    expect(await grid.getByRole('gridcell').count()).toBeLessThan(1_000);
  });

  test('a chart is read moment by moment with keys', async () => {
    const { page } = await designAt('data');
    const chart = page.getByRole('slider', { name: 'Moment of Failures' });
    const said = () => chart.getAttribute('aria-valuetext');
    const last = await said();
    expect(last).toMatch(/Failures \d+$/);
    await chart.focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(said).not.toBe(last);
  });
});
