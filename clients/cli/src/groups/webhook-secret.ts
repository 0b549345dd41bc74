import type { Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { operationCommand } from '../operation-command.ts';
import { rows } from '../operations/webhook-secret.ts';

export const group: Group = {
  name: 'webhook-secret',
  about: ['svc webhook-secret: what notices to your webhook are signed with.'],
  commands: everyCommand(rows, [
    operationCommand('webhook-secret rotate', rows['notices.rotateSecret'], {
      about: [
        'Needs an operator with a passkey: svc agent passkey enroll. Nothing is posted before there is a secret.',
      ],
      examples: [['A new secret, shown this once', 'webhook-secret rotate']],
    }),
  ]),
};
