import { Cron as Schedule } from 'croner';
import { SpecError } from './errors.ts';
import type { FunctionTrigger, ReleasedFunction, ReleaseState } from './model.ts';

/** Id and type of event of the trigger that the older member `schedule` of a function stands for. */
const legacyId = 'default';
const legacyEvent = 'schedule';

/** A trigger that comes due by a schedule. */
export interface ScheduleTrigger extends FunctionTrigger {
  readonly cron: string;
  readonly timezone: string;
}

/** The schedules of a function, its older member `schedule` among them. Contract 03, section 3.7. */
export const schedulesOf = ({
  schedule,
  triggers,
}: Pick<ReleasedFunction, 'schedule' | 'triggers'>): readonly ScheduleTrigger[] => [
  ...(schedule === null
    ? []
    : [
        {
          id: legacyId,
          type: 'schedule' as const,
          cron: schedule,
          timezone: 'UTC',
          run: { eventType: legacyEvent, payload: {} },
        },
      ]),
  ...triggers.filter((one): one is ScheduleTrigger => one.type === 'schedule'),
];

/** Refuses a function with a trigger that is called as its member `schedule` is. @throws SpecError */
export function refuseSecondDefault({ functions }: ReleaseState): void {
  for (const [name, { schedule, triggers }] of functions)
    if (schedule !== null && triggers.some(({ id }) => id === legacyId))
      throw new SpecError('INVALID_SPEC', `The trigger ${legacyId} of ${name} cannot go together with its schedule.`, {
        resource: `functions.${name}.triggers`,
        details: { id: legacyId },
      });
}

/** What a value with a step begins with stands for all up to the end, which the library asks to be said. */
const lasts = ['59', '23', '31', '12', '6'];
const spelledOut = (cron: string): string =>
  cron
    .split(' ')
    .map((field, at) => field.replaceAll(/(^|,)([0-9a-z]+)\//gi, `$1$2-${lasts[at]}/`))
    .join(' ');

/** The moments behind another one at which a schedule comes due, at most so many. @param cron five fields */
export const nextMoments = (cron: string, timezone: string, after: Date, most: number): readonly Date[] =>
  scheduleOf(cron, timezone).nextRuns(most, after);

const scheduleOf = (cron: string, timezone: string): Schedule =>
  new Schedule(spelledOut(cron), { timezone, mode: '5-part' });

/**
 * The first moment behind another one at which a schedule comes due. A time of day that clocks leave out in spring comes
 * due at the end of the gap, and one that comes twice in autumn is due once. What comes due every hour or more often goes
 * on by real time.
 *
 * @param cron five fields, as `parseCron` takes them
 */
export function nextDue(cron: string, timezone: string, after: Date): Date | null {
  return scheduleOf(cron, timezone).nextRun(after);
}
