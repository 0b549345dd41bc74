import { RateLimiter } from '../../kernel/limits/rate-limit.ts';
import { dropDatabases, type NamedDatabase, type Service, startService } from './service.ts';

let running: Promise<Service> | undefined;

/**
 * The gateway that the files of one worker share, on one database. It is for files that look at what they made, and at
 * nothing else: whoever counts, lists or stops what is everybody's, or needs settings, starts a gateway of its own with
 * `startService()`.
 *
 * @returns the gateway; `stop` takes away the projects that the file made, and leaves it running
 */
export async function sharedService(): Promise<Service> {
  running ??= startService();
  const service = await running;
  const { control, app, nodes } = service;
  // All files come from one address, and none has the tries of another, nor its log.
  for (const { services } of nodes) Object.assign(services, { rateLimiter: new RateLimiter() });
  await control.sql('delete from sign_in_tries');
  service.forgetLogged();
  const [before] = await control.sql<{ now: Date }>('select clock_timestamp() as now');
  return {
    ...service,
    async stop() {
      const made = await control.sql<NamedDatabase>(
        `update projects set state = 'deleted', deleted_at = coalesce(deleted_at, now()) where created_at >= $1
          returning database_name, role_name`,
        [before!.now],
      );
      await dropDatabases(app, made);
    },
  };
}
