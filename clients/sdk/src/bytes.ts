export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Sixteen random bytes, in hexadecimal. `crypto.randomUUID` would be there on pages of HTTPS alone. */
export const randomHex = (): string => hexOf(crypto.getRandomValues(new Uint8Array(16)));
