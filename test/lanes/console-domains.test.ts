import { afterAll, describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startDnsServer } from '../helpers/dns-server.ts';
import { startSmtp } from '../helpers/smtp-server.ts';
import { domainDoor } from '../hosts/domain-door.ts';
import { setRecords } from '../hosts/mail-stage.ts';
import { mailSender } from '../mailboxes/mail-sender.ts';
import { startConsoleWorld } from './console-owner.ts';
import { expectUsable, looks } from './console-usable.ts';

describe.skipIf(chromiumProgram() === undefined)('domains in the console, in Chromium', async () => {
  const platform = 'apps.example.net';
  const dns = await startDnsServer();
  const smtp = await startSmtp();
  afterAll(async () => {
    await smtp.stop();
    await dns.stop();
  });
  const world = await startConsoleWorld({
    env: {
      PLATFORM_DOMAIN: platform,
      DNS_SERVERS: dns.address,
      SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      MAIL_LISTEN: '127.0.0.1:0',
    },
  });
  const { service, projectId, asOwner } = world;
  const [row] = await service.control.sql<{ public_id: string }>('select public_id from projects where id = $1', [
    projectId,
  ]);
  const host = `p-${row!.public_id}.${platform}`;
  dns.set(host, { A: ['192.0.2.10'] });
  const door = domainDoor(service, world);
  const wantedMail = {
    send: { enabled: true },
    receive: { enabled: true },
    mailbox_addresses: { addresses: [{ local_part: 'hello', mailbox_slug: 'hello-there', create_mailbox: true }] },
  };
  const domains = `/projects/${projectId}/domains`;
  /** Lets the next look ask anew, as time would. */
  const age = () => service.control.sql(`update project_domains set checked_at = checked_at - interval '1 minute'`);

  test('a domain is connected, its records are set and seen, and it is served', async () => {
    const { page, visit, press, fill } = await asOwner({ permissions: ['clipboard-read', 'clipboard-write'] });
    await visit(domains);
    await page.getByText('No domain yet').waitFor();
    await press('Connect the first domain');
    const dialog = page.getByRole('alertdialog', { name: 'Connect a domain' });
    await fill('Domain', `own.${platform}`);
    await dialog.getByRole('button', { name: 'Connect domain' }).click();
    await dialog.getByText('INVALID_DOMAIN', { exact: true }).waitFor();
    await fill('Domain', 'shop.example.org');
    await dialog.getByRole('button', { name: 'Connect domain' }).click();
    await page.getByRole('heading', { level: 1, name: 'shop.example.org' }).waitFor();
    await page.getByText('Set the records', { exact: true }).waitFor();
    const proof = page.getByRole('listitem', { name: 'TXT record' });
    const route = page.getByRole('listitem', { name: 'CNAME record' });
    await route.getByText(host).waitFor();
    await proof.getByRole('button', { name: 'Copy value of the TXT record' }).click();
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
    await expect.poll(copied).toMatch(/^svc-domain=/);
    const text = await copied();
    dns.set('_svc-challenge.shop.example.org', { TXT: [text] });
    await age();
    await press('Check now');
    await proof.getByText('Set', { exact: true }).waitFor();
    await route.getByText('missing').waitFor();
    dns.set('shop.example.org', { CNAME: host });
    await age();
    await press('Check now');
    await page.getByRole('main').getByText('Active', { exact: true }).waitFor();
    const checks = page.getByRole('list', { name: 'Checks' });
    await checks.getByText('Requests for the domain go to the project.').waitFor();
    expect((await door.get('shop.example.org')).body.status).toBe('active');
  });

  test('a drifted record is told, what the gateway finds by itself shows, and repair begins anew', async () => {
    const { page, visit, press } = await asOwner();
    await visit(`${domains}/shop.example.org`);
    await page.getByRole('main').getByText('Active', { exact: true }).waitFor();
    dns.set('shop.example.org', { A: ['198.51.100.7'] });
    await age();
    expect((await door.check('shop.example.org')).body.status).toBe('needs_repair');
    // Nobody pressed anything on this page.
    await page.getByText('A record has drifted').waitFor();
    await page.getByText('leads elsewhere').waitFor();
    dns.set('shop.example.org', { CNAME: host });
    await age();
    await press('Repair');
    await page.getByRole('main').getByText('Active', { exact: true }).waitFor();
  });

  test('a domain becomes another name, is turned off, and is disconnected', async () => {
    const { page, visit, press } = await asOwner();
    await visit(`${domains}/shop.example.org`);
    await page.getByRole('button', { name: /What it is$/ }).click();
    await page.getByRole('option', { name: 'Another name for it' }).click();
    await expect
      .poll(async () => (await door.get('shop.example.org')).body.desired.web)
      .toMatchObject({ role: 'alias', enabled: true });
    // The switch sends the role along that the page knows of.
    await page.getByRole('button', { name: /^Another name for it/ }).waitFor();
    await page.getByText('Serve the project under this domain').click();
    await expect
      .poll(async () => (await door.get('shop.example.org')).body.desired.web)
      .toMatchObject({ role: 'alias', enabled: false });
    await press('Disconnect');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect domain' }).click();
    await page.getByText('No domain yet').waitFor();
    expect((await door.get('shop.example.org')).status).toBe(404);
  });

  test('mail below a domain is wanted, tested, and its addresses are activated', async () => {
    const name = 'post.example.org';
    const connected = await door.ensure(name, { web: { enabled: false } });
    dns.set(`_svc-challenge.${name}`, { TXT: [connected.body.dns_records[0].value] });
    const { page, visit, press, fill } = await asOwner();
    await visit(`${domains}/${name}`);
    await page.getByText('No mail goes out or comes in below this domain.').waitFor();
    await press('Set up mail');
    await page.getByRole('button', { name: /Mail that comes in$/ }).click();
    await page.getByRole('option', { name: 'What its present mail server forwards' }).click();
    await fill('Addresses', 'hello = hello-there\nhello = other-box');
    await page.getByText('Activate addresses by hand').click();
    const dialog = page.getByRole('dialog', { name: `Mail below ${name}` });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('must name each local part once').waitFor();
    await fill('Addresses', 'hello = hello-there');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const key = page.getByRole('listitem', { name: 'TXT record' }).filter({ hasText: '_domainkey' });
    await key.getByText('missing').waitFor();
    const { dns_records: records } = (await door.get(name)).body;
    setRecords(dns, records);
    await press('Send test');
    const address = `hello@${name}`;
    await expect.poll(() => smtp.taken.some(({ to }) => to.includes(address))).toBe(true);
    await page.getByText(/You may send one yourself/).waitFor();
    const { raw } = smtp.taken.find(({ to }) => to.includes(address))!;
    await mailSender(service.app.mailPort!).raw({ from: 'no-reply@apps.example.net', to: address }, raw);
    await age();
    await press('Check now');
    await press('Activate addresses');
    await page.getByText('Writing and receiving').waitFor();
    await page.getByRole('button', { name: 'Activate addresses' }).waitFor({ state: 'detached' });
    expect((await door.get(name)).body.effective.email).toMatchObject({
      send: { active: true },
      receive: { active: true, strategy: 'forwarding_mode' },
      mailbox_addresses: [{ address, active: true }],
    });
  });

  test('a viewer sees the records and changes nothing', async () => {
    await door.ensure('seen.example.org');
    const { page, visit } = await asOwner({}, 'viewer');
    await visit(domains);
    await page.getByRole('link', { name: 'seen.example.org' }).click();
    await page.getByRole('listitem', { name: 'TXT record' }).waitFor();
    for (const name of ['Check now', 'Disconnect', 'Repair', 'Set up mail'])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    await visit(`${domains}/none.example.org`);
    await page.getByText('DOMAIN_NOT_FOUND').waitFor();
  });

  test.each(looks)(
    'domains can be used by everybody: %s, %i pixels wide',
    async (...look) => {
      await door.ensure('a-rather-long-name-of-a-shop.example.org', { email: wantedMail });
      await expectUsable(asOwner, look, [
        { path: domains, sign: 'a-rather-long-name-of-a-shop.example.org' },
        { path: `${domains}?dialog=connect`, sign: 'One that you own' },
        { path: `${domains}/a-rather-long-name-of-a-shop.example.org`, sign: 'Proves that the domain is yours' },
        {
          path: `${domains}/a-rather-long-name-of-a-shop.example.org?dialog=disconnect`,
          sign: 'Take its records away',
        },
        { path: `${domains}/a-rather-long-name-of-a-shop.example.org?dialog=mail`, sign: 'One a line' },
        { path: `${domains}/post.example.org`, sign: 'Writing and receiving' },
      ]);
    },
    120_000,
  );
});
