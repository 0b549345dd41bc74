import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign, verify } from 'node:crypto';

/** Signs certificates for tests: as much of DER as that takes. */
export interface TestAuthority {
  /** Its own certificate, in PEM. */
  readonly ca: string;
  /** A certificate for what a request of PKCS #10 names, with the authority's own behind it. @throws for a bad request */
  readonly issue: (csr: Buffer, life: Life) => { readonly chain: string; readonly names: readonly string[] };
  /** The same with a key of its own. */
  readonly make: (host: string, life?: Life) => { readonly cert: string; readonly key: string };
}

export interface Life {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

const day = 86_400_000;
export const daysFrom = (from: number, to: number): Life => ({
  notBefore: new Date(Date.now() + from * day),
  notAfter: new Date(Date.now() + to * day),
});

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  const head = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), body]);
}
const sequence = (...parts: readonly Buffer[]) => tagged(0x30, ...parts);
const identifier = (hex: string) => tagged(0x06, Buffer.from(hex, 'hex'));
const algorithm = sequence(identifier('2a8648ce3d040302'));
const nameOf = (text: string) =>
  sequence(tagged(0x31, sequence(identifier('550403'), tagged(0x0c, Buffer.from(text)))));
const moment = (at: Date) => tagged(0x18, Buffer.from(`${at.toISOString().replace(/[-:T]|\.\d+/g, '')}`));
const bits = (bytes: Buffer) => tagged(0x03, Buffer.from([0]), bytes);
const extension = (oid: string, value: Buffer) => sequence(identifier(oid), tagged(0x04, value));

/** The elements that an element of DER consists of. */
function elementsOf(der: Buffer): { readonly whole: Buffer; readonly body: Buffer; readonly tag: number }[] {
  const found: { whole: Buffer; body: Buffer; tag: number }[] = [];
  for (let at = 0; at < der.length; ) {
    let length = der[at + 1]!;
    let head = 2;
    if (length > 0x80) {
      const bytes = length & 0x7f;
      length = der.readUIntBE(at + 2, bytes);
      head += bytes;
    }
    found.push({
      tag: der[at]!,
      whole: der.subarray(at, at + head + length),
      body: der.subarray(at + head, at + head + length),
    });
    at += head + length;
  }
  return found;
}

const pemOf = (der: Buffer) =>
  `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`;

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const spkiOf = (key: KeyObject) => createPublicKey(key).export({ type: 'spki', format: 'der' });

export function createTestAuthority(): TestAuthority {
  const { privateKey } = newKeys();
  const issuer = nameOf('svc test authority');

  function certify(subject: Buffer, spki: Buffer, extensions: readonly Buffer[], life: Life): string {
    const serial = tagged(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)]));
    const body = sequence(
      tagged(0xa0, tagged(0x02, Buffer.from([2]))),
      serial,
      algorithm,
      issuer,
      sequence(moment(life.notBefore), moment(life.notAfter)),
      subject,
      spki,
      tagged(0xa3, sequence(...extensions)),
    );
    return pemOf(sequence(body, algorithm, bits(sign('sha256', body, privateKey))));
  }

  const isCa = extension('551d13', sequence(tagged(0x01, Buffer.from([0xff]))));
  const ca = certify(issuer, spkiOf(privateKey), [isCa], daysFrom(-1, 100));
  const leaf = (names: readonly string[], spki: Buffer, life: Life) => {
    const all = sequence(...names.map((name) => tagged(0x82, Buffer.from(name))));
    return certify(sequence(), spki, [extension('551d11', all)], life) + ca;
  };

  return {
    ca,
    issue(csr, life) {
      const [info, , signature] = elementsOf(elementsOf(csr)[0]!.body);
      const [, , spki, attributes] = elementsOf(info!.body);
      const key = createPublicKey({ key: spki!.whole, type: 'spki', format: 'der' });
      if (!verify('sha256', info!.whole, key, signature!.body.subarray(1)))
        throw new Error('The request is not signed.');
      const [, values] = elementsOf(elementsOf(attributes!.body)[0]!.body);
      const [, octets] = elementsOf(elementsOf(elementsOf(values!.body)[0]!.body)[0]!.body);
      const names = elementsOf(elementsOf(octets!.body)[0]!.body).map(({ body }) => body.toString());
      return { chain: leaf(names, spki!.whole, life), names };
    },
    make(host, life = daysFrom(-1, 30)) {
      const keys = newKeys();
      const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      return { cert: leaf([host], spkiOf(keys.privateKey), life), key };
    },
  };
}
