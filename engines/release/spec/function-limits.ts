import { parseCron, shortestInterval } from '../cron.ts';
import { SpecError, type SpecErrorCode } from '../errors.ts';
import type { ReleaseState } from '../model.ts';
import { schedulesOf } from '../next-due.ts';

/** What the tier of an organization allows its functions. Contract 03, section 2.20. */
export interface FunctionLimits {
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  /** Shortest pause between two fires of a schedule, in minutes. */
  readonly scheduleMinutes: number;
  /** Schedules that all projects of the organization may have. */
  readonly schedules: number;
  /** Functions that all projects of the organization may have. */
  readonly functions: number;
  readonly tier: string;
}

const exceeds = (
  code: SpecErrorCode,
  at: string,
  problem: string,
  details: Readonly<Record<string, unknown>>,
): SpecError =>
  new SpecError(code, `${at} ${problem}.`, {
    resource: at,
    details: { field: at, limit_source: 'tier_status', ...details },
  });

/** Refuses a number that is more than the tier's. */
export function within(
  code: 'FUNCTION_TIMEOUT_EXCEEDS_TIER' | 'FUNCTION_MEMORY_EXCEEDS_TIER',
  value: number | undefined,
  most: number | undefined,
  { at, tier }: { readonly at: string; readonly tier: string | undefined },
): void {
  if (value === undefined || most === undefined || value <= most) return;
  throw exceeds(code, at, `is more than the ${most} of the tier ${tier}`, { value, tier, tier_max: most });
}

/** Refuses a schedule that comes due more often than the tier allows. */
export function refuseFrequent(
  cron: string | null | undefined,
  at: string,
  limits: Pick<FunctionLimits, 'scheduleMinutes' | 'tier'> | undefined,
): void {
  const parsed = typeof cron === 'string' && limits !== undefined ? parseCron(cron) : undefined;
  if (parsed === undefined || limits === undefined || shortestInterval(parsed) >= limits.scheduleMinutes) return;
  const { scheduleMinutes: minutes, tier } = limits;
  throw exceeds(
    'FUNCTION_SCHEDULE_INTERVAL_TOO_SHORT',
    at,
    `comes due more often than every ${minutes} minutes of the tier ${tier}`,
    { value: cron, tier, min_interval_minutes: minutes },
  );
}

/**
 * Refuses a release with more functions than the tier allows, unless there were as many before.
 *
 * @param elsewhere functions that other projects of the organization have
 */
export function refuseManyFunctions(
  before: ReleaseState,
  after: ReleaseState,
  elsewhere: number,
  limits: Pick<FunctionLimits, 'functions' | 'tier'> | undefined,
): void {
  const value = elsewhere + after.functions.size;
  if (limits === undefined || value <= limits.functions || after.functions.size <= before.functions.size) return;
  const { functions, tier } = limits;
  throw exceeds(
    'TIER_LIMIT_EXCEEDED',
    'functions',
    `of the organization would be ${value}, more than the ${functions} of the tier ${tier}`,
    { field: 'functions', value, tier, tier_max: functions },
  );
}

/** Schedules of a release. */
export const countSchedules = ({ functions }: ReleaseState): number =>
  [...functions.values()].reduce((sum, fn) => sum + schedulesOf(fn).length, 0);

/**
 * Refuses a release with more schedules than the tier allows, unless there were as many before.
 *
 * @param elsewhere schedules that other projects of the organization have
 */
export function refuseManySchedules(
  before: ReleaseState,
  after: ReleaseState,
  elsewhere: number,
  limits: Pick<FunctionLimits, 'schedules' | 'tier'> | undefined,
): void {
  const own = countSchedules(after);
  const value = elsewhere + own;
  if (limits === undefined || value <= limits.schedules || own <= countSchedules(before)) return;
  const { schedules, tier } = limits;
  throw exceeds(
    'FUNCTION_SCHEDULE_LIMIT_EXCEEDED',
    'functions',
    `of the organization would have ${value} schedules, more than the ${schedules} of the tier ${tier}`,
    { field: 'schedules', value, tier, tier_max: schedules },
  );
}
