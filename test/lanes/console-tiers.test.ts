import { describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startConsoleWorld, violations } from './console-owner.ts';

const missing = chromiumProgram() === undefined;

describe.skipIf(missing)('tiers in the console, without leases', async () => {
  const world = await startConsoleWorld();
  const { orgId, asOwner } = world;

  test('a member chooses a tier by its limits, and reads of no lease, price or end', async () => {
    const { page, visit, press } = await asOwner();
    await visit(`/orgs/${orgId}`);
    const tiers = page.getByRole('region', { name: 'Tiers' });
    const team = tiers.getByRole('row', { name: /^team/ });
    await team.waitFor();
    expect(await team.getByRole('cell').allInnerTexts()).toEqual(['1,000', '5,000', '10 GiB', '50,000,000 in 30 days']);
    const main = page.getByRole('main');
    expect(await main.textContent()).not.toMatch(/lease|\$|expire|past/i);
    expect(await violations(page)).toEqual([]);
    for (const tier of ['TEAM', 'HOBBY']) {
      await main.getByRole('combobox', { name: 'Tier' }).selectOption(tier);
      await press('Set tier');
      await page.getByText('The tier is set.').waitFor();
      await main.getByText(tier.toLowerCase(), { exact: true }).first().waitFor();
    }
    await visit('');
    await main.getByText('hobby', { exact: true }).first().waitFor();
    expect(await main.textContent()).not.toMatch(/lease ends|lease does not|past_due/i);
  });
});

describe.skipIf(missing)('tiers in the console, with leases', async () => {
  const world = await startConsoleWorld({ env: { SVC_LEASES: 'on' } });
  const { service, orgId, asOwner, post } = world;

  test('a member reads the price, how to pay it, and pays from the balance', async () => {
    const { page, visit, press } = await asOwner();
    await visit(`/orgs/${orgId}`);
    const tiers = page.getByRole('region', { name: 'Tiers' });
    await tiers.getByRole('cell', { name: '$5.00 for 30 days' }).waitFor();
    await tiers.getByRole('cell', { name: 'free for 7 days' }).waitFor();
    await page.getByText('The lease ends').waitFor();
    const main = page.getByRole('main');
    await main.getByRole('combobox', { name: 'Tier' }).selectOption('HOBBY');
    await press('Pay $5.00');
    const unpaid = main.getByRole('alert');
    await unpaid.getByText('The hobby tier costs $5.00. The balance is $0.00.').waitFor();
    expect(await unpaid.textContent()).not.toMatch(/PAYMENT_REQUIRED|POST|SIGNATURE|x402|undefined|NaN/);
    expect(await unpaid.locator('code').allInnerTexts()).toEqual([
      `svc init --api-base ${service.url}`,
      `svc tier set hobby --org ${orgId} --max-usd-micros 5000000`,
    ]);
    expect(await violations(page)).toEqual([]);
    await post(`/orgs/v1/admin/${orgId}/credits`, { amount_usd_micros: 5_000_000 }, service.actors.admin);
    await press('Pay $5.00');
    await page.getByText('The tier is set.').waitFor();
    await page.getByText('Balance $0.00').waitFor();
    await main.getByRole('option', { name: 'prototype, once the lease has ended' }).waitFor({ state: 'attached' });
  });
});
