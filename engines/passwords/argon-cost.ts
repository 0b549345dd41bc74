/** What OWASP asks of Argon2id at the least: 19 MiB, two passes, one lane. */
export const argonCost = { memorySize: 19_456, iterations: 2, parallelism: 1, hashLength: 32 } as const;

/** Bytes of salt. */
export const saltLength = 16;
