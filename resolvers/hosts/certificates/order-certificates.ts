import { GuardedFetchError } from '../../../core/guarded-fetch.ts';
import { AcmeError } from '../../../engines/acme/acme-error.ts';
import { type IssuedCertificate, orderCertificate } from '../../../engines/acme/order.ts';
import type { Task, TaskContext } from '../../../kernel/run/task.ts';
import type { CertificateAuthority } from '../services.ts';
import { forgetAccount, openAccount, pausedUntil, pauseOrders } from './acme-account.ts';
import { dueHost, keepCertificate, noteFailure, orderedLately } from './certificate-rows.ts';
import { challengeBoard } from './challenges.ts';
import { renewalMoment, retryMoment } from './schedule.ts';
import { noteWantedHosts } from './wanted-hosts.ts';

export const orderCertificatesTask = 'order-certificates';

/** Orders that are begun in one hour at most: public authorities allow a few hundred in three. */
const ordersPerHour = 60;

/** How long an authority is left alone that has had enough and does not say for how long, in seconds. */
const pauseSeconds = 3_600;

/** Orders the certificates that are due, one after the other, each by the one node that holds its lease. */
export const orderCertificates: Task = async (job) => {
  const { services, signal } = job.ctx;
  const { certificateAuthority: authority } = services;
  if (authority === undefined) return;
  await noteWantedHosts(services);
  for (;;) {
    signal.throwIfAborted();
    const until = await pausedUntil(services, authority);
    if (until !== undefined && until > services.now()) return;
    if ((await orderedLately(services)) >= ordersPerHour) return;
    const host = await dueHost(services);
    if (host === undefined) return;
    await orderOne(job, authority, host);
  }
};

async function orderOne({ ctx, log }: TaskContext, authority: CertificateAuthority, host: string): Promise<void> {
  const { services, signal } = ctx;
  try {
    const { session, url } = await openAccount(services, authority, signal);
    const board = challengeBoard(services, host);
    const issued: IssuedCertificate = await orderCertificate({ session, account: url, host, board, signal });
    await keepCertificate(services, host, issued, renewalMoment(issued));
    log.info({ host, not_after: issued.notAfter.toISOString() }, 'A certificate was issued.');
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AcmeError) && !(error instanceof GuardedFetchError)) throw error;
    await settleFailure(services, authority, host, error);
    log.warn({ host, problem: error.message }, 'A certificate could not be ordered; it is tried again later.');
  }
}

async function settleFailure(
  services: TaskContext['ctx']['services'],
  authority: CertificateAuthority,
  host: string,
  error: AcmeError | GuardedFetchError,
): Promise<void> {
  const type = error instanceof AcmeError ? error.type : 'unreachable';
  if (type === 'accountDoesNotExist') await forgetAccount(services, authority);
  // Neither is the host's fault, and every other order would meet the same.
  if (type === 'rateLimited' || type === 'unreachable') {
    const told = error instanceof AcmeError ? error.retryAfterSeconds : undefined;
    await pauseOrders(services, authority, told ?? (type === 'unreachable' ? pauseSeconds / 6 : pauseSeconds));
  }
  await noteFailure(services, host, `${type}: ${error.message}`, (failures) => retryMoment(failures, services.now()));
}
