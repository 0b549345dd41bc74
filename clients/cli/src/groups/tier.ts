import type { Group } from '../command.ts';
import { operationCommand, take } from '../operation-command.ts';
import { rows } from '../rows/tier.ts';

export const group: Group = {
  name: 'tier',
  about: ['svc tier: prototype is free; hobby and team have larger limits, and a lease that is renewed.'],
  commands: [
    operationCommand('tier list', rows['tiers.list'], { examples: [['What there is', 'tier list']] }),
    operationCommand('tier status', rows['tiers.getStatus'], {
      examples: [['Tier, lease and use', 'tier status']],
    }),
    operationCommand('tier set', rows['tiers.set'], {
      takes: [take('tier')],
      about: [
        'Paid from the prepaid balance of the organization, or, where that does not do, from the wallet by x402: up to --max-usd-micros.',
      ],
      examples: [
        ['The free tier', 'tier set prototype'],
        ['For five dollars', 'tier set hobby --max-usd-micros 5000000'],
      ],
    }),
  ],
};
