import { describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { deploying } from '../deploys/deploying.ts';
import type { OpenOptions } from '../helpers/console-page.ts';
import { choose } from './console-choose.ts';
import { startConsoleWorld } from './console-owner.ts';
import { expectUsable, looks } from './console-usable.ts';

describe.skipIf(chromiumProgram() === undefined)('the site in the console, in Chromium', async () => {
  const world = await startConsoleWorld();
  const { service, projectId, project } = world;
  const { port } = new URL(service.url);
  const mine = deploying(service, world.wallet, project);
  const site = `/projects/${projectId}/site`;
  // Deployments let the console show them where the gateway says that it is opened.
  const asOwner = (more: OpenOptions = {}, role = 'owner') =>
    world.asOwner({ url: `http://localhost:${port}`, ...more }, role);
  const home = '<!doctype html><title>Shop</title><h1>Our shop</h1><script src="app.3f2a9c1b.js"></script>';
  const script = 'document.querySelector("h1").textContent += " is open";';

  test('a site shows as it goes live: a picture of it, its public paths and its files', async () => {
    const { page, visit } = await asOwner();
    await visit(site);
    await page.getByText('Nothing is served yet').waitFor();
    await mine.deploySite({ 'index.html': home, 'about.html': 'About', 'app.3f2a9c1b.js': script });
    const paths = page.getByRole('group', { name: 'Public paths' });
    await paths.getByRole('row').filter({ hasText: 'app.3f2a9c1b.js' }).getByText('kept for a year').waitFor();
    // Its scripts run in an origin of their own, where nothing can be typed or followed.
    await page.frameLocator('iframe').getByRole('heading', { name: 'Our shop is open' }).waitFor();
    const frame = page.locator('iframe');
    expect(await frame.getAttribute('sandbox')).toBe('allow-scripts allow-same-origin');
    expect(await frame.evaluate((one) => getComputedStyle(one).pointerEvents)).toBe('none');
    expect(new URL((await frame.getAttribute('src'))!).host).toMatch(/^dpl-\w+\.sites\.localhost:/);
    await page.getByRole('tab', { name: 'Files' }).click();
    await page.getByRole('searchbox', { name: 'Find a file' }).fill('about');
    await page.getByText('1 of 3 files').waitFor();
    expect(await page.getByRole('group', { name: 'Files' }).locator('tbody tr').count()).toBe(1);
  });

  test('at another address than the gateway’s own the page shows no picture, and says why', async () => {
    const { page, visit } = await world.asOwner();
    await visit(site);
    await page.getByText('Open the console at the address of the gateway').waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
  });

  test('a subdomain is claimed, serves the site, and is given up', async () => {
    const { page, visit, press, fill } = await asOwner();
    await visit(`${site}?tab=subdomains`);
    await page.getByText('No subdomain yet').waitFor();
    await press('Claim subdomain');
    const dialog = page.getByRole('alertdialog', { name: 'Claim a subdomain' });
    await fill('Name', 'www');
    await dialog.getByRole('button', { name: 'Claim subdomain' }).click();
    await dialog.getByText('SUBDOMAIN_TAKEN').waitFor();
    await fill('Name', 'Our-Shop');
    await dialog.getByText('our-shop.localhost').waitFor();
    await dialog.getByRole('button', { name: 'Claim subdomain' }).click();
    const row = page.getByRole('group', { name: 'Subdomains' }).getByRole('row').filter({ hasText: 'our-shop' });
    await row.waitFor();
    expect(await row.getByRole('link').getAttribute('href')).toBe(`http://our-shop.localhost:${port}`);
    await row.getByRole('button', { name: 'Give up our-shop' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Give up subdomain' }).click();
    await page.getByText('No subdomain yet').waitFor();
  });

  test('an address is diagnosed: a file, a path that is not there, and a host of others', async () => {
    const { page, visit, press, fill } = await asOwner();
    await visit(`${site}?tab=diagnose`);
    const panel = page.getByRole('tabpanel');
    await fill('Address or path', '/about');
    await press('Diagnose');
    await panel.getByText('The file at this path answers.').waitFor();
    await panel.getByText('about.html').waitFor();
    await fill('Address or path', '/missing.js');
    await press('Diagnose');
    await panel.getByText('404').waitFor();
    expect(new URL(page.url()).searchParams.get('url')).toBe('/missing.js');
    await choose(page, 'Method', 'POST');
    const other = await service.project();
    const [row] = await service.control.sql<{ public_id: string }>('select public_id from projects where id = $1', [
      other.projectId,
    ]);
    await fill('Address or path', `https://p-${row!.public_id}.localhost/`);
    await press('Diagnose');
    await panel.getByText('No project that you may see is served under this host.').waitFor();
    await fill('Address or path', 'http://');
    await press('Diagnose');
    await panel.getByText('This is no address.').waitFor();
  });

  test('a viewer sees the site and claims nothing', async () => {
    const { page, visit } = await asOwner({}, 'viewer');
    await visit(`${site}?tab=subdomains`);
    await page.getByText('No subdomain yet').waitFor();
    expect(await page.getByRole('button', { name: 'Claim subdomain' }).count()).toBe(0);
  });

  test.each(looks)(
    'the site can be used by everybody: %s, %i pixels wide',
    async (...look) => {
      await expectUsable(asOwner, look, [
        { path: site, sign: 'kept for a year' },
        { path: `${site}?tab=files`, sign: 'about.html' },
        { path: `${site}?tab=subdomains&dialog=claim`, sign: '3 to 63 lower-case letters' },
        { path: `${site}?tab=diagnose&url=%2Fabout`, sign: 'The file at this path answers.' },
      ]);
    },
    120_000,
  );
});
