import { z } from 'zod';

const bytesMax = 8 * 1024;
const depthMax = 8;

/** What a policy is refused for, or undefined. Depth first: what is too deep cannot even be measured. */
function policyFault(policy: object): string | undefined {
  let level: readonly object[] = [policy];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > depthMax) return `at most ${depthMax} levels deep`;
    level = level.flatMap((one) =>
      Object.values(one).filter((value) => typeof value === 'object' && value !== null),
    ) as object[];
  }
  return Buffer.byteLength(JSON.stringify(policy)) <= bytesMax ? undefined : 'at most 8 KiB of JSON';
}

/** Conditions that its owner attaches to a grant, kept and shown as they are. */
export const grantPolicy = z.record(z.string(), z.unknown()).check(({ value, issues }) => {
  const fault = policyFault(value);
  if (fault !== undefined) issues.push({ code: 'custom', message: fault, input: undefined });
});
