import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { requestIdOf } from '../../core/tracing.ts';
import type { RequestFacts } from './context.ts';

const causePattern = /^(req|fnrun|job)_[A-Za-z0-9_-]{4,64}$/;

/** The request that a function says it answers, in `x-svc-request-id`. What can be none says nothing. */
export function causeOf(headers: IncomingHttpHeaders): string | undefined {
  const named = headers['x-svc-request-id'];
  return typeof named === 'string' && causePattern.test(named) ? named : undefined;
}

/** The id under which what a request left is found again: that of the call which a function answered with it, or its own. */
export const keptRequestId = ({ causedBy, traceId }: RequestFacts): string => causedBy ?? requestIdOf(traceId);

/** A request, by whichever of its ids. */
export const soughtRequest = z.string().min(1).max(80, 'at most 80 characters').optional();
