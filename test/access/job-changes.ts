import { randomUUID } from 'node:crypto';
import type { Service } from '../helpers/service.ts';
import { type Changes, type Home, sender } from './change.ts';

/** Changes of jobs that need a key, or leave nothing of what they change. */
export function jobChanges(service: Service, home: Home): Changes {
  const send = sender(service);
  const all = () => `/jobs/v1/runs?project_id=${home().projectId}`;
  return {
    adminOnly: [],
    withServiceKey: ['jobs.submit', 'jobs.purge'],
    changes: [
      {
        operation: 'jobs.submit',
        action: 'job.submitted',
        kind: 'job',
        send: send(
          'POST',
          all,
          () => ({ job_type: 'sleep', input: { input_json: { seconds: 600 } }, max_cost_usd_micros: 10_000 }),
          () => ({ 'idempotency-key': randomUUID() }),
        ),
        objectId: ({ job_id }) => job_id!,
        // A node goes on with the job itself.
        written: `select xmin::text from ledger_entries where reference_type = 'job' and reference_id = $1 and kind = 'hold'`,
      },
      {
        operation: 'jobs.purge',
        action: 'jobs.purged',
        kind: 'project',
        async prepare() {
          await service.control.sql('delete from job_logs where project_id = $1', [home().projectId]);
          await service.control.sql(
            `insert into managed_jobs (id, org_id, project_id, type, input, idempotency_key, intent, cap_usd_micros,
               per_job_usd_micros, per_second_usd_micros, due_at)
             select 'job_purged', org_id, id, 'echo', '{}', 'purged', 'x', 0, 0, 0, now() + interval '1 day'
             from projects where id = $1 on conflict do nothing`,
            [home().projectId],
          );
        },
        send: send('DELETE', all),
        objectId: () => home().projectId,
        written: `select distinct xmin::text from job_logs where project_id = $1`,
      },
    ],
  };
}
