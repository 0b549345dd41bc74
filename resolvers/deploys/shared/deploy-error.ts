import type { ServiceError } from '../../../core/errors.ts';
import type { DeployError } from '../../../db/schema/releases.ts';

/** A refusal as an operation keeps it: the members of the envelope. @param phase in which it failed */
export const deployErrorOf = (
  refusal: ServiceError,
  phase: string,
  { id, planId }: { readonly id: string; readonly planId: string | null },
): DeployError => ({
  code: refusal.code,
  message: refusal.message,
  category: refusal.row.category,
  phase,
  retryable: refusal.row.retryable,
  safe_to_retry: refusal.safeToRetry,
  mutation_state: refusal.mutationState,
  details: refusal.details,
  next_actions: refusal.nextActions,
  ...refusal.extras,
  operation_id: id,
  plan_id: planId,
});
