import { ServiceError } from '../../core/errors.ts';

/** Projects whose data is closed while their migrations run. */
export interface Gates {
  /** As this node knows it: it may hear of a gate a moment later than it closes. */
  readonly isClosed: (projectId: string) => boolean;
  /** To be told that a gate was closed or opened here: this node and the others look again. */
  readonly changed: () => void;
}

/** @throws MIGRATE_GATE_ACTIVE while migrations of the project run */
export function refuseWhileGated(gates: Gates, projectId: string): void {
  if (gates.isClosed(projectId)) throw new ServiceError('MIGRATE_GATE_ACTIVE', { retryAfter: 1 });
}
