import { expect } from 'vitest';
import { type ErrorCode, rowOf } from '../../core/error-codes.ts';
import { operations } from '../../resolvers/index.ts';
import { PathTable } from '../../rest-compat/path-table.ts';
import { routes } from '../../rest-compat/routes.ts';
import type { Actor } from './actors.ts';
import type { Answer, CallOptions, Service } from './service.ts';

const table = new PathTable(routes);

/** Calls a path; what succeeds is exactly what the operation documents, no member more and none less. */
export const documentedCalls =
  (service: Pick<Service, 'call'>) =>
  // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
  async <Body = any>(actor: Actor, method: string, path: string, options?: CallOptions): Promise<Answer<Body>> => {
    const answer = await service.call<Body>(actor, method, path, options);
    if (answer.status < 300) {
      const { entry: route } = table.match(method, path.split('?')[0]!);
      const operation = operations.find(({ name }) => name === route.operation)!;
      expect(operation.wire.parse(answer.body)).toStrictEqual(answer.body);
    }
    return answer;
  };

/** Every refusal carries the whole envelope, of the row of its code. Contract 01, section 1.13. */
export function expectRefusal(
  { status, headers, body }: Answer<unknown>,
  code: ErrorCode,
  details: Record<string, unknown> = {},
): void {
  const row = rowOf(code);
  const envelope = body as Record<string, unknown>;
  expect(envelope).toMatchObject({
    error: code,
    code,
    category: row.category,
    source: 'gateway',
    retryable: row.retryable,
    safe_to_retry: row.safeToRetry,
    details,
  });
  expect(envelope.message).toEqual(expect.any(String));
  expect(['none', 'not_started', 'committed', 'rolled_back', 'partial', 'unknown']).toContain(envelope.mutation_state);
  expect(envelope.next_actions).toEqual(expect.any(Array));
  expect(envelope.trace_id).toMatch(/^trc_[0-9a-f]{32}$/);
  expect(headers.get('x-svc-trace-id')).toBe(envelope.trace_id);
  expect(headers.get('content-type')).toContain('application/json');
  expect(status).toBe(row.status);
}

/** A moment as every answer writes it. */
export const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
