import type { Mailer } from '../../engines/mail/mailer.ts';
import type { Services } from '../../kernel/run/context.ts';
import { operations } from '../../resolvers/index.ts';
import { keepLeaseMode } from '../../resolvers/orgs/shared/lease-mode.ts';
import { startMessageMirror } from '../../resolvers/rooms/start-message-mirror.ts';
import { sweepAbandoned } from '../housekeeping.ts';
import { jobContext, startWorkers } from '../workers.ts';
import { wakeLeased } from './leased.ts';
import type { Start } from './part.ts';

/** What this node does without a request: what a start has to put right, and the jobs. */
export async function startJobs(
  { options, lifecycle, metrics }: Start,
  services: Services,
  { mailer, alone, draining }: { readonly mailer: Mailer; readonly alone: boolean; readonly draining: AbortSignal },
): Promise<void> {
  const { databaseUrl, log } = options;
  // Before the job that moves organizations whose lease has ended.
  const pinned = await keepLeaseMode(jobContext(services, draining));
  if (pinned > 0) log.info({ organizations: pinned }, 'Leases are off: organizations no longer expire.');
  // No other node works on this database, so whatever seems to be worked on was left behind by a crash.
  if (alone) await sweepAbandoned(services.db);
  if (options.jobs === false) return;
  const byName = new Map(operations.map((operation) => [operation.name as string, operation]));
  const workers = await startWorkers({ url: databaseUrl, services, mailer, operations: byName, log, metrics });
  lifecycle.onDrain('workers', workers.stop);
  wakeLeased(services);
}

/** Has messages of rooms told as events. @param services known by the time that it is woken */
export function startMirror({ options, lifecycle }: Start, services: () => Services): Services['messageMirror'] {
  if (options.jobs === false) return { wake: () => {} };
  const mirror = startMessageMirror((signal) => jobContext(services(), signal));
  lifecycle.onDrain('message mirror', mirror.stop);
  return mirror;
}
