import { describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { mailOf, mailSender } from '../mailboxes/mail-sender.ts';
import { startReceiver } from '../mailboxes/webhook-receiver.ts';
import { startConsoleWorld } from './console-owner.ts';
import { expectUsable, looks } from './console-usable.ts';

describe.skipIf(chromiumProgram() === undefined)('mail of a project in the console, in Chromium', async () => {
  const receiver = await startReceiver();
  const world = await startConsoleWorld({ env: { MAIL_LISTEN: '127.0.0.1:0', WEBHOOK_ORIGINS: receiver.url } });
  const { service, projectId, post, key, asOwner } = world;
  const mail = `/projects/${projectId}/mail`;
  const outside = mailSender(service.app.mailPort!);
  const box = await post('/mailboxes/v1', { slug: 'hello-there' }, key);
  const messages = `/mailboxes/v1/${box.mailbox_id}/messages`;
  await post(messages, { to: 'ada@example.com', subject: 'Your export', html: '<p>Ready.</p>' }, key);
  const answer = (subject: string, ...lines: readonly string[]) =>
    outside.raw(
      { from: 'ada@example.com', to: box.address! },
      mailOf('From: Ada <ada@example.com>', `Subject: ${subject}`, ...lines, ''),
    );

  test('mail is listed as it comes in, and its HTML runs nothing and loads nothing', async () => {
    const { page, visit } = await asOwner();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await visit(mail);
    await page.getByRole('row').filter({ hasText: 'Your export' }).waitFor();
    const hostile = `<p id="said">Thank you.</p><script>top.document.title = 'taken'</script>
      <img src="https://tracker.example.com/seen.png" onerror="top.document.title = 'taken'">
      <form action="https://evil.example.com/"><input name="password"></form><a href="javascript:alert(1)">here</a>`;
    expect(await answer('A reply', 'Content-Type: text/html', '', hostile)).toMatch(/^250/);
    const row = page.getByRole('row').filter({ hasText: 'A reply' });
    await row.getByText('From Ada').waitFor();
    await row.getByText('Reply', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'A reply' }).click();
    await page.getByText('Thank you.').first().waitFor();
    await page.getByRole('tab', { name: 'HTML' }).click();
    const frame = page.frameLocator('iframe');
    await frame.getByText('Thank you.').waitFor();
    expect(await frame.locator('script, form, input').count()).toBe(0);
    expect(await frame.getByText('here').getAttribute('href')).toBeNull();
    expect(await page.title()).not.toContain('taken');
    expect(asked.filter((url) => /tracker|evil/.test(url))).toEqual([]);
    // And the mail that it answers leads back to it.
    await page.getByRole('link', { name: 'the mail before it' }).click();
    await page.getByRole('heading', { name: 'Your export' }).waitFor();
    await page.getByRole('link', { name: 'ada@example.com' }).waitFor();
  });

  test('a webhook is registered, and a delivery that was given up is sent again', async () => {
    const { page, visit, press, fill } = await asOwner();
    await visit(`${mail}?tab=webhooks`);
    await press('Register webhook');
    await fill('Address', `${receiver.url}/500/console`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Register webhook' }).click();
    await page.getByText(`${receiver.url}/500/console`).first().waitFor();
    expect(await answer('Another', '', 'Yes.')).toMatch(/^250/);
    await expect.poll(() => receiver.of('/500/console').length).toBe(1);
    await service.control.sql(
      `update mailbox_webhook_deliveries set status = 'failed_permanent', due_at = null, lease = null`,
    );
    const row = page.getByRole('row').filter({ hasText: 'The answer was 500.' });
    await row.getByText('Failed permanent').waitFor();
    await row.getByRole('button', { name: 'Send again' }).click();
    await expect.poll(() => receiver.of('/500/console').length).toBe(2);
    await page.getByRole('button', { name: /^Delete http/ }).click();
    await page.getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByText('No webhooks').waitFor();
  });

  test('a viewer is told who sees mail', async () => {
    const { page, visit } = await asOwner({}, 'viewer');
    await visit(mail);
    await page.getByText('You cannot see the mail').waitFor();
    expect(await page.getByRole('link', { name: 'Mail', exact: true }).count()).toBe(0);
  });

  test.each(looks)(
    'mail can be used by everybody: %s, %i pixels wide',
    async (...look) => {
      const [sent] = (await service.call<{ messages: { message_id: string }[] }>(key, 'GET', messages)).body.messages;
      await expectUsable(asOwner, look, [
        { path: mail, sign: 'Your export' },
        { path: `${mail}?tab=webhooks`, sign: 'No webhooks' },
        { path: `${mail}?tab=webhooks&dialog=webhook`, sign: 'at least once' },
        { path: `${mail}/${sent!.message_id}?mailbox=hello-there`, sign: 'ada@example.com' },
      ]);
    },
    120_000,
  );
});
