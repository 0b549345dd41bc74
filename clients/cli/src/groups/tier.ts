import type { Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { operationCommand, take } from '../operation-command.ts';
import { rows } from '../operations/tier.ts';

export const group: Group = {
  name: 'tier',
  about: [
    'svc tier: hobby and team have larger limits than prototype. `svc tier list` says what each costs here, if anything.',
  ],
  commands: everyCommand(rows, [
    operationCommand('tier list', rows['tiers.list'], { examples: [['What there is', 'tier list']] }),
    operationCommand('tier status', rows['tiers.getStatus'], {
      examples: [['Tier and use', 'tier status']],
    }),
    operationCommand('tier set', rows['tiers.set'], {
      takes: [take('tier')],
      about: [
        'A tier costs nothing unless the gateway has leases on. Then it is paid from the prepaid balance of the organization, or, where that does not do, from the wallet by x402: up to --max-usd-micros.',
      ],
      examples: [
        ['Larger limits', 'tier set hobby'],
        ['Where a lease costs five dollars', 'tier set hobby --max-usd-micros 5000000'],
      ],
    }),
  ]),
};
