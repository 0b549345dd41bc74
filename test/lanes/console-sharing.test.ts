import { describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { choose } from './console-choose.ts';
import { startConsoleWorld } from './console-owner.ts';
import { expectUsable, looks } from './console-usable.ts';

describe.skipIf(chromiumProgram() === undefined)('sharing of a project in the console, in Chromium', async () => {
  const world = await startConsoleWorld();
  const { service, projectId, post, asOwner } = world;
  const sharing = `/projects/${projectId}/sharing`;
  const short = (address: string) => `${address.slice(0, 6)}…${address.slice(-4)}`;

  test('a project is shared with a wallet, which may use it until the grant is revoked', async () => {
    const guest = service.actors.wallet();
    const reads = async () => (await service.call(guest, 'GET', `/projects/v1/${projectId}`)).status;
    const { page, visit, press, fill } = await asOwner();
    await visit(sharing);
    await page.getByText('Not shared').waitFor();
    await press('Share project');
    await fill('Wallet', '0x12');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByRole('alert').getByText('Wallet: ').waitFor();
    await fill('Wallet', guest.checksumAddress);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Share', exact: true }).click();
    const row = page
      .getByRole('group', { name: 'Grants' })
      .getByRole('row')
      .filter({ hasText: short(guest.address) });
    await row.getByText('See the project').waitFor();
    await row.getByText('never').waitFor();
    expect(await reads()).toBe(200);
    await row.getByRole('button', { name: /^Revoke/ }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke grant' }).click();
    // What is below a dialog is hidden from roles while it is open.
    await page.getByRole('alertdialog', { name: /^Revoke the grant/ }).waitFor({ state: 'detached' });
    await row.waitFor({ state: 'detached' });
    expect(await reads()).toBe(403);
    await page.getByText('Show what was revoked or has expired').click();
    await row.getByText('revoked').waitFor();
    expect(await row.getByRole('button', { name: /^Revoke/ }).count()).toBe(0);
  });

  test('a delegate’s token is shown once, acts, is rotated and revoked', async () => {
    const guest = service.actors.wallet();
    await post(`/projects/v1/${projectId}/grants`, { wallet: guest.address, capability: 'read' });
    const reads = async (token: string) =>
      (await service.call(service.actors.bearer(token), 'GET', `/projects/v1/${projectId}`)).status;
    const { page, visit, press } = await asOwner();
    await visit(sharing);
    await press('New delegate');
    await choose(page, 'Kind', 'CI build (OIDC)');
    await page.getByLabel('Known by').waitFor();
    await choose(page, 'Kind', 'Token');
    await press('Create delegate');
    const shown = page.getByRole('alertdialog', { name: 'The token of the delegate' });
    const tokenOf = async () => {
      await shown.getByRole('button', { name: 'Show token' }).click();
      const token = (await shown.getByRole('code').textContent())!;
      await shown.getByRole('button', { name: 'Done' }).click();
      await shown.waitFor({ state: 'detached' });
      return token;
    };
    await shown.waitFor();
    const first = await tokenOf();
    expect(await reads(first)).toBe(200);
    await page.reload();
    const row = page.getByRole('group', { name: 'Delegates' }).locator('tbody tr');
    await row.getByText(short(guest.address)).waitFor();
    expect(await page.getByText(first).count()).toBe(0);
    await row.getByRole('button', { name: /^Rotate token/ }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Rotate token' }).click();
    const second = await tokenOf();
    expect([await reads(first), await reads(second)]).toEqual([401, 200]);
    await row.getByRole('button', { name: /^Revoke/ }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke delegate' }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await row.waitFor({ state: 'detached' });
    expect(await reads(second)).toBe(401);
  });

  test('an agent is connected in one step: what is copied holds its token, what is shown does not', async () => {
    const { page, visit, press } = await asOwner({ permissions: ['clipboard-read', 'clipboard-write'] });
    await visit(sharing);
    await press('Connect an agent');
    await press('Create token');
    const shown = page.getByRole('alertdialog', { name: 'Connect the agent' });
    await shown.getByRole('button', { name: 'Copy Settings of an MCP host' }).click();
    await shown.getByText('Copied').first().waitFor();
    const settings = JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()'));
    const { url, headers } = settings.mcpServers.svc;
    expect(new URL(url).pathname).toBe('/mcp');
    expect(await shown.textContent()).not.toContain(headers.Authorization);
    const answer = await fetch(new URL('/mcp', service.url), {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'run_sql', arguments: { project_id: projectId, sql: 'select 1 as one' } },
      }),
    });
    expect(await answer.json()).toMatchObject({ result: { structuredContent: { rows: [{ one: 1 }] } } });
    await shown.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('group', { name: 'Delegates' }).locator('tbody tr');
    await row.getByText('Change and deploy the project').first().waitFor();
  });

  test.each(looks)(
    'sharing can be used by everybody: %s, %i pixels wide',
    async (...look) => {
      await post(`/projects/v1/${projectId}/grants`, { wallet: service.actors.wallet().address, capability: 'deploy' });
      await expectUsable(asOwner, look, [
        { path: sharing, sign: 'Deploy releases' },
        { path: `${sharing}?new=grant`, sign: 'It need not have signed in yet' },
        { path: `${sharing}?new=agent`, sign: 'The agent gets a token for this project alone.' },
        { path: `${sharing}?new=delegate`, sign: 'The delegate acts under this grant' },
      ]);
    },
    120_000,
  );
});
