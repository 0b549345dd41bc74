import { projectRate } from '../../kernel/limits/limits.ts';
import type { Service } from './service.ts';

/** What somebody asks of a project in a minute who never waits. */
export const minuteOfRequests = 60 * projectRate.perSecond;

/** As if a project had been asked so often, on every node; below zero, as if it had been asked so much less. */
export function chargeProject(service: Pick<Service, 'nodes'>, projectId: string, requests: number): void {
  for (const { services } of service.nodes) services.rateLimiter.charge(`project:${projectId}`, projectRate, requests);
}

/** Gives a project its whole rate back: for tests that ask more than it may in a second. */
export const giveRateBack = (service: Pick<Service, 'nodes'>, projectId: string): void =>
  chargeProject(service, projectId, -projectRate.burst);
