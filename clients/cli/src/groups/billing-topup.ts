import { writeFile } from 'node:fs/promises';
import type { Cli } from '../cli.ts';
import type { Command } from '../command.ts';
import { Failure, passes } from '../failure.ts';
import { writablePath } from '../input.ts';
import { perform } from '../operation-command.ts';
import { rows } from '../operations/billing.ts';
import { note, pause } from '../progress.ts';
import { orgFlag, requireOrg } from '../resolve.ts';

/** Exit code of a wait that ends without a payment. */
const unpaid = 2;
const everyMs = 2_000;

const isOpen = (status: unknown): boolean => status === 'creating' || status === 'pending';

export const topup: Command = {
  words: 'billing topup',
  summary: 'Make a lightning invoice for the prepaid balance, and with --wait see it paid.',
  about: [
    'The value in dollars is fixed when the invoice is made, and credited once, also when it is paid up to an hour after its end. Each step is one JSON document on a line.',
  ],
  flags: [
    { name: 'sats', type: 'integer', required: true, about: 'What the invoice asks for, 100 to 1,000,000.' },
    { name: 'wait', type: 'boolean', about: 'Look every two seconds until it is paid or has ended.' },
    { name: 'timeout', type: 'integer', min: 1, max: 7_200, about: 'Longest wait in seconds: 600 unless told.' },
    {
      name: 'qr',
      type: 'string',
      placeholder: 'file',
      about: 'Write the invoice as a QR code: a PNG, or an SVG for a name in .svg.',
    },
    {
      name: 'idempotency-key',
      type: 'string',
      placeholder: 'key',
      about: 'The same key answers the same invoice; made up unless named.',
    },
    orgFlag,
  ],
  examples: [['Ten thousand sats', 'billing topup --sats 10000 --wait --qr invoice.png']],
  exits: { [unpaid]: 'the invoice ended, or --timeout was over, without a payment' },
  operations: ['billing.createCheckout', 'billing.getCheckout'],
  streams: true,
  async run({ cli, flags, line, exitWith }) {
    const org = await requireOrg(cli, { '--org': flags.text('org') });
    const file = flags.text('qr');
    const picture = file === undefined ? undefined : await writablePath(cli, file);
    let shown = await perform(
      cli,
      rows['billing.createCheckout'],
      { org, product: 'balance_topup', rail: 'lightning', amount_sats: flags.number('sats') },
      { flags },
    );
    line(shown);
    if (picture !== undefined) await writeQr(picture, String(shown.bolt11));
    if (!flags.is('wait')) return undefined;
    const endsAt = Date.now() + (flags.number('timeout') ?? 600) * 1000;
    while (isOpen(shown.status)) {
      if (Date.now() >= endsAt || cli.signal.aborted) break;
      await pause(cli, everyMs);
      const next = await look(cli, org, String(shown.topup_id));
      if (next === undefined || next.status === shown.status) continue;
      shown = next;
      line(shown);
    }
    if (shown.status !== 'paid' && shown.status !== 'paid_late') exitWith(unpaid);
    return undefined;
  },
};

/** @returns undefined where the gateway could not be asked: the invoice is there all the same */
async function look(cli: Cli, org: string, topup: string): Promise<Record<string, unknown> | undefined> {
  try {
    return await perform(cli, rows['billing.getCheckout'], { org, topup });
  } catch (error) {
    if (!cli.signal.aborted && !(error instanceof Failure && passes(error))) throw error;
    note(cli, 'The gateway could not be asked; looking again.');
    return undefined;
  }
}

async function writeQr(file: string, bolt11: string): Promise<void> {
  const { qrImage } = await import('../qr-image.ts');
  await writeFile(file, qrImage(bolt11.toUpperCase(), file.toLowerCase().endsWith('.svg') ? 'svg' : 'png'));
}
