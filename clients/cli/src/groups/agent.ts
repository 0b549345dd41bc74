import type { Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { badUsage } from '../failure.ts';
import { operationCommand, take } from '../operation-command.ts';
import { rows } from '../operations/agent.ts';

export const group: Group = {
  name: 'agent',
  about: ['svc agent: whom notices about your organizations go to, and what is known of the address.'],
  commands: everyCommand(rows, [
    operationCommand('agent contact', rows['operator.setContact'], {
      about: ['The link that verifies an address is mailed to it. What is not given stays as it is.'],
      texts: {
        email: 'Mail address.',
        webhook: 'Where notices are to be posted once they can be signed, and not before.',
      },
      more: [
        { name: 'no-email', type: 'boolean', about: 'Take the mail address away.' },
        { name: 'no-webhook', type: 'boolean', about: 'Take the webhook away.' },
      ],
      set: ({ flags }) =>
        Object.fromEntries(
          ['email', 'webhook'].flatMap((name) => {
            if (!flags.is(`no-${name}`)) return [];
            if (flags.text(name) !== undefined)
              throw badUsage(`--${name} and --no-${name} exclude each other.`, { field: name });
            return [[name, null]];
          }),
        ),
      examples: [
        ['Name somebody', 'agent contact --name "Ada" --email ada@example.com'],
        ['By mail no more', 'agent contact --name "Ada" --no-email'],
      ],
    }),
    operationCommand('agent status', rows['operator.getContact'], { examples: [['Who is it', 'agent status']] }),
    operationCommand('agent operator-status', rows['operator.getStatus'], {
      examples: [['Does a person hear of it?', 'agent operator-status']],
    }),
    operationCommand('agent verify-email', rows['operator.sendVerification'], {
      examples: [['Mail the link again', 'agent verify-email']],
    }),
    operationCommand('agent confirm-email', rows['operator.confirmEmail'], {
      takes: [take('token')],
      examples: [['With what the link brought', 'agent confirm-email 3f9c…']],
    }),
    operationCommand('agent passkey enroll', rows['operator.enrollPasskey'], {
      examples: [['Have the link mailed', 'agent passkey enroll']],
    }),
  ]),
};
