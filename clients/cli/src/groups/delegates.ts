import type { Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { operationCommand, take } from '../operation-command.ts';
import { rows } from '../operations/delegates.ts';

const delegate = take('delegate', { name: 'delegate_id' });

export const group: Group = {
  name: 'delegates',
  about: [
    'svc delegates: a delegate narrows a grant, and has a token of its own for an agent. Put the token in SVC_DELEGATE_TOKEN: it then goes before every wallet.',
  ],
  commands: everyCommand(rows, [
    operationCommand('delegates create', rows['delegates.create'], {
      takes: [take('project')],
      flags: { grant: 'grant', expires_at: 'expires' },
      about: ['The token is printed this once, and kept nowhere.'],
      examples: [
        ['A token for an agent that works on the project', 'delegates create --for agent'],
        [
          'A token that reads',
          `delegates create --grant 9f2d7c1e-4b0a-4c57-8d11-2f6a1c3b5e70 --scope '{"v":1,"capabilities":["read"]}'`,
        ],
      ],
    }),
    operationCommand('delegates list', rows['delegates.list'], {
      takes: [take('project')],
      examples: [['Those that hold first', 'delegates list']],
    }),
    operationCommand('delegates rotate', rows['delegates.rotate'], {
      takes: [take('project'), delegate],
      about: ['The new token is printed this once; the old one ends at once.'],
      examples: [['A new token', 'delegates rotate 9f2d7c1e-4b0a-4c57-8d11-2f6a1c3b5e70']],
    }),
    operationCommand('delegates revoke', rows['delegates.revoke'], {
      takes: [take('project'), delegate],
      examples: [['End it', 'delegates revoke 9f2d7c1e-4b0a-4c57-8d11-2f6a1c3b5e70']],
    }),
  ]),
};
