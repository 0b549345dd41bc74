import type { Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { operationCommand } from '../operation-command.ts';
import { rows } from '../operations/cdn.ts';

export const group: Group = {
  name: 'cdn',
  about: ['svc cdn: whether what is served is what was published.'],
  commands: everyCommand(rows, [
    operationCommand('cdn wait-fresh', rows['assets.waitFresh'], {
      examples: [
        [
          'After an asset was changed',
          `cdn wait-fresh --url https://pr-abc.example.com/_blob/logo.png --sha256 ${'0'.repeat(64)}`,
        ],
      ],
    }),
  ]),
};
