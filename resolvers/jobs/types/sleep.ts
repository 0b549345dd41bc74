import { setTimeout as sleepFor } from 'node:timers/promises';
import { z } from 'zod';
import { type JobType, jsonFile, readBy } from './job-type.ts';

const input = z.strictObject({
  seconds: z.number().min(0).max(3_600).describe('How long it waits, in seconds: at most an hour.'),
});

/** Waits: to try out how jobs are followed, cancelled and charged. */
export const sleep: JobType = {
  name: 'sleep',
  kind: 'built_in',
  description: 'Waits for some seconds, with a line in the log for each of the first hundred.',
  price: { perJob: 10n, perSecond: 10n },
  maxSeconds: 3_660,
  repeatable: true,
  inputSchema: z.toJSONSchema(input) as Record<string, unknown>,
  read: readBy(input),
  async run({ log, keep, signal }, given) {
    const { seconds } = input.parse(given);
    const until = performance.now() + seconds * 1_000;
    let told = Number.POSITIVE_INFINITY;
    for (let count = 0; ; count++) {
      const left = until - performance.now();
      if (left <= 0) break;
      const seconds = Math.ceil(left / 1_000);
      // A timer may go off a moment early, in the same second.
      if (count < 100 && seconds < told) log(seconds === 1 ? '1 second to go' : `${seconds} seconds to go`);
      told = seconds;
      await sleepFor(Math.min(left, count < 100 ? 1_000 : left), undefined, { signal });
    }
    await keep(jsonFile('sleep.json', { seconds }));
  },
};
