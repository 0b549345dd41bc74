import type { Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { readText } from '../input.ts';
import { operationCommand, take } from '../operation-command.ts';
import { rows } from '../operations/redeem.ts';

export const group: Group = {
  name: 'redeem',
  about: ['svc redeem: what a voucher is worth goes into the prepaid balance.'],
  commands: everyCommand(rows, [
    operationCommand('redeem', rows['vouchers.redeem'], {
      takes: [take('code')],
      texts: { code: 'The code; letter case and hyphens make no difference. - reads it from standard input.' },
      set: async ({ cli, positionals: { code } }) => (code === '-' ? { code: (await readText(cli, '-')).trim() } : {}),
      examples: [
        ['For the wallet’s organization', 'redeem 7KQ2-M9XA-4TZB-WE3C'],
        ['Not to be seen on this machine', 'redeem -'],
      ],
    }),
  ]),
};
