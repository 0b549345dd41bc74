import type { Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { operationCommand, take } from '../operation-command.ts';
import { rows } from '../operations/grants.ts';

export const group: Group = {
  name: 'grants',
  about: ['svc grants: a grant lets a wallet do one thing on one project, without being a member of its organization.'],
  commands: everyCommand(rows, [
    operationCommand('grants create', rows['grants.create'], {
      takes: [take('project'), take('wallet'), take('capability')],
      flags: { expires_at: 'expires' },
      examples: [
        ['Let a wallet read', 'grants create prj_0kz3m 0x00000000000000000000000000000000000000a1 read'],
        [
          'Until the end of the year',
          'grants create prj_0kz3m 0x00000000000000000000000000000000000000a1 deploy --expires 2026-12-31T23:59:59Z',
        ],
      ],
    }),
    operationCommand('grants list', rows['grants.list'], {
      takes: [take('project')],
      examples: [['Who may do what', 'grants list']],
    }),
    operationCommand('grants revoke', rows['grants.revoke'], {
      takes: [take('project'), take('grant', { name: 'grant_id' })],
      examples: [['End a grant', 'grants revoke prj_0kz3m 9f2d7c1e-4b0a-4c57-8d11-2f6a1c3b5e70']],
    }),
  ]),
};
