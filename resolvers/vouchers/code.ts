import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../../core/keys.ts';

/** Crockford's base 32: no letter that looks like another. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** 80 random bits: the hash of a code can be kept without a salt, since none is found by trying. */
const letters = 16;

/** A new code, `XXXX-XXXX-XXXX-XXXX`. */
export function newVoucherCode(): string {
  const code = [...randomBytes(letters)].map((byte) => alphabet[byte % 32]).join('');
  return code.match(/.{4}/g)!.join('-');
}

/**
 * The hash that a code is found by: letter case and hyphens make no difference, and letters that look alike are one.
 *
 * @returns undefined for a text that is no code
 */
export function voucherCodeHash(text: string): string | undefined {
  const code = text.trim().toUpperCase().replaceAll('-', '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return code.length === letters && [...code].every((letter) => alphabet.includes(letter))
    ? sha256Hex(code)
    : undefined;
}
