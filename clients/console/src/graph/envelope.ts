import type { CombinedError } from 'urql';

/** A refusal in the gateway's format, or one that the console made because the gateway sent none. */
export interface Envelope {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly nextActions: readonly NextAction[];
  readonly traceId: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  /** Whether a refused change took place all the same: `none`, `committed`, `unknown`. */
  readonly mutationState?: string | undefined;
}

/** Whether a refused change may have taken place all the same. */
export const isUnknown = ({ code, mutationState }: Envelope): boolean =>
  code === 'NO_ANSWER' || mutationState === 'unknown';

interface NextAction {
  readonly method?: string;
  readonly path?: string;
  readonly command?: string;
  readonly why?: string;
}

/** Converts the error of a query, mutation or subscription to an envelope that the page can show. */
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
    mutationState: typeof told.mutation_state === 'string' ? told.mutation_state : undefined,
  };
}

/** Makes an envelope for a failure that did not come from the gateway, or not in its format. */
export const refusal = (code: string, message: string): Envelope => ({
  code,
  message,
  retryable: true,
  nextActions: [],
  traceId: undefined,
  details: {},
});
