import { invalidField, ServiceError } from '../../core/errors.ts';
import { type AiEngine, AiFault, type AiKind } from '../../engines/ai/ai-engine.ts';
import type { Context } from '../../kernel/run/context.ts';

declare module '../../kernel/run/context.ts' {
  interface Services {
    /** Models that are asked over the network. */
    readonly ai: AiEngine;
  }
}

/** Seconds that a caller waits where a server does not say for how long it is busy. */
const busySeconds = 10;

/** @throws AI_NOT_CONFIGURED */
export function requireModel({ ai }: Pick<Context['services'], 'ai'>, kind: AiKind): void {
  if (!ai.offers(kind)) throw new ServiceError('AI_NOT_CONFIGURED', { details: { kind } });
}

/**
 * Asks a model. Neither what it is asked nor what it says is logged.
 *
 * @throws RATE_LIMITED where its server is busy; UPSTREAM_UNAVAILABLE with 502 for no answer; VALIDATION_FAILED for a
 * prompt that the model refuses; REQUEST_TIMEOUT where nobody waits any more
 */
export async function askModel<Answer>(
  { services: { ai, log }, signal }: Pick<Context, 'services' | 'signal'>,
  kind: AiKind,
  ask: (ai: AiEngine, signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ask(ai, signal);
  } catch (error) {
    if (!(error instanceof AiFault)) throw error;
    const { reason, status, retryAfter = busySeconds } = error;
    if (reason === 'aborted') throw new ServiceError('REQUEST_TIMEOUT');
    log.warn({ kind, reason, status }, 'A model gave no answer.');
    if (reason === 'limited')
      throw new ServiceError('RATE_LIMITED', {
        message: 'The model is busy.',
        retryAfter,
        details: { kind, retry_after: retryAfter },
      });
    if (reason === 'prompt') throw invalidField('prompt', 'the model refuses to make this');
    throw new ServiceError('UPSTREAM_UNAVAILABLE', {
      message: 'The model gave no answer that is of use. Nothing was charged.',
      status: 502,
      details: { kind, reason },
      mutationState: 'not_started',
    });
  }
}
