import type { Group } from '../command.ts';
import { operationCommand, take } from '../operation-command.ts';
import { rows } from '../rows/agent.ts';

export const group: Group = {
  name: 'agent',
  about: ['svc agent: whom notices about your organizations go to, and what is known of the address.'],
  commands: [
    operationCommand('agent contact', rows['operator.setContact'], {
      about: ['A new mail address has to be verified: a link is mailed to it.'],
      examples: [['Name somebody', 'agent contact --name "Ada" --email ada@example.com']],
    }),
    operationCommand('agent status', rows['operator.getContact'], { examples: [['Who is it', 'agent status']] }),
    operationCommand('agent operator-status', rows['operator.getStatus'], {
      examples: [['Does a person hear of it?', 'agent operator-status --human']],
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
  ],
};
