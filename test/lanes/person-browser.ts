import type { Browser, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { freshEmail, peopleOf, plane } from '../ceremonies/person.ts';
import type { Service } from '../helpers/service.ts';
import { addVirtualAuthenticator } from '../helpers/virtual-authenticator.ts';

/** People who do in a browser what the pages of ceremonies are for. */
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
    await page.getByLabel('Email').fill(email);
    await page.getByRole('button', { name: 'Send me a link' }).click();
    await page.getByRole('status').filter({ hasText: 'good once, for 15 minutes' }).waitFor();
    const [path] = /\/agent\/v1\/control-plane\/sign-in\/link\?token=\S+/.exec(await people.mailTo(email))!;
    await page.goto(origin + path);
    await page.getByText(`Sign in as ${email}`).waitFor();
    await page.getByRole('button', { name: 'Sign in' }).click();
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
