import { describe, expect, onTestFinished, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startBreakableWay } from '../helpers/breakable-way.ts';
import { browserWallet } from '../helpers/browser-wallet.ts';
import { type ConsolePage, startConsoleStage } from '../helpers/console-page.ts';
import { hasSeenLast, violations } from './console-owner.ts';

const program = chromiumProgram();

describe.skipIf(program === undefined)('a room of the console in Chromium', async () => {
  const { service, open } = await startConsoleStage();

  async function breakable() {
    const way = await startBreakableWay(service.url);
    onTestFinished(way.close);
    return way;
  }

  /** Has an organization's owner take somebody in, whose address a page shows. */
  async function member(orgId: string, owner: Parameters<typeof service.call>[0], address: string) {
    const body = { wallet: address, role: 'developer' };
    const { status } = await service.call(owner, 'POST', `/orgs/v1/${orgId}/members`, { body });
    expect(status).toBeLessThan(300);
  }

  const bodies = ({ page }: ConsolePage, list = 'Messages') =>
    page.getByRole('log', { name: list }).locator('.body').allTextContents();
  const say = async ({ page }: ConsolePage, text: string, field = 'Message') => {
    await page.getByRole('textbox', { name: field, exact: true }).fill(text);
    await page.keyboard.press('Enter');
  };
  const join = async ({ press, fill }: ConsolePage, name: string) => {
    await press('Join the room');
    await fill('Your name here', name);
    await press(/^Join$/);
  };
  const claim = async ({ press, fill }: ConsolePage, resource: string) => {
    await press('New claim');
    await fill('Resource', resource);
    await press(/^Claim$/);
  };
  /** Sends a message that its recipients are to acknowledge. */
  const ask = async (one: ConsolePage, to: string, text: string) => {
    await one.press('Recipients and priority');
    await one.fill('To', to);
    await one.page.getByText('Ask recipients to acknowledge').click();
    await say(one, text);
  };

  /** Two people in one room, one of whose connections can be broken. */
  async function twoInOneRoom() {
    const { wallet, orgId } = await service.owner('Analytical Engines');
    const way = await breakable();
    const ada = await open();
    const bob = await open({ url: way.url });
    for (const one of [ada, bob]) {
      await one.visit('');
      await one.enter();
      await member(orgId, wallet, await one.address());
      await one.visit(`/orgs/${orgId}/rooms/standup`);
      await one.page.getByText('No messages yet').waitFor();
    }
    return { wallet, orgId, way, ada, bob };
  }

  test('two people talk, and one whose connection was killed misses nothing and hears nothing twice', async () => {
    const { ada, bob, way } = await twoInOneRoom();
    await say(ada, 'one');
    await expect.poll(() => bodies(bob)).toEqual(['one']);
    await say(bob, 'two');
    await expect.poll(() => bodies(ada)).toEqual(['one', 'two']);
    // What the room has told others of may still be on its way to its sender.
    await bob.page.getByText('Sending…').waitFor({ state: 'detached' });

    way.cut();
    await bob.page.getByText('The connection is lost.').waitFor();
    for (const text of ['three', 'four']) await say(ada, text);
    await expect.poll(() => bodies(ada)).toEqual(['one', 'two', 'three', 'four']);
    // What is written meanwhile is shown, waits, and is sent once.
    await say(bob, 'five');
    await bob.page.getByText('Sending…').waitFor();
    expect(await bodies(bob)).toEqual(['one', 'two', 'five']);
    way.mend();
    const all = ['one', 'two', 'three', 'four', 'five'];
    await expect.poll(() => bodies(bob)).toEqual(all);
    await expect.poll(() => bodies(ada)).toEqual(all);
    await bob.page.getByText('The connection is lost.').waitFor({ state: 'detached' });
    await say(ada, 'six');
    await expect.poll(() => bodies(bob)).toEqual([...all, 'six']);
  });

  test('a room opens at its newest message, and stays there as the page learns what its reader may do', async () => {
    const { wallet, orgId } = await service.owner();
    const send = (body: string) =>
      service.call(wallet, 'POST', `/orgs/v1/${orgId}/rooms/standup/messages`, { body: { body } });
    for (let at = 1; at <= 45; at++) await send(`Message ${at}`);
    const bob = await open({ viewport: { width: 390, height: 900 } });
    await bob.visit('');
    await bob.enter();
    await member(orgId, wallet, await bob.address());
    await bob.visit(`/orgs/${orgId}/rooms/standup`);
    await bob.page
      .getByRole('button', { name: /^Reply in a thread/ })
      .last()
      .waitFor();
    const inList = <Found>(found: string) =>
      bob.page.evaluate<Found>(`((list) => ${found})(document.querySelector('[role=log]'))`);
    const belowSight = () => inList<number>('list.scrollHeight - list.scrollTop - list.clientHeight');
    await expect.poll(belowSight).toBeLessThan(2);
    await bob.page.getByText('Message 45', { exact: true }).waitFor();

    // A message that is sent meanwhile leaves a reader of earlier ones alone, and a button leads to it.
    await inList('list.scrollTo({ top: 0 })');
    await expect.poll(belowSight).toBeGreaterThan(80);
    await send('The last');
    const toNewest = bob.page.getByRole('button', { name: '1 new message' });
    await toNewest.waitFor();
    expect(await inList<number>('list.scrollTop')).toBe(0);
    await toNewest.click();
    await bob.page.getByText('The last', { exact: true }).waitFor();
    await expect.poll(belowSight).toBeLessThan(2);
    await toNewest.waitFor({ state: 'detached' });
  });

  test('a wallet is asked again only when its owner says so, and then goes on from where it was', async () => {
    const { wallet, orgId } = await service.owner();
    const way = await breakable();
    const own = browserWallet(true);
    const bob = await open({ url: way.url, first: own.script });
    await bob.page.exposeFunction('signAsWallet', own.sign);
    await member(orgId, wallet, own.address);
    await bob.visit(`/orgs/${orgId}/rooms/standup`);
    await bob.press('Sign in with Example Wallet');
    await bob.page.getByText('No messages yet').waitFor();
    const send = (body: string) =>
      service.call(wallet, 'POST', `/orgs/v1/${orgId}/rooms/standup/messages`, { body: { body } });
    await send('one');
    await expect.poll(() => bodies(bob)).toEqual(['one']);

    way.cut();
    await bob.page.getByRole('button', { name: 'Sign and go on' }).waitFor();
    await send('two');
    way.mend();
    expect(await bob.page.evaluate("asked.filter((method) => method === 'personal_sign').length")).toBe(1);
    await bob.press('Sign and go on');
    await expect.poll(() => bodies(bob)).toEqual(['one', 'two']);
  });

  test('who comes, what is claimed and what is acknowledged is seen by the others at once', async () => {
    const { ada, bob } = await twoInOneRoom();
    const here = ada.page.getByRole('list', { name: 'Who is here' });
    await join(bob, 'bob');
    await here.getByText('bob').waitFor();
    await join(ada, 'ada');

    await claim(bob, 'repo:src/**');
    const claims = ada.page.getByRole('list', { name: 'Claims' });
    await claims.getByText('repo:src/**').waitFor();
    await claim(ada, 'repo:src/auth');
    await claims.getByText('Conflicts with bob').waitFor();
    await bob.press('Release repo:src/**');
    await claims.getByText('repo:src/**').waitFor({ state: 'detached' });

    await ask(ada, 'bob', 'Read this');
    await bob.press('Acknowledge');
    await bob.page.getByText('bob acknowledged').waitFor();

    await bob.press(/^Reply in a thread/);
    await bob.page.getByRole('complementary', { name: 'Thread' }).getByText('Read this').waitFor();
    await say(bob, 'Done', 'Reply');
    await ada.press(/^Open thread/);
    await ada.page.getByRole('heading', { name: 'Thread' }).waitFor();
    await expect.poll(() => bodies(ada, 'Replies')).toEqual(['Done']);
    // The address holds the thread.
    await ada.page.reload();
    await expect.poll(() => bodies(ada, 'Replies')).toEqual(['Done']);
    await expect.poll(() => bodies(ada)).toEqual(['Read this', 'Done']);
    await ada.press('Close the thread');
    await bob.press('Close the thread');
    await bob.press('Leave the room');
    await here.getByText('bob').waitFor({ state: 'detached' });
  });

  test('a browser that keeps no more is one presence all the same', async () => {
    const { bob, orgId } = await twoInOneRoom();
    await bob.page.evaluate(`sessionStorage.clear();
      Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }`);
    await bob.page.getByRole('link', { name: 'Rooms', exact: true }).first().click();
    await bob.page.getByRole('heading', { level: 1, name: 'Rooms' }).waitFor();
    await bob.page.goBack();
    await join(bob, 'bob');
    await bob.page.getByText('(you)').waitFor();
    await say(bob, 'one');
    await expect.poll(() => bodies(bob)).toEqual(['one']);
    await bob.page.getByText('Sending…').waitFor({ state: 'detached' });
    const presences = await service.control.sql('select name from room_presences where org_id = $1', [orgId]);
    expect(presences).toEqual([{ name: 'bob' }]);
  });

  test('who claims is there, may release it, and is the same when the page was loaded anew', async () => {
    const { ada, bob } = await twoInOneRoom();
    await claim(bob, 'the release');
    await bob.page.getByRole('button', { name: 'Release the release' }).waitFor();
    const mine = bob.page.getByRole('list', { name: 'Who is here' }).getByText('(you)');
    await mine.waitFor();
    await ask(ada, 'console', 'Read this');
    await bob.page.reload();
    await mine.waitFor();
    await bob.press('Acknowledge');
    await ada.page.reload();
    await ada.page.getByText('console acknowledged').waitFor();
    await bob.press('Release the release');
    await bob.page.getByText('No claims').waitFor();
    await bob.press('Leave the room');
    const joining = bob.page.getByRole('button', { name: 'Join the room' });
    await joining.waitFor();
    await bob.page.reload();
    await joining.waitFor();
  });

  test('what is refused stays to be sent again, with its code and its trace', async () => {
    const { ada } = await twoInOneRoom();
    await say(ada, 'x'.repeat(33 * 1024));
    const refusal = ada.page.getByRole('alert');
    await refusal.getByText('VALIDATION_FAILED').waitFor();
    await refusal.getByText(/trc_/).waitFor();
    await ada.press('Drop');
    await ada.page.getByText('No messages yet').waitFor();
  });

  test('a room is archived and unarchived: it takes no messages and no claims meanwhile', async () => {
    const { wallet, orgId, ada } = await twoInOneRoom();
    await say(ada, 'one');
    await expect.poll(() => bodies(ada)).toEqual(['one']);
    await ada.press('More');
    await ada.page.getByRole('menuitem', { name: 'Archive' }).click();
    await ada.page.getByText('The room was archived').waitFor();
    expect(await ada.page.getByRole('textbox', { name: 'Message' }).count()).toBe(0);
    expect(await ada.page.getByRole('button', { name: 'New claim' }).count()).toBe(0);
    expect(await violations(ada.page)).toEqual([]);
    const path = `/orgs/v1/${orgId}/rooms/standup/messages`;
    expect((await service.call(wallet, 'POST', path, { body: { body: 'two' } })).status).toBeGreaterThan(399);
    await ada.press('Unarchive');
    await say(ada, 'three');
    await expect.poll(() => bodies(ada)).toEqual(['one', 'three']);
  });

  test('messages of one sender form a group, and a line stands above those that are new to their reader', async () => {
    const { ada, bob } = await twoInOneRoom();
    for (const text of ['one', 'two']) await say(ada, text);
    await expect.poll(() => bodies(bob)).toEqual(['one', 'two']);
    await expect.poll(() => bob.page.locator('.message-head').count()).toBe(1);
    await bob.page.getByText('Today', { exact: true }).waitFor();
    await hasSeenLast(bob.page);
    await bob.page.getByRole('link', { name: 'Rooms', exact: true }).first().click();
    await bob.page.getByRole('heading', { level: 1, name: 'Rooms' }).waitFor();
    for (const text of ['three', 'four']) await say(ada, text);
    await expect.poll(() => bodies(ada)).toEqual(['one', 'two', 'three', 'four']);
    await bob.page.goBack();
    await expect.poll(() => bodies(bob)).toEqual(['one', 'two', 'three', 'four']);
    const line = bob.page.locator('.messages-row', { has: bob.page.getByText('New', { exact: true }) });
    await expect.poll(() => line.locator('.body').allTextContents()).toEqual(['three']);
    // A new visit begins with nothing new.
    await hasSeenLast(bob.page);
    await bob.page.reload();
    await expect.poll(() => bodies(bob)).toEqual(['one', 'two', 'three', 'four']);
    expect(await bob.page.getByText('New', { exact: true }).count()).toBe(0);
  });

  test('all of a room is reached by key, and a message shows its actions with the focus', async () => {
    const { ada, bob } = await twoInOneRoom();
    await say(bob, 'one');
    await expect.poll(() => bodies(ada)).toEqual(['one']);
    const shown = () =>
      ada.page.evaluate<string>("getComputedStyle(document.querySelector('.message-actions')).opacity");
    await ada.page.mouse.move(0, 0);
    await expect.poll(shown).toBe('0');
    await ada.page.getByRole('button', { name: /^Reply in a thread/ }).waitFor({ state: 'attached' });
    await ada.page.getByRole('log', { name: 'Messages' }).focus();
    await ada.page.keyboard.press('Tab');
    expect(await ada.page.evaluate<string>("document.activeElement.getAttribute('aria-label')")).toMatch(
      /^Reply in a thread/,
    );
    await expect.poll(shown).toBe('1');
    await ada.page.keyboard.press('Enter');
    await ada.page.getByRole('complementary', { name: 'Thread' }).waitFor();
    expect(await violations(ada.page)).toEqual([]);
    await ada.page.goBack();
    await ada.page.getByRole('complementary', { name: 'People and claims' }).waitFor();
    await ada.press('People and claims');
    await ada.page.getByRole('heading', { name: 'Who is here' }).waitFor({ state: 'hidden' });
    expect(await violations(ada.page)).toEqual([]);
  });
});
