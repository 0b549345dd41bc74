/** What bcrypt looks at of a password, in bytes. */
export const bcryptBytes = 72;

/**
 * Costs of bcrypt that are taken over from elsewhere. Each step doubles the work: the highest one keeps a thread busy
 * for most of a second, and one of 31 would for days.
 */
export const bcryptCosts = { least: 4, most: 14 } as const;

const form = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

/** The cost in a bcrypt hash; undefined for any other text. */
export function bcryptCostOf(hash: string): number | undefined {
  const cost = form.exec(hash)?.[1];
  return cost === undefined ? undefined : Number(cost);
}
