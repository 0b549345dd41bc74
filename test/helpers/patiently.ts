import { setTimeout as pause } from 'node:timers/promises';

/** Often enough for any burst that one test makes. */
const triesMax = 20;

/**
 * Asks again after the time that a refusal for haste names. For tests that many requests belong to and no rate: how fast a
 * machine asks is no part of what they guarantee.
 */
export async function patiently<Answer extends { readonly status: number; readonly body: unknown }>(
  ask: () => Promise<Answer>,
): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await ask();
    if (answer.status !== 429 || tries === triesMax) return answer;
    const { retry_after: seconds = 1 } = answer.body as { readonly retry_after?: number };
    await pause(seconds * 1000);
  }
}
