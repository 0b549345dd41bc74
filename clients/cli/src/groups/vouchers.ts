import type { Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { operationCommand } from '../operation-command.ts';
import { rows } from '../operations/vouchers.ts';

export const group: Group = {
  name: 'vouchers',
  about: ['svc vouchers: codes that are worth promotional credit. `svc redeem` redeems one.'],
  commands: everyCommand(rows, [
    operationCommand('vouchers mint-public', rows['vouchers.mintPublic'], {
      examples: [['Where the gateway gives some away', 'vouchers mint-public']],
    }),
  ]),
};
