/** Where the gateway is paid: USDC on base. Contract 00, section 1.5. */
export const settlementNetwork = {
  network: 'base',
  caip2: 'eip155:8453',
  chainId: 8453,
  asset: { symbol: 'USDC', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', decimals: 6 },
} as const;
