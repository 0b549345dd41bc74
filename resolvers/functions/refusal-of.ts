import { ServiceError } from '../../core/errors.ts';
import type { FunctionFailure } from '../../engines/sandbox/runner.ts';

/**
 * A failure of a function as its caller is told: without the error's own text, which may name what only the project's
 * developers should read. They find it in the logs by the request's id.
 */
export function refusalOf(
  { name }: { readonly name: string },
  requestId: string,
  failure: FunctionFailure,
): ServiceError {
  const details = { function: name, request_id: requestId };
  switch (failure.kind) {
    case 'timeout':
      return new ServiceError('FUNCTION_TIMEOUT', { details: { ...details, timeout_ms: failure.timeoutMs } });
    case 'threw':
      return new ServiceError('FUNCTION_FAILED', { details });
    case 'out_of_memory':
      return new ServiceError('FUNCTION_CRASHED', { details: { ...details, reason: 'out_of_memory' } });
    case 'too_large':
      return new ServiceError(failure.part === 'request' ? 'BODY_TOO_LARGE' : 'ROUTED_RESPONSE_TOO_LARGE', {
        details: { ...details, limit_bytes: failure.bytesMax },
      });
    case 'busy':
      return new ServiceError('FUNCTION_BUSY', { retryAfter: 1, details });
    case 'cancelled':
      return new ServiceError('FUNCTION_BUSY', { retryAfter: 1, details: { ...details, reason: 'cancelled' } });
    default:
      return new ServiceError('FUNCTION_CRASHED', { details: { ...details, reason: failure.kind } });
  }
}
