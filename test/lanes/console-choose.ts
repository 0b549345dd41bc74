import type { Locator, Page } from 'playwright-core';

/** The control of a select of the console, by its label. Its name begins with what is chosen. */
export const selectOf = (page: Page | Locator, label: string): Locator =>
  page.getByRole('button', { name: new RegExp(`${label.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`) });

/** Chooses an option of a select of the console, as a person does: opens it and presses the option. */
export async function choose(page: Page, label: string, option: string): Promise<void> {
  await selectOf(page, label).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** Presses a button that goes by itself once what it asks for has happened, unless it has gone. */
export const pressIfThere = (page: Page, name: string): Promise<void> =>
  page.evaluate((text) => {
    const buttons: { textContent: string; click: () => void }[] = [...document.querySelectorAll('button')];
    buttons.find(({ textContent }) => textContent === text)?.click();
  }, name);

/** Presses a button ten times in one turn, faster than the page can draw. */
export const pressTenTimes = (button: Locator): Promise<void> =>
  button.evaluate((one) => {
    for (let press = 0; press < 10; press += 1) (one as HTMLElement).click();
  });
