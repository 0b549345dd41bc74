import { invalidField } from '../../core/errors.ts';

/** A span of time that a list is asked for: from `since` on, before `until`. */
interface TimeRange {
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

/** @throws VALIDATION_FAILED for a span that ends before it begins */
export function requireTimeRange({ since, until }: TimeRange): void {
  if (since !== undefined && until !== undefined && since > until)
    throw invalidField('since', 'must not be later than `until`');
}
