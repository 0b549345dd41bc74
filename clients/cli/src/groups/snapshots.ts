import type { Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { local } from '../failure.ts';
import { operationCommand, take } from '../operation-command.ts';
import { rows } from '../operations/snapshots.ts';

const approval = ({ project }: Readonly<Record<string, unknown>>) => ({
  action: 'project.snapshots.manage' as const,
  project_id: project as string,
});

export const group: Group = {
  name: 'snapshots',
  about: [
    'svc snapshots: copies of the database of a project, each as it was at one moment.',
    'Taking one disturbs nobody. A restore says first what would be lost, and does nothing until that is confirmed.',
  ],
  commands: everyCommand(rows, [
    operationCommand('snapshots create', rows['snapshots.create'], {
      takes: [take('project')],
      approval,
      examples: [['Of the project of this folder', 'snapshots create']],
    }),
    operationCommand('snapshots list', rows['snapshots.list'], {
      takes: [take('project')],
      columns: ['snapshot_id', 'kind', 'status', 'captured_at', 'size_bytes', 'expires_at'],
      examples: [
        ['What there is', 'snapshots list'],
        ['Those that restores took first', 'snapshots list --kind pre_restore'],
      ],
      empty: 'No snapshots. Take one with svc snapshots create.',
    }),
    operationCommand('snapshots get', rows['snapshots.get'], {
      takes: [take('snapshot', { name: 'snapshot_id' })],
      examples: [['How one stands', 'snapshots get snap_01jzk3']],
    }),
    operationCommand('snapshots restore', rows['snapshots.restore'], {
      takes: [take('snapshot', { name: 'snapshot_id' })],
      flags: { include: null },
      texts: { include_auth: 'Users and passkeys go back, too; everybody is signed out.' },
      approval,
      about: ['Without --confirm this prints the plan with its token, which is good for 15 minutes.'],
      examples: [
        ['What would be lost', 'snapshots restore snap_01jzk3'],
        ['With the token of the plan', 'snapshots restore snap_01jzk3 --confirm rst_…'],
      ],
      shown: (answer) => {
        if (answer.status !== 'failed') return answer;
        const { message } = answer.error as { readonly message: string };
        throw local('RESTORE_FAILED', `${message} The project has the database that it had.`);
      },
    }),
    operationCommand('snapshots delete', rows['snapshots.delete'], {
      takes: [take('snapshot', { name: 'snapshot_id' })],
      approval,
      examples: [['For good', 'snapshots delete snap_01jzk3']],
    }),
  ]),
};
