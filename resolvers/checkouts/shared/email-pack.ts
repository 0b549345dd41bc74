/** What mail credits are sold in. They never expire. Contract 04, section 1.4. */
export const emailPack = { credits: 10_000n, price: 5_000_000n } as const;
