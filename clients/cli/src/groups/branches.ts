import type { Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { refuseFailed } from '../failure.ts';
import { operationCommand, take } from '../operation-command.ts';
import { rows } from '../operations/branches.ts';

const approval = ({ project }: Readonly<Record<string, unknown>>) => ({
  action: 'project.branches.manage' as const,
  project_id: project as string,
});

export const group: Group = {
  name: 'branches',
  about: [
    'svc branches: projects that are made from another one for a while, to try things on.',
    'A branch has keys and hosts of its own. Its mails stay inside, and its schedules rest unless told otherwise.',
  ],
  commands: everyCommand(rows, [
    operationCommand('branches create', rows['branches.create'], {
      takes: [take('project')],
      approval,
      examples: [
        ['Of the project of this folder, for a week', 'branches create'],
        ['As it was, for a day', 'branches create --from-snapshot-id snap_01jzk3 --ttl-days 1'],
      ],
      shown: refuseFailed,
    }),
    operationCommand('branches list', rows['branches.list'], {
      takes: [take('project')],
      columns: ['branch_project_id', 'name', 'status', 'branch_url', 'expires_at'],
      examples: [['What there is', 'branches list']],
      empty: 'No branches. Make one with svc branches create.',
    }),
    operationCommand('branches renew', rows['branches.renew'], {
      takes: [take('branch', { name: 'branch_project_id' })],
      approval,
      examples: [['For another two weeks', 'branches renew prj_01jzk3 --ttl-days 14']],
    }),
    operationCommand('branches delete', rows['branches.delete'], {
      takes: [take('branch', { name: 'branch_project_id' })],
      approval,
      examples: [['For good', 'branches delete prj_01jzk3']],
    }),
  ]),
};
