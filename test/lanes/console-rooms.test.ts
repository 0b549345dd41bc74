import { describe, expect, onTestFinished, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startBreakableWay } from '../helpers/breakable-way.ts';
import { browserWallet } from '../helpers/browser-wallet.ts';
import { type ConsolePage, startConsoleStage } from '../helpers/console-page.ts';

const program = chromiumProgram();

describe.skipIf(program === undefined)('rooms of the console in Chromium', async () => {
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

  const bodies = ({ page }: ConsolePage) => page.locator('.message .body').allTextContents();
  const say = async ({ page }: ConsolePage, text: string) => {
    await page.getByRole('textbox', { name: /^(Message|Reply)$/ }).fill(text);
    await page.keyboard.press('Enter');
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
    for (let at = 1; at <= 12; at++)
      await service.call(wallet, 'POST', `/orgs/v1/${orgId}/rooms/standup/messages`, {
        body: { body: `Message ${at}` },
      });
    const bob = await open({ viewport: { width: 390, height: 900 } });
    await bob.visit('');
    await bob.enter();
    await bob.press('Menu');
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

    // Whoever reads back is left alone by what is said meanwhile.
    await inList('list.scrollTo({ top: 0 })');
    await expect.poll(belowSight).toBeGreaterThan(80);
    await service.call(wallet, 'POST', `/orgs/v1/${orgId}/rooms/standup/messages`, { body: { body: 'The last' } });
    await bob.page.getByText('The last').waitFor({ state: 'attached' });
    expect(await inList<number>('list.scrollTop')).toBe(0);
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
    await bob.fill('Your name here', 'bob');
    await bob.press('Join');
    await here.getByText('bob').waitFor();
    await ada.fill('Your name here', 'ada');
    await ada.press('Join');

    await bob.fill('Resource', 'repo:src/**');
    await bob.press('Claim');
    const claims = ada.page.getByRole('list', { name: 'Claims' });
    await claims.getByText('repo:src/**').waitFor();
    await ada.fill('Resource', 'repo:src/auth');
    await ada.press('Claim');
    await claims.getByText('Conflicts with bob').waitFor();
    await bob.press('Release repo:src/**');
    await claims.getByText('repo:src/**').waitFor({ state: 'detached' });

    await ada.page.getByText('Recipients and priority').click();
    await ada.fill('To', 'bob');
    await ada.page.getByLabel('Ask recipients to acknowledge it').check();
    await say(ada, 'Read this');
    await bob.press('Acknowledge');
    await bob.page.getByText('bob acknowledged').waitFor();

    await bob.press(/^Reply in a thread/);
    await say(bob, 'Done');
    await ada.press(/^Open thread/);
    await ada.page.getByRole('heading', { name: 'Thread' }).waitFor();
    await expect.poll(() => bodies(ada)).toEqual(['Done']);
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
    await bob.fill('Your name here', 'bob');
    await bob.press('Join');
    await bob.page.getByText('(you)').waitFor();
    await say(bob, 'one');
    await expect.poll(() => bodies(bob)).toEqual(['one']);
    await bob.page.getByText('Sending…').waitFor({ state: 'detached' });
    const presences = await service.control.sql('select name from room_presences where org_id = $1', [orgId]);
    expect(presences).toEqual([{ name: 'bob' }]);
  });

  test('who claims is there, may release it, and is the same when the page was loaded anew', async () => {
    const { ada, bob } = await twoInOneRoom();
    await bob.fill('Resource', 'the release');
    await bob.press('Claim');
    await bob.page.getByRole('button', { name: 'Release the release' }).waitFor();
    const mine = bob.page.getByRole('list', { name: 'Who is here' }).getByText('(you)');
    await mine.waitFor();
    await ada.page.getByText('Recipients and priority').click();
    await ada.fill('To', 'console');
    await ada.page.getByLabel('Ask recipients to acknowledge it').check();
    await say(ada, 'Read this');
    await bob.page.reload();
    await mine.waitFor();
    await bob.press('Acknowledge');
    await ada.page.reload();
    await ada.page.getByText('console acknowledged').waitFor();
    await bob.press('Release the release');
    await bob.page.getByText('No claims').waitFor();
    await bob.press('Leave the room');
    const join = bob.page.getByRole('button', { name: 'Join' });
    await join.waitFor();
    await bob.page.reload();
    await join.waitFor();
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
});
