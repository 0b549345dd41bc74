/** What a chain is called. */
export const chainNames: Readonly<Record<string, string>> = {
  BASE_MAINNET: 'Base',
  BASE_SEPOLIA: 'Base Sepolia',
};

/** Formats an amount of a chain’s coin, with six decimals at most. @param wei as a text of decimal digits */
export function ether(wei: string): string {
  const digits = wei.padStart(19, '0');
  const whole = BigInt(digits.slice(0, -18)).toLocaleString();
  const rest = digits.slice(-18, -12).replace(/0+$/, '');
  if (whole === '0' && rest === '' && wei !== '0') return 'less than 0.000001 ETH';
  return `${whole}${rest === '' ? '' : `.${rest}`} ETH`;
}

/** An address with its middle left out. */
export const shortAddress = (address: string): string => `${address.slice(0, 8)}…${address.slice(-6)}`;
