import { describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { choose } from './console-choose.ts';
import { startConsoleWorld, violations } from './console-owner.ts';

const missing = chromiumProgram() === undefined;

describe.skipIf(missing)('tiers in the console, without leases', async () => {
  const world = await startConsoleWorld();
  const { orgId, asOwner } = world;

  test('a member chooses a tier by its limits, and reads of no lease, price or end', async () => {
    const { page, visit, press } = await asOwner();
    await visit(`/orgs/${orgId}?tab=usage`);
    const tiers = page.getByRole('group', { name: 'Tiers' });
    const team = tiers.getByRole('row', { name: /^Team/ });
    await team.waitFor();
    expect((await team.getByRole('cell').allInnerTexts()).slice(1)).toEqual([
      'free',
      '1,000',
      '5,000',
      '10 GiB',
      '50,000,000 in 30 days',
    ]);
    await page.getByRole('meter', { name: 'API calls' }).waitFor();
    const main = page.getByRole('main');
    expect(await main.textContent()).not.toMatch(/lease|\$|expire|past/i);
    expect(await violations(page)).toEqual([]);
    for (const tier of ['Team', 'Hobby']) {
      await press('Change tier');
      await page.getByText('This is the current tier.').waitFor();
      await choose(page, 'Tier', tier);
      expect(await page.getByRole('alertdialog', { name: 'Change tier' }).textContent()).not.toMatch(/lease|\$/i);
      await press('Set tier');
      await page.getByText(`The organization is on the ${tier.toLowerCase()} tier.`).waitFor();
      await tiers.getByRole('row', { name: new RegExp(`^${tier} Current`) }).waitFor();
    }
    await visit('');
    await main.getByText('Hobby', { exact: true }).first().waitFor();
    expect(await main.textContent()).not.toMatch(/lease ends|lease does not|past_due/i);
  });
});

describe.skipIf(missing)('tiers in the console, with leases', async () => {
  const world = await startConsoleWorld({ env: { SVC_LEASES: 'on' } });
  const { service, orgId, asOwner, post } = world;

  test('a member reads the price, how to pay it, and pays from the balance', async () => {
    const { page, visit, press } = await asOwner();
    await visit(`/orgs/${orgId}?tab=usage`);
    const tiers = page.getByRole('group', { name: 'Tiers' });
    await tiers.getByRole('cell', { name: '$5.00 for 30 days' }).waitFor();
    await tiers.getByRole('cell', { name: 'free for 7 days' }).waitFor();
    await page.getByText('the lease ends').waitFor();
    await page.getByText('Nothing moved the balance yet.').waitFor();
    await press('Change tier');
    await choose(page, 'Tier', 'Hobby');
    await page.getByText('$5.00 are taken from the organization’s balance.').waitFor();
    expect(await violations(page)).toEqual([]);
    await press('Pay $5.00');
    const unpaid = page.getByRole('alertdialog', { name: 'Change tier' }).getByRole('alert');
    await unpaid.getByText('The hobby tier costs $5.00. The balance is $0.00.').waitFor();
    expect(await unpaid.textContent()).not.toMatch(/PAYMENT_REQUIRED|POST|SIGNATURE|x402|undefined|NaN/);
    expect((await unpaid.locator('code').textContent())!.trim().split('\n')).toEqual([
      `svc init --api-base ${service.url}`,
      `svc tier set hobby --org ${orgId} --max-usd-micros 5000000`,
    ]);
    await post(`/orgs/v1/admin/${orgId}/credits`, { amount_usd_micros: 5_000_000 }, service.actors.admin);
    await press('Pay $5.00');
    await page.getByText('The organization is on the hobby tier.').waitFor();
    const history = page.getByRole('group', { name: 'History of the balance' }).locator('tbody tr');
    await expect.poll(() => history.locator('td:nth-child(3)').allInnerTexts()).toEqual(['−$5.00', '+$5.00']);
    await press('Change tier');
    await choose(page, 'Tier', 'Prototype');
    await page.getByText('A lower tier can be chosen once the lease has ended.').waitFor();
    expect(await page.getByRole('button', { name: 'Set tier' }).isDisabled()).toBe(true);
  });
});
