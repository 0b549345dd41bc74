import type { CombinedError } from 'urql';

/** A refusal as the gateway spells it, or what stands for one that never came from there. */
export interface Envelope {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly nextActions: readonly NextAction[];
  readonly traceId: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
}

interface NextAction {
  readonly method?: string;
  readonly path?: string;
  readonly command?: string;
  readonly why?: string;
}

/** What to show of a failed query, change or subscription. */
export function envelopeOf(error: unknown): Envelope {
  const { graphQLErrors = [], message } = (error ?? {}) as Partial<CombinedError>;
  const [first] = graphQLErrors;
  const told = (first?.extensions ?? {}) as Record<string, unknown>;
  return {
    code: typeof told.code === 'string' ? told.code : 'NO_ANSWER',
    message: first?.message ?? message ?? 'The gateway did not answer.',
    retryable: told.retryable !== false,
    nextActions: Array.isArray(told.next_actions) ? (told.next_actions as NextAction[]) : [],
    traceId: typeof told.trace_id === 'string' ? told.trace_id : undefined,
    details: (told.details ?? {}) as Record<string, unknown>,
  };
}

/** A refusal that never came from the gateway, or not in its words. */
export const refusal = (code: string, message: string): Envelope => ({
  code,
  message,
  retryable: true,
  nextActions: [],
  traceId: undefined,
  details: {},
});
