import { randomBytes } from 'node:crypto';
import { bodyBytesMax, isUnbounded, type Refused } from '../compile/bounds.ts';
import type { GuardKind } from '../compile/document.ts';
import { type RowError, refusals } from '../errors.ts';

/** Begins the errors of guards in this process; a client cannot know it, and so cannot feign one. */
export const guardWord = `svc-guard-${randomBytes(12).toString('hex')}`;

const guarded = new RegExp(`${guardWord}:(single|put|max-affected|project-max|answered|size|status|headers):(\\d+)`);

/** The refusal that a guard's error means. */
export function guardRefusal(refused: Refused & { readonly message: string }): RowError | undefined {
  if (isUnbounded(refused)) return refusals.tooLarge(bodyBytesMax);
  const [, kind, number] = guarded.exec(refused.message) ?? [];
  if (kind === undefined) return undefined;
  return refusalFor[kind as GuardKind](Number(number));
}

const refusalFor: Readonly<Record<GuardKind, (number: number) => RowError>> = {
  single: refusals.notSingle,
  put: refusals.putKey,
  'max-affected': refusals.maxAffected,
  'project-max': refusals.projectMax,
  answered: refusals.tooManyAnswered,
  size: () => refusals.tooLarge(bodyBytesMax),
  status: refusals.responseStatus,
  headers: refusals.responseHeaders,
};
