import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Does what a person does, by mouse or by keyboard alone, and counts the steps. */
export interface Steps {
  /** Presses a button, follows a link, or opens something: one step. */
  readonly press: (what: Locator) => Promise<void>;
  /** Writes into a field: one step. */
  readonly write: (field: Locator, text: string) => Promise<void>;
  /** Checks or unchecks a box: one step. */
  readonly toggle: (box: Locator) => Promise<void>;
  /** Opens a choice and takes one of it: two steps. */
  readonly choose: (choice: Locator, option: string | RegExp) => Promise<void>;
  /** Writes the beginning of an option into a field with suggestions and takes it: two steps. */
  readonly take: (field: Locator, option: string) => Promise<void>;
  /** Changes a cell of a grid: goes to it, writes, and commits: three steps. */
  readonly edit: (grid: Locator, cell: Locator, text: string) => Promise<void>;
  /** Hands over a file of CSV: one step. */
  readonly file: (field: Locator, csv: string) => Promise<void>;
  /** Presses a shortcut: one step. */
  readonly key: (keys: string) => Promise<void>;
  readonly count: () => number;
}

/** Presses of Tab after which something counts as out of reach. */
const tabsMax = 120;

/** Moves the focus to something by Tab alone, as who sees no pointer does. A list that opens on the way hides what is around it. */
async function tabTo(page: Page, what: Locator): Promise<void> {
  await what.waitFor();
  let wanted = await what.elementHandle();
  // An editor lives in a shadow root, which has an active element of its own.
  const look = () =>
    page.evaluate((element) => {
      let active = document.activeElement;
      while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
      return { isFocused: active === element, isThere: element?.isConnected === true };
    }, wanted);
  const isFocused = async (): Promise<boolean> => {
    const { isFocused: is, isThere } = await look();
    if (isThere) return is;
    // A plain field gives way to the editor as soon as that is loaded.
    wanted = await what.elementHandle();
    return (await look()).isFocused;
  };
  for (let presses = 0; presses < tabsMax; presses++) {
    if (await isFocused()) return;
    await page.keyboard.press('Tab');
  }
  expect(await isFocused(), `reached by Tab: ${what}`).toBe(true);
}

/** Options of a list are moved through by the arrow keys. */
async function arrowTo(page: Page, option: Locator): Promise<void> {
  await option.waitFor();
  for (let presses = 0; presses < tabsMax; presses++) {
    if (await option.evaluate((element: { matches: (rule: string) => boolean }) => element.matches('[data-focused]')))
      return;
    await page.keyboard.press('ArrowDown');
  }
  throw new Error(`not reached by the arrow keys: ${option}`);
}

/** Moves within a grid by the arrow keys, row by row. */
async function moveTo(page: Page, grid: Locator, cell: Locator): Promise<void> {
  await cell.waitFor();
  await tabTo(page, grid);
  const id = await cell.getAttribute('id');
  await page.keyboard.press('ControlOrMeta+Home');
  for (let presses = 0; presses < tabsMax; presses++) {
    if ((await grid.getAttribute('aria-activedescendant')) === id) return;
    const before = await grid.getAttribute('aria-activedescendant');
    await page.keyboard.press('ArrowRight');
    if ((await grid.getAttribute('aria-activedescendant')) !== before) continue;
    for (const key of ['ArrowDown', 'Home']) await page.keyboard.press(key);
  }
  throw new Error(`not reached by the arrow keys: ${cell}`);
}

export function stepsBy(means: 'mouse' | 'keyboard', page: Page): Steps {
  let steps = 0;
  const press = async (what: Locator) => {
    steps += 1;
    if (means === 'mouse') return what.click();
    if ((await what.getAttribute('role')) === 'menuitem') await arrowTo(page, what);
    else await tabTo(page, what);
    await page.keyboard.press('Enter');
  };
  return {
    press,
    async write(field, text) {
      steps += 1;
      if (means === 'mouse') await field.click();
      else await tabTo(page, field);
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type(text);
    },
    async toggle(box) {
      steps += 1;
      // The box that is seen stands in the place of the browser's own.
      if (means === 'mouse') return box.click({ force: true });
      await tabTo(page, box);
      await page.keyboard.press('Space');
    },
    async choose(choice, option) {
      await press(choice);
      steps += 1;
      const taken = page
        .getByRole('option', { name: option })
        .or(page.getByRole('menuitem', { name: option }))
        .first();
      if (means === 'mouse') return taken.click();
      await arrowTo(page, taken);
      await page.keyboard.press('Enter');
    },
    async take(field, option) {
      steps += 2;
      if (means === 'mouse') await field.click();
      else await tabTo(page, field);
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type(option);
      const taken = page.getByRole('option', { name: option, exact: true });
      if (means === 'mouse') return taken.click();
      await arrowTo(page, taken);
      await page.keyboard.press('Enter');
    },
    async edit(grid, cell, text) {
      steps += 3;
      if (means === 'mouse') await cell.click();
      else await moveTo(page, grid, cell);
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
    },
    async file(field, csv) {
      steps += 1;
      // The chooser of files belongs to the browser, which is used by either means.
      await field.setInputFiles({ name: 'rows.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
    },
    async key(keys) {
      steps += 1;
      await page.keyboard.press(keys);
    },
    count: () => steps,
  };
}
