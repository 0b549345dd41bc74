import { z } from 'zod';

/** How often a run may be tried, at most. */
const attemptsMax = 20;
/** Longest pause that may be asked for, in seconds. */
const delayMax = 86_400;

const delay = z.int().min(0).max(delayMax);

/** When and how often a run is tried again. Contract 03, section 3.6. */
export const retryInput = z
  .strictObject({
    preset: z.literal('standard').default('standard').describe('`standard`, the only one.'),
    max_attempts: z.int().min(1).max(attemptsMax).optional().describe('Attempts at most: 5 unless told, up to 20.'),
    min_delay_seconds: delay.optional().describe('Pause after the first attempt, which doubles: 30 unless told.'),
    max_delay_seconds: delay.optional().describe('Longest pause: 21600 unless told.'),
  })
  .describe('How often it is tried, and with which pauses.');

export interface Retry {
  readonly maxAttempts: number;
  readonly minDelaySeconds: number;
  readonly maxDelaySeconds: number;
}

/** The preset `standard`, with what is given in place of its own. */
export const retryOf = ({
  max_attempts: maxAttempts = 5,
  min_delay_seconds: minDelaySeconds = 30,
  max_delay_seconds: maxDelaySeconds = 21_600,
}: Partial<z.output<typeof retryInput>> = {}): Retry => ({ maxAttempts, minDelaySeconds, maxDelaySeconds });

/**
 * How long a run waits after an attempt, in seconds: twice as long after each.
 *
 * @param attempt from 1
 * @param asked what the function asked for by `Retry-After`, in seconds
 */
export const retryDelay = (
  { minDelaySeconds, maxDelaySeconds }: Omit<Retry, 'maxAttempts'>,
  attempt: number,
  asked = 0,
) => Math.min(maxDelaySeconds, Math.max(minDelaySeconds * 2 ** (attempt - 1), asked));
