import type { Browser, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import type { Service } from '../helpers/service.ts';
import { addVirtualAuthenticator } from '../helpers/virtual-authenticator.ts';
import { freshEmail, peopleOf, plane } from '../sessions/person.ts';

/** The form that asks for a link, as it is labelled on the page. */
interface LinkForm {
  readonly label: string;
  readonly button: string;
}

/** Asks for a link from where the page is. @returns its path, out of the mail */
export async function mailedLink(
  people: ReturnType<typeof peopleOf>,
  page: Page,
  email: string,
  { label, button }: LinkForm,
): Promise<string> {
  await page.getByLabel(label, { exact: true }).fill(email);
  await page.getByRole('button', { name: button }).click();
  await page
    .getByRole('status')
    .filter({ hasText: /good once, for\s+15 minutes/ })
    .waitFor();
  return /\/agent\/v1\/control-plane\/sign-in\/link\?token=\S+/.exec(await people.mailTo(email))![0];
}

/** Opens a mailed link and signs in. */
export async function followLink(page: Page, url: string, email: string): Promise<void> {
  await page.goto(url);
  await page.getByText(`Sign in as ${email}`).waitFor();
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** People who do in a browser what the sign-in pages are for. */
export function personBrowser(service: Service, browser: () => Browser) {
  const people = peopleOf(service);
  // Browsers bind passkeys to names, not to addresses.
  const origin = service.url.replace('127.0.0.1', 'localhost');

  /** A browser with an authenticator in its machine, and everything that its pages complained of. */
  async function open() {
    const context = await browser().newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    const authenticator = await addVirtualAuthenticator(page);
    return { context, page, complaints, authenticator, email: freshEmail() };
  }

  /** Signs in by the link of a mail, as a person does, from wherever the page is. */
  async function byMail(page: Page, email: string) {
    const link = await mailedLink(people, page, email, { label: 'Email', button: 'Send me a link' });
    await followLink(page, origin + link, email);
  }

  /** Somebody who has signed in by mail and made a passkey, on the page of the account. */
  async function withPasskey() {
    const all = await open();
    await all.page.goto(`${origin}${plane}/sign-in`);
    await byMail(all.page, all.email);
    await all.page.getByRole('heading', { name: 'Your account' }).waitFor();
    await all.page.getByLabel('Name of the new passkey').fill('This laptop');
    await all.page.getByRole('button', { name: 'Add a passkey' }).click();
    await all.page.getByRole('listitem').filter({ hasText: 'This laptop' }).waitFor();
    return all;
  }

  return { people, origin, open, byMail, withPasskey };
}
