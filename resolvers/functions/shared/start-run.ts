import { inputDigest } from '../../../kernel/durability/idempotency.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { insertRun, type RunToMake } from '../runs/insert-run.ts';
import { retryOf } from '../runs/retry.ts';

type Given = Pick<RunToMake, 'orgId' | 'projectId' | 'function' | 'eventType' | 'idempotencyKey' | 'payload'>;

/** Has a function run in the background as often as it takes. @returns the id of the run; undefined when its key is taken */
export async function startRun(work: Work, given: Given): Promise<string | undefined> {
  const { eventType: event_type, payload } = given;
  const intent = inputDigest({ event_type, payload });
  return (await insertRun(work, { ...given, intent, source: { type: 'api' }, retry: retryOf() }))?.id;
}
