import { randomInt, randomUUID } from 'node:crypto';
import { revive } from '../helpers/revive.ts';
import type { Service } from '../helpers/service.ts';
import { offersOf } from '../transfers/offers.ts';
import { type Changes, type Home, sender } from './change.ts';

/** Every change to projects. */
export function projectChanges(service: Service, home: Home): Changes {
  const send = sender(service);
  /** Projects beside that of the home: one in use, one that is put away. */
  let spare: string;
  let shelved: string;
  /** One that is offered to somebody, and the offer. */
  let offered: string;
  let offer: string;
  const offers = offersOf(service);
  const projectBeside = async () => {
    const body = { org_id: home().orgId };
    return (await service.call<Record<string, string>>(home().wallet, 'POST', '/projects/v1', { body })).body
      .project_id!;
  };
  const setArchived = (projectId: string, archived: boolean) =>
    service.control.sql('update projects set archived_at = case when $2 then now() end where id = $1', [
      projectId,
      archived,
    ]);
  const project = {
    kind: 'project',
    objectId: ({ project_id }: Record<string, string>) => project_id!,
    written: 'select xmin::text from projects where id = $1',
  };
  /** The row itself is written again when its database stands or is gone; the job that looks after it is not. */
  const writtenByJob = (operation: string) => `select j.xmin::text from graphile_worker._private_jobs j
    join step_operations s on s.id = j.key where s.operation = '${operation}' and s.ref ->> 'projectId' = $1`;
  return {
    adminOnly: ['projects.archive', 'projects.reactivate'],
    async prepare() {
      spare = await projectBeside();
      shelved = await projectBeside();
      offered = await projectBeside();
      await setArchived(shelved, true);
    },
    changes: [
      {
        operation: 'functions.runTrigger',
        prepare: () =>
          service.control.sql(
            `insert into function_schedules (org_id, project_id, function, trigger_id, release_id, cron, timezone, run)
             select org_id, id, 'worker', 'nightly', 'rel_none', '0 3 * * *', 'UTC', '{"eventType":"nightly","payload":{}}'
             from projects where id = $1 on conflict do nothing`,
            [spare],
          ),
        action: 'function_trigger.fired',
        kind: 'function_run',
        send: send('POST', () => `/projects/v1/${spare}/functions/worker/triggers/nightly/run`),
        objectId: ({ run }) => (run as unknown as { readonly run_id: string }).run_id,
        written: `select xmin::text from feed_changes where object_id = $1 and change ->> 'status' = 'queued'
          order by position limit 1`,
      },
      {
        ...project,
        operation: 'projects.create',
        action: 'project.created',
        send: send(
          'POST',
          () => '/projects/v1',
          () => ({ org_id: home().orgId }),
        ),
        written: writtenByJob('projects.create'),
      },
      {
        ...project,
        operation: 'projects.rename',
        action: 'project.renamed',
        send: send(
          'PATCH',
          () => `/projects/v1/${spare}`,
          () => ({ name: randomUUID() }),
        ),
      },
      {
        ...project,
        operation: 'projects.setRepoName',
        action: 'project.repo_name_set',
        send: send(
          'POST',
          () => `/projects/v1/${spare}/repo-name`,
          () => ({ name: randomUUID() }),
        ),
      },
      {
        ...project,
        operation: 'projects.setMaxAffected',
        action: 'project.max_affected_set',
        send: send(
          'POST',
          () => `/projects/v1/${spare}/max-affected`,
          () => ({ rows: randomInt(1, 1_000_000) }),
        ),
      },
      {
        ...project,
        operation: 'transfers.initiate',
        action: 'project.offered',
        prepare: () => offers.clear(offered),
        send: send(
          'POST',
          () => `/projects/v1/${offered}/transfers`,
          () => ({ to_wallet: '0x00000000000000000000000000000000000000a1' }),
        ),
        objectId: () => offered,
        restore: () => offers.clear(offered),
      },
      {
        ...project,
        operation: 'transfers.cancel',
        action: 'project.offer_cancelled',
        prepare: async () => {
          offer = await offers.put(offered, 'wallet', '0x00000000000000000000000000000000000000a1');
        },
        send: send('POST', () => `/agent/v1/transfers/${offer}/cancel`),
        objectId: () => offered,
      },
      {
        ...project,
        operation: 'projects.archive',
        action: 'project.archived',
        send: send('POST', () => `/projects/v1/admin/${spare}/archive`),
        restore: () => setArchived(spare, false),
      },
      {
        ...project,
        operation: 'projects.reactivate',
        action: 'project.reactivated',
        send: send('POST', () => `/projects/v1/admin/${shelved}/reactivate`),
        restore: () => setArchived(shelved, true),
      },
      {
        ...project,
        operation: 'projects.delete',
        action: 'project.deleted',
        send: send('DELETE', () => `/projects/v1/${spare}`),
        written: writtenByJob('projects.delete'),
        restore: () => revive(service, spare),
      },
    ],
  };
}
