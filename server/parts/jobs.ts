import type { Mailer } from '../../engines/mail/mailer.ts';
import type { LeasedWork } from '../../kernel/durability/leased-work.ts';
import type { Services } from '../../kernel/run/context.ts';
import type { startRunWorkers } from '../../resolvers/functions/runs/run-workers.ts';
import { operations } from '../../resolvers/index.ts';
import { keepLeaseMode } from '../../resolvers/orgs/shared/lease-mode.ts';
import { startMessageMirror } from '../../resolvers/rooms/start-message-mirror.ts';
import { sweepAbandoned } from '../housekeeping.ts';
import { jobContext, startWorkers } from '../workers.ts';
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
  services.functionRuns.wake();
  services.copies.wake();
  services.branchWork.wake();
  services.webhookDeliveries.wake();
}

/**
 * Works on leased rows on this node.
 *
 * @param name of what is worked on
 * @param services known by the time that it is woken
 */
export function startLeased(
  { options, lifecycle }: Start,
  name: string,
  start: typeof startRunWorkers,
  services: () => Services,
): LeasedWork {
  let started: ReturnType<typeof startRunWorkers> | undefined;
  if (options.jobs === false) return { wake: () => {}, abort: () => {} };
  lifecycle.onDrain(name, async () => started?.stop());
  const workers = () => (started ??= start(services(), (signal) => jobContext(services(), signal)));
  return { wake: () => workers().wake(), abort: (id) => workers().abort(id) };
}

/** Has messages of rooms told as events. @param services known by the time that it is woken */
export function startMirror({ options, lifecycle }: Start, services: () => Services): Services['messageMirror'] {
  if (options.jobs === false) return { wake: () => {} };
  const mirror = startMessageMirror((signal) => jobContext(services(), signal));
  lifecycle.onDrain('message mirror', mirror.stop);
  return mirror;
}
