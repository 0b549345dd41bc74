import { createPublicKey, type KeyObject, sign } from 'node:crypto';

// The few forms of DER that a request of PKCS #10 (RFC 2986) for one name consists of.
const tagged = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body]);
};

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>= 8) bytes.unshift(rest & 0xff);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

const sequence = (...parts: readonly Buffer[]) => tagged(0x30, ...parts);
const set = (...parts: readonly Buffer[]) => tagged(0x31, ...parts);
const octets = (bytes: Buffer) => tagged(0x04, bytes);
const bits = (bytes: Buffer) => tagged(0x03, Buffer.from([0]), bytes);
const identifier = (...bytes: readonly number[]) => tagged(0x06, Buffer.from(bytes));

const version = tagged(0x02, Buffer.from([0]));
/** 1.2.840.113549.1.9.14, 2.5.29.17 and 1.2.840.10045.4.3.2. */
const extensionRequest = identifier(0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x0e);
const subjectAltName = identifier(0x55, 0x1d, 0x11);
const ecdsaWithSha256 = sequence(identifier(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));

/**
 * A request for a certificate, in DER. The subject is empty: the name stands where clients look for it.
 *
 * @param key of P-256
 */
export function signingRequest(host: string, key: KeyObject): Buffer {
  const dnsName = tagged(0x82, Buffer.from(host, 'ascii'));
  const extensions = sequence(sequence(subjectAltName, octets(sequence(dnsName))));
  const attributes = tagged(0xa0, sequence(extensionRequest, set(extensions)));
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const info = sequence(version, sequence(), publicKey, attributes);
  return sequence(info, ecdsaWithSha256, bits(sign('sha256', info, key)));
}
