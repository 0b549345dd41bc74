/** What a hash by Argon2id costs. */
export interface ArgonCost {
  /** In KiB. */
  readonly memorySize: number;
  /** Passes over it. */
  readonly iterations: number;
}

/** What OWASP asks for at the least: 19 MiB, two passes, one lane. */
export const argonCost: ArgonCost = { memorySize: 19_456, iterations: 2 };

/** Lanes, and bytes of a hash. */
export const argonForm = { parallelism: 1, hashLength: 32 } as const;

/** Bytes of salt. */
export const saltLength = 16;
