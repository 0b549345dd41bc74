import type { ErrorCode, NextAction } from '../../core/error-codes.ts';
import { type ErrorEnvelope, ServiceError } from '../../core/errors.ts';
import type { PlatformIncident } from '../../db/schema/incidents.ts';

/** An incident that is open, with the projects it is attributed to. */
export interface KnownIncident extends Pick<PlatformIncident, 'id' | 'subsystem' | 'scope'> {
  readonly projectIds: readonly string[];
}

/** The incidents that are open, as this node knows them: no request waits to hear of them. */
export interface IncidentWatch {
  readonly open: () => readonly KnownIncident[];
  /** Tells this node and the others that one was declared or resolved. Called after the commit; never throws. */
  readonly changed: () => void;
}

/** The refusals that a fault of each subsystem may be behind. Contract 02, section 0.2. */
const codesOf: Readonly<Record<PlatformIncident['subsystem'], readonly ErrorCode[]>> = {
  functions: ['SVC_SSR_RUNTIME_ERROR', 'INTERNAL_ERROR', 'UPSTREAM_UNAVAILABLE'],
  database: ['INTERNAL_ERROR', 'UPSTREAM_UNAVAILABLE', 'SERVICE_UNAVAILABLE', 'PROJECT_NOT_READY'],
  mail: ['UPSTREAM_UNAVAILABLE'],
  storage: ['INTERNAL_ERROR', 'UPSTREAM_UNAVAILABLE'],
  edge: ['INTERNAL_ERROR', 'UPSTREAM_UNAVAILABLE', 'SERVICE_UNAVAILABLE', 'REQUEST_TIMEOUT'],
  deploy: ['INTERNAL_ERROR', 'UPSTREAM_UNAVAILABLE', 'PROJECT_NOT_READY'],
};

/** The projects that refusals are about, where one document asks several things of several projects. */
const addressed = new WeakMap<object, string>();

/**
 * Notes which project a refusal is about, so that the surface that renders it names its incidents.
 *
 * @returns the refusal; another one of it where what failed was to serve several projects at once
 */
export function concerning(refusal: unknown, projectId: string | undefined): unknown {
  if (projectId === undefined || typeof refusal !== 'object' || refusal === null) return refusal;
  const known = addressed.get(refusal);
  const own =
    known === undefined || known === projectId || refusal instanceof ServiceError
      ? refusal
      : new Error('What was to serve several projects failed.', { cause: refusal });
  addressed.set(own, projectId);
  return own;
}

/** The project that a refusal was noted to be about. */
export const projectConcerned = (refusal: unknown): string | undefined =>
  typeof refusal === 'object' && refusal !== null ? addressed.get(refusal) : undefined;

/**
 * Adds to a refusal the open incident that its code goes together with. One that is attributed to projects shows only
 * where one of them is addressed. It is a correlation, not an exoneration.
 *
 * @param projectId that was addressed; undefined: none that is known
 */
export function correlate(
  envelope: ErrorEnvelope,
  incidents: Pick<IncidentWatch, 'open'>,
  projectId?: string,
): ErrorEnvelope {
  const open = incidents.open();
  if (open.length === 0) return envelope;
  const found = open.find(
    ({ subsystem, scope, projectIds }) =>
      codesOf[subsystem].includes(envelope.code) &&
      (scope === 'global' || (projectId !== undefined && projectIds.includes(projectId))),
  );
  if (found === undefined) return envelope;
  return {
    ...envelope,
    correlated_platform_incident: { id: found.id, subsystem: found.subsystem, status: 'ongoing' },
    next_actions: [...envelope.next_actions, poll],
  };
}

const poll: NextAction = {
  type: 'poll',
  method: 'GET',
  path: '/projects/v1/:project_id/events',
  why: 'A fault of the platform’s is open that may be behind this; `platform_status` tells when it is over.',
};
