import { randomBytes } from 'node:crypto';
import type { Guard } from '../compile/document.ts';
import { type RowError, refusals } from '../errors.ts';

/** Begins the errors of guards in this process; a client cannot know it, and so cannot feign one. */
export const guardWord = `svc-guard-${randomBytes(12).toString('hex')}`;

const guarded = new RegExp(`${guardWord}:(single|put|max-affected):(\\d+)`);

/** The refusal that a guard's error stands for. */
export function guardRefusal(message: string): RowError | undefined {
  const [, kind, rows] = guarded.exec(message) ?? [];
  if (kind === undefined) return undefined;
  return refusalFor[kind as Guard['kind']](Number(rows));
}

const refusalFor: Readonly<Record<Guard['kind'], (rows: number) => RowError>> = {
  single: refusals.notSingle,
  put: refusals.putKey,
  'max-affected': refusals.maxAffected,
};
