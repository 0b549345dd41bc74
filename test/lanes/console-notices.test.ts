import { describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startReceiver } from '../mailboxes/webhook-receiver.ts';
import { startTelegram } from '../notices/telegram-server.ts';
import { startConsoleWorld } from './console-owner.ts';
import { expectUsable, looks } from './console-usable.ts';

describe.skipIf(chromiumProgram() === undefined)('notices in the console, in Chromium', async () => {
  const [receiver, telegram] = await Promise.all([startReceiver(), startTelegram()]);
  const world = await startConsoleWorld({
    env: {
      WEBHOOK_ORIGINS: receiver.url,
      TELEGRAM_API_URL: telegram.url,
      TELEGRAM_BOT_TOKEN: telegram.token,
    },
  });
  const { service, asOwner } = world;
  const { control } = service;
  /** An owner whose operator has a verified address, a passkey and a chat. */
  const enter: typeof asOwner = async (...options) => {
    const entered = await asOwner(...options);
    await control.sql(`insert into operator_contacts (principal_id, name, email, email_verified_at, passkey_bound_at)
      select principal_id, 'Ada', 'ada@example.com', now(), now() from memberships where role = 'owner'
      on conflict do nothing`);
    return entered;
  };

  test('what is told is chosen, a webhook gets its secret once, and a test is found in the log', async () => {
    const { page, visit, press, fill } = await enter();
    await visit('/you/notices');
    await page.getByRole('button', { name: /How often/ }).click();
    await page.getByRole('option', { name: 'Each day' }).click();
    await expect
      .poll(() => control.sql(`select digest_cadence from notice_preferences where digest_due_at is not null`))
      .toEqual([{ digest_cadence: 'daily' }]);
    await press('Add a webhook');
    await fill('Address', `${receiver.url}/200/console`);
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('None: nothing is posted').waitFor();
    await press('Make a secret');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Make a secret' }).click();
    await page.getByRole('heading', { name: 'The new secret' }).waitFor();
    await page.getByRole('button', { name: 'Show Secret' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Set', { exact: true }).waitFor();
    await press('Send a test');
    await expect.poll(() => receiver.of('/200/console').length).toBe(1);
    await page.getByRole('tab', { name: 'Log' }).click();
    await page
      .getByRole('row')
      .filter({ hasText: 'Test: Project past due' })
      .filter({ hasText: 'Delivered' })
      .waitFor();
  });

  test('a chat is connected, told what a rule says, and disconnected', async () => {
    const { page, visit, press, fill } = await enter();
    await visit('/you/notices?tab=chats');
    await press('Connect a chat');
    await fill('Name', 'The team');
    await page.getByRole('dialog').getByRole('button', { name: 'Connect chat' }).click();
    const link = await page.getByRole('link', { name: 'add the bot to a group' }).getAttribute('href');
    telegram.say(`/start@notices_bot ${/startgroup=([\w-]+)$/.exec(link!)![1]}`, {
      id: -77,
      type: 'group',
      title: 'Ops',
    });
    await page.getByText('The chat is connected').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Add a rule' }).first().click();
    await fill('Events', 'project_past_due');
    await page.getByRole('dialog').getByRole('button', { name: 'Add rule' }).click();
    const rule = page.getByRole('row').filter({ hasText: 'project_past_due' });
    await rule.getByText('On', { exact: true }).waitFor();
    await control.sql('update notice_preferences set tested_at = null');
    await press('Send a test');
    await expect.poll(() => telegram.in(-77).length).toBe(1);
    await rule.getByRole('button', { name: 'Turn off' }).click();
    await rule.getByText('Off', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Disconnect The team' }).click();
    await page.getByRole('button', { name: 'Disconnect chat' }).click();
    await page.getByText('No chats yet').waitFor();
  });

  test.each(looks)(
    'notices can be used by everybody: %s, %i pixels wide',
    async (...look) => {
      const shown: typeof enter = async (...options) => {
        const entered = await enter(...options);
        await control.sql(`insert into chat_bindings (id, principal_id, kind, status, chat_id, chat_type, chat_title)
          select gen_random_uuid(), principal_id, 'telegram', 'active', 1, 'supergroup', 'Operations of the whole company'
          from operator_contacts`);
        await control.sql(`insert into notices (id, principal_id, fact, kind, channel, target, event_type, state, error)
          select 'ntf_' || principal_id, principal_id, principal_id, 'lifecycle_event', 'webhook', principal_id,
            'organization_past_due', 'failed_permanent', 'The answer was 301 and leads to https://login.example.com/.'
          from operator_contacts on conflict do nothing`);
        return entered;
      };
      await expectUsable(shown, look, [
        { path: '/you/notices', sign: 'By mail' },
        { path: '/you/notices?tab=chats', sign: 'Operations of the whole company' },
        { path: '/you/notices?tab=chats&dialog=connect', sign: 'What you call it' },
        { path: '/you/notices?tab=chats&dialog=rule', sign: 'Types, separated by commas' },
        { path: '/you/notices?tab=log', sign: 'Organization past due' },
        { path: '/you', sign: 'What you are told' },
      ]);
    },
    120_000,
  );
});
