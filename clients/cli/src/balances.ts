/**
 * The balances that `init` and `status` report. They query no chain, so on-chain balances are unknown. Contract 04,
 * section 3.5.
 */
export const balancesOf = (balance: Readonly<Record<string, unknown>> | null) => ({
  on_chain_usd_micros: null,
  on_chain_token: null,
  prepaid_credit_usd_micros: balance?.available_usd_micros ?? null,
  held_usd_micros: balance?.held_usd_micros ?? null,
});
